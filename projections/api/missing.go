package api

import (
	"net/http"
	"slices"
	"strings"
)

// addMissing answers what no route answers: another method of an address that
// is there, and addresses that are not.
func (a *API) addMissing(mux *http.ServeMux) {
	paths := []string{"/api/openapi.json"}
	for path := range a.huma.OpenAPI().Paths {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		allow := []string{http.MethodGet, http.MethodHead}
		if item := a.huma.OpenAPI().Paths[path]; item != nil && item.Post != nil {
			allow = append(allow, http.MethodPost)
		}
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Allow", strings.Join(allow, ", "))
			w.Header().Set("Cache-Control", "no-store")
			writeProblem(w, newProblem(http.StatusMethodNotAllowed, "%s is not taken here; this address takes %s", r.Method, strings.Join(allow, ", ")))
		})
	}
	// Whoever begins at the top finds the way.
	for short, to := range map[string]string{"/api": "/api/openapi.json", "/api/{$}": "/api/openapi.json", "/api/schema/{$}": "/api/schema"} {
		mux.Handle("GET "+short, http.RedirectHandler(a.base+to, http.StatusFound))
	}
	mux.HandleFunc("/api/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		writeProblem(w, newProblem(http.StatusNotFound, "there is no such address; GET %s/api/openapi.json describes all of them", a.base))
	})
}
