package ops_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"shiplog/ops"
)

func TestRecoverAnswersAndTells(t *testing.T) {
	var log bytes.Buffer
	handler := ops.Recover(slog.New(slog.NewTextHandler(&log, nil)), http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		panic("out of cheese")
	}))
	server := httptest.NewServer(handler)
	defer server.Close()
	call(t, "GET", server.URL, http.StatusInternalServerError)
	if !strings.Contains(log.String(), "out of cheese") {
		t.Errorf("the log does not tell: %s", log.String())
	}
}

func TestAdminRecovers(t *testing.T) {
	var text bytes.Buffer
	a := &ops.Admin{Registry: ops.NewRegistry(ops.Build{}), Log: ops.NewLog(&text, "json", slog.LevelInfo)}
	server := httptest.NewServer(a.Handler())
	defer server.Close()
	call(t, "GET", server.URL+"/admin/v1/status", http.StatusInternalServerError) // there is no Status to ask
	if !strings.Contains(text.String(), `"route":"GET /admin/v1/status"`) {
		t.Errorf("the log does not tell: %s", text.String())
	}
}
