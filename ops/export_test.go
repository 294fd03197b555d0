package ops_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"shiplog/events/audit"
	"shiplog/events/intake/intaketest"
	"shiplog/events/ledger/ledgertest"
	"shiplog/ops"
	"shiplog/ops/verify"
)

func TestExportSendsStoredBytes(t *testing.T) {
	in, l := intaketest.New(t)
	for i := range 30 {
		intaketest.Accept(t, in, intaketest.Review(fmt.Sprint(i), fmt.Sprintf("tool-%d", i), "reviewer", "ship", "<b>&\u2028"))
	}
	head, err := l.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer((&ops.Admin{Ledger: given(l), Registry: ops.NewRegistry(ops.Build{})}).Handler())
	defer server.Close()
	for _, from := range []uint64{0, 1, 17, head, head + 1} {
		var want bytes.Buffer
		err := l.Read(t.Context(), max(from, 1), head, func(_ uint64, raw []byte) error {
			want.Write(append(raw, '\n'))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		resp, body := export(t, fmt.Sprintf("%s/admin/v1/export?from=%d", server.URL, from))
		if body != want.String() {
			t.Errorf("from %d: other bytes", from)
		}
		if got := resp.Header.Get(ops.HeadHeader); got != fmt.Sprint(head) {
			t.Errorf("from %d: head %s, want %d", from, got, head)
		}
		if got := resp.Trailer.Get(ops.ErrorTrailer); got != "" {
			t.Errorf("from %d: error %s", from, got)
		}
	}
}

// TestExportTellsWhatCutsItShort reads a ledger that goes away meanwhile.
func TestExportTellsWhatCutsItShort(t *testing.T) {
	in, l := intaketest.New(t)
	intaketest.Accept(t, in, intaketest.Review("1", "tool", "reviewer", "ship", "Good."))
	ending, end := context.WithCancel(t.Context())
	end()
	server := httptest.NewServer((&ops.Admin{Ledger: given(l), Registry: ops.NewRegistry(ops.Build{}), Ending: ending}).Handler())
	defer server.Close()
	resp, err := http.Get(server.URL + "/admin/v1/export")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	if resp.StatusCode == http.StatusOK && resp.Trailer.Get(ops.ErrorTrailer) == "" {
		t.Error("a node that stops does not say that the export is cut short")
	}
}

func export(t *testing.T, url string) (*http.Response, string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

func TestVerifyAnswersInLines(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"well", nil, `{"report":{"ledger":"","events":7,"head":7,"leaf":"","model":0,"decisions":0,"took_ns":0}}`},
		{"fault", &audit.Fault{Seq: 3, Cause: "is missing"}, `{"fault":{"seq":3,"text":"event 3 is missing","chain":true}}`},
		{
			"difference", &verify.Difference{What: "read model", Seq: 9, Cause: "so it is"},
			`{"fault":{"seq":9,"text":"the read model is wrong as of event 9: so it is","chain":false}}`,
		},
		{"neither", errors.New("no answer"), `{"error":"no answer"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			chains := 0
			a := &ops.Admin{
				Registry: ops.NewRegistry(ops.Build{}),
				Verify: func(_ context.Context, chain bool, progress func(verify.Progress)) (verify.Report, error) {
					if chain {
						chains++
					}
					progress(verify.Progress{Doing: "reading", Done: 3, Total: 7})
					return verify.Report{Events: 7, Head: 7}, tt.err
				},
			}
			server := httptest.NewServer(a.Handler())
			defer server.Close()
			lines := strings.Split(strings.TrimSpace(call(t, http.MethodGet, server.URL+"/admin/v1/verify?chain=1", http.StatusOK)), "\n")
			var first ops.VerifyLine
			if err := json.Unmarshal([]byte(lines[0]), &first); err != nil || first.Progress == nil || first.Progress.Total != 7 {
				t.Errorf("first line %s: %v", lines[0], err)
			}
			if lines[len(lines)-1] != tt.want || chains != 1 {
				t.Errorf("last line %s, want %s", lines[len(lines)-1], tt.want)
			}
		})
	}
}

func TestExportRefusesNonsense(t *testing.T) {
	server := httptest.NewServer((&ops.Admin{Ledger: given(ledgertest.New(t)), Registry: ops.NewRegistry(ops.Build{})}).Handler())
	defer server.Close()
	resp, body := export(t, server.URL+"/admin/v1/export?from=abc")
	if resp.StatusCode != http.StatusBadRequest || !strings.Contains(body, `from must be a whole number; got \"abc\"`) {
		t.Errorf("answered %s: %s", resp.Status, body)
	}
}
