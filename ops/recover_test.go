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
