package events_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"shiplog/events"
)

func binaryHeaders(more ...string) map[string][]string {
	headers := map[string][]string{
		"Ce-Specversion": {"1.0"}, "ce-id": {"r1"}, "CE-SOURCE": {"/panel"}, "Ce-Type": {"shiplog.review.submitted.v1"},
		"Content-Type": {"application/json"}, "Accept": {"*/*"},
	}
	for i := 0; i < len(more); i += 2 {
		headers[more[i]] = append(headers[more[i]], more[i+1])
	}
	return headers
}

func TestParseBinary(t *testing.T) {
	headers := binaryHeaders("Ce-Subject", "caf%C3%A9%20%22x%22", "Ce-Zone", `"a \"quoted\" %E2%82%AC"`, "Ce-Time", "2026-05-02T09:30:00%2B02:00", "ce-plus", "a+b")
	want, ps := events.Parse([]byte(review("", `,"subject":"café \"x\"","zone":"a \"quoted\" €","time":"2026-05-02T09:30:00+02:00","plus":"a+b","datacontenttype":"application/json"`)))
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	if !events.IsBinary(headers) || events.IsBinary(map[string][]string{"Ce-Id": {"1"}}) {
		t.Error("ce-specversion alone tells the binary mode")
	}
	// Maps have no order: any order gives the same.
	for range 20 {
		got, ps := events.ParseBinary(headers, []byte("\r\n "+reviewData+"} \n"))
		if len(ps) > 0 {
			t.Fatal(ps)
		}
		if got.ID != want.ID || got.Subject != want.Subject || got.Time != want.Time || string(got.Input) != string(want.Input) {
			t.Fatalf("binary %+v\nstructured %+v", got, want)
		}
		if diff := cmp.Diff(want.Extensions, got.Extensions); diff != "" {
			t.Fatalf("extensions (-structured +binary):\n%s", diff)
		}
	}
}

func TestParseBinaryBad(t *testing.T) {
	tests := []struct {
		name    string
		headers map[string][]string
		body    string
		want    []string
	}{
		{"no body", binaryHeaders(), "", []string{"/data required"}},
		{"body brings attributes", binaryHeaders(), `{},"id":"x"`, []string{"/data invalid_json"}},
		{"body ends the event", binaryHeaders(), `{}}`, []string{"/data invalid_json"}},
		{"body is two values", binaryHeaders(), `{} {}`, []string{"/data invalid_json"}},
		{"body is no JSON", binaryHeaders(), `tool=ferrule`, []string{"/data invalid_json"}},
		{"body is cut off", binaryHeaders(), reviewData, []string{"/data invalid_json"}},
		{"body is a list", binaryHeaders(), `[]`, []string{"/data wrong_type"}},
		{"duplicate in the body", binaryHeaders(), reviewData + `,"body":"x"}`, []string{"/data/body duplicate_key"}},
		{"bad UTF-8 in the body", binaryHeaders(), reviewData + ",\"condition\":\"\xFF\"}", []string{"/data/condition invalid_utf8"}},
		{"other content type", binaryHeaders("content-type", "text/plain"), reviewData + "}", []string{"/datacontenttype duplicate_key"}},
		{"header twice", binaryHeaders("Ce-Type", "x"), reviewData + "}", []string{"/type duplicate_key"}},
		{"header by two names", binaryHeaders("ce-type", "x"), reviewData + "}", []string{"/type duplicate_key"}},
		{"ce-data", binaryHeaders("ce-data", "{}"), reviewData + "}", []string{"/data reserved"}},
		{"ce-datacontenttype", binaryHeaders("ce-datacontenttype", "application/json"), reviewData + "}", []string{"/datacontenttype reserved"}},
		{"ce-salt", binaryHeaders("ce-salt", "00"), reviewData + "}", []string{"/salt reserved"}},
		{"percent", binaryHeaders("ce-share", "100%"), reviewData + "}", []string{"/share invalid_value"}},
		{"bytes that are no UTF-8", binaryHeaders("ce-who", "%FF"), reviewData + "}", []string{"/who invalid_utf8"}},
		{"control character", map[string][]string{"ce-specversion": {"1.0"}, "ce-id": {"a%00"}, "ce-source": {"/p"}, "ce-type": {"shiplog.review.submitted.v1"}}, reviewData + "}", []string{"/id invalid_value"}},
		{"text body", map[string][]string{"ce-specversion": {"1.0"}, "ce-id": {"r1"}, "ce-source": {"/p"}, "ce-type": {"shiplog.review.submitted.v1"}, "content-type": {"text/plain"}}, reviewData + "}", []string{"/datacontenttype not_one_of"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, ps := events.ParseBinary(test.headers, []byte(test.body))
			if diff := cmp.Diff(test.want, found(ps)); diff != "" {
				t.Errorf("problems (-want +got):\n%s\n%v", diff, ps)
			}
			if s.Input != nil {
				t.Error("a bad submission has a canonical input")
			}
		})
	}
}
