package intake_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"shiplog/events/intake"
	"shiplog/events/intake/intaketest"
)

// dial opens a connection and sends the beginning of a request.
func dial(t *testing.T, url, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn
}

func status(t *testing.T, conn net.Conn) (int, http.Header) {
	t.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode, resp.Header
}

// hold opens a request and waits until the server wants its body.
func hold(t *testing.T, url string, length int) net.Conn {
	t.Helper()
	conn := dial(t, url, strings.Replace(head(length), "Host:", "Expect: 100-continue\r\nHost:", 1))
	want := "HTTP/1.1 100 Continue\r\n\r\n"
	got := make([]byte, len(want))
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != want {
		t.Fatalf("%v, got %q", err, got)
	}
	return conn
}

func head(length int) string {
	return fmt.Sprintf("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", length)
}

func TestBodySlow(t *testing.T) {
	in, _ := intaketest.New(t)
	url := serveHTTP(t, in, intake.HTTPOptions{ReadTimeout: 100 * time.Millisecond})
	if code, _ := status(t, dial(t, url, head(100)+"{")); code != http.StatusRequestTimeout {
		t.Errorf("status %d for a body that does not come, want 408", code)
	}
}

func TestBodyTooLargeBeforeItIsSent(t *testing.T) {
	in, _ := intaketest.New(t)
	url := serveHTTP(t, in, intake.HTTPOptions{})
	if code, _ := status(t, dial(t, url, head(8<<20+1))); code != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d, want 413", code)
	}
}

// TestBodiesBounded holds two bodies open, which fill the room, and sees a
// third refused, then taken when one of them is done.
func TestBodiesBounded(t *testing.T) {
	in, _ := intaketest.New(t)
	url := serveHTTP(t, in, intake.HTTPOptions{BodyBytes: 5 << 20})
	event := string(intaketest.Event("x", "tool.registered", map[string]string{"tool": "smolvm", "name": "smolvm"}))
	const length = 2 << 20
	padded := event + strings.Repeat(" ", length-len(event))
	first := hold(t, url, length)
	hold(t, url, length)
	refused := func() bool {
		code, header := status(t, dial(t, url, head(length)+padded))
		if code == http.StatusTooManyRequests && header.Get("Retry-After") == "" {
			t.Error("429 without Retry-After")
		}
		return code == http.StatusTooManyRequests
	}
	if !refused() {
		t.Error("a third body was taken")
	}
	if _, err := io.WriteString(first, padded); err != nil {
		t.Fatal(err)
	}
	if code, _ := status(t, first); code != http.StatusRequestEntityTooLarge { // spaces count, too
		t.Errorf("status %d", code)
	}
	until(t, "there is room again", func() bool { return !refused() })
}

// TestBodyChunked sends bodies of unknown length: arrays that never end.
func TestBodyChunked(t *testing.T) {
	in, _ := intaketest.New(t)
	tight := serveHTTP(t, in, intake.HTTPOptions{BodyBytes: 1 << 20})
	for size, want := range map[int]int{1 << 10: 400, 600 << 10: 400, 3 << 20: 429, 9 << 20: 413} {
		url := tight
		if size == 9<<20 {
			url = serveHTTP(t, in, intake.HTTPOptions{})
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, io.LimitReader(endless{}, int64(size)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/cloudevents-batch+json")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%d bytes: status %d, want %d", size, resp.StatusCode, want)
		}
	}
}

// endless is the beginning of a batch.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = ' '
	}
	b[0] = '['
	return len(b), nil
}

// until waits for a condition.
func until(t testing.TB, what string, condition func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !condition() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
		<-time.After(5 * time.Millisecond)
	}
}

// Clients that send all of a body before they read the answer learn why it was
// refused, whatever the reason and whether or not they say its length.
func TestHTTPRefusalIsReadAfterTheBody(t *testing.T) {
	in, _ := intaketest.New(t)
	at, err := url.Parse(serveHTTP(t, in, intake.HTTPOptions{}))
	if err != nil {
		t.Fatal(err)
	}
	const size = 16 << 20
	chunked := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", size, bytes.Repeat([]byte(" "), size))
	tests := []struct {
		name, headers, body string
		want                int
	}{
		{"too large", fmt.Sprintf("content-type: application/json\r\ncontent-length: %d", size), chunked[9 : 9+size], http.StatusRequestEntityTooLarge},
		{"too large, of no told length", "content-type: application/json\r\ntransfer-encoding: chunked", chunked, http.StatusRequestEntityTooLarge},
		{"not allowed", fmt.Sprintf("via: 1.1 proxy\r\ncontent-length: %d", size), chunked[9 : 9+size], http.StatusForbidden},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			conn, err := net.Dial("tcp", at.Host)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := fmt.Fprintf(conn, "POST / HTTP/1.1\r\nhost: %s\r\n%s\r\n\r\n%s", at.Host, tt.headers, tt.body); err != nil {
				t.Fatalf("send: %v", err)
			}
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatalf("read the answer: %v", err)
			}
			defer answer.Body.Close()
			if answer.StatusCode != tt.want {
				t.Errorf("status %d, want %d", answer.StatusCode, tt.want)
			}
		})
	}
}
