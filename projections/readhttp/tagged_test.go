package readhttp_test

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shiplog/projections/readhttp"
)

const text = "the same words every time\n"

func serve(t *testing.T, handler http.Handler) string {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL
}

func fetch(t *testing.T, method, url string, header http.Header) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(r.Header, header)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(r)
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

func words(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, text)
}

func TestTagged(t *testing.T) {
	url := serve(t, readhttp.Tagged(http.HandlerFunc(words)))
	tag := readhttp.ETag([]byte(text))
	strong := strings.TrimPrefix(tag, "W/")
	for _, test := range []struct {
		name   string
		method string
		match  []string
		status int
		body   string
	}{
		{"get", "GET", nil, 200, text},
		{"head", "HEAD", nil, 200, ""},
		{"known", "GET", []string{tag}, 304, ""},
		{"known, head", "HEAD", []string{tag}, 304, ""},
		{"known, strong", "GET", []string{strong}, 304, ""},
		{"known, marked by a proxy", "GET", []string{strings.TrimSuffix(tag, `"`) + `-gzip"`}, 304, ""},
		{"in a list", "GET", []string{`"a,b", ` + tag}, 304, ""},
		{"in a second header", "GET", []string{`"x"`, tag}, 304, ""},
		{"any", "GET", []string{"*"}, 304, ""},
		{"unknown", "GET", []string{`W/"other"`}, 200, text},
		{"longer", "GET", []string{strings.TrimSuffix(tag, `"`) + `x"`}, 200, text},
		{"not quoted", "GET", []string{"nonsense"}, 200, text},
		{"cut off", "GET", []string{strings.TrimSuffix(tag, `"`)}, 200, text},
		{"empty", "GET", []string{""}, 200, text},
		{"post", "POST", []string{tag}, 200, text},
	} {
		t.Run(test.name, func(t *testing.T) {
			resp, body := fetch(t, test.method, url, http.Header{"If-None-Match": test.match})
			if resp.StatusCode != test.status || body != test.body {
				t.Errorf("got %d %q, want %d %q", resp.StatusCode, body, test.status, test.body)
			}
			want := tag
			if test.method == "POST" {
				want = ""
			}
			if got := resp.Header.Get("Etag"); got != want {
				t.Errorf("ETag %q, want %q", got, want)
			}
			if got := resp.Header.Get("Cache-Control"); got != "no-cache" {
				t.Errorf("Cache-Control %q, want no-cache", got)
			}
			if test.status == 200 && resp.ContentLength != int64(len(text)) {
				t.Errorf("Content-Length %d, want %d", resp.ContentLength, len(text))
			}
		})
	}
}

func TestTaggedLeavesOtherAnswers(t *testing.T) {
	type seen struct {
		Status                int
		Body, ETag, Cache, At string
	}
	for _, test := range []struct {
		name    string
		handler http.HandlerFunc
		want    seen
	}{
		{
			"error", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusNotFound) },
			seen{Status: 404, Body: "no\n", Cache: "no-store"},
		},
		{"redirect", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/there")
			w.WriteHeader(http.StatusMovedPermanently)
		}, seen{Status: 301, Cache: "no-cache", At: "/there"}},
		{
			"nothing written", func(http.ResponseWriter, *http.Request) {},
			seen{Status: 200, ETag: readhttp.ETag(nil), Cache: "no-cache"},
		},
		{"own headers", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("ETag", `W/"mine"`)
			w.Header().Set("Cache-Control", "max-age=60")
		}, seen{Status: 200, ETag: `W/"mine"`, Cache: "max-age=60"}},
		{"first status counts", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusServiceUnavailable)
			w.WriteHeader(http.StatusOK)
		}, seen{Status: 503, Cache: "no-store"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			resp, body := fetch(t, "GET", serve(t, readhttp.Tagged(test.handler)), nil)
			got := seen{resp.StatusCode, body, resp.Header.Get("Etag"), resp.Header.Get("Cache-Control"), resp.Header.Get("Location")}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
