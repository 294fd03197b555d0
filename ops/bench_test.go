package ops_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"shiplog/ops"
)

// What it costs a request to be counted.
func BenchmarkHTTPMetrics(b *testing.B) {
	mux := http.NewServeMux()
	mux.HandleFunc("/tools/{tool}", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	wrapped := ops.NewHTTPMetrics(ops.NewRegistry(ops.Build{}), ops.HTTPOptions{Routes: []string{"/tools/{tool}"}}).Wrap(mux)
	for name, handler := range map[string]http.Handler{"bare": mux, "counted": wrapped} {
		b.Run(name, func(b *testing.B) {
			r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/tools/awl", http.NoBody)
			w := httptest.NewRecorder()
			b.ReportAllocs()
			for b.Loop() {
				handler.ServeHTTP(w, r)
			}
		})
	}
}
