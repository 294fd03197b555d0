package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// loadClients is how many connections ask at once.
const loadClients = 16

// load asks a server for a path over and over; see [loadEach].
func load(base, path, etag string, want int) rate {
	return loadEach(base, [][]byte{get(base, path, etag)}, want)
}

// get is a whole request.
func get(base, path, etag string) []byte {
	request := "GET " + path + " HTTP/1.1\r\nHost: " + strings.TrimPrefix(base, "http://") + "\r\n"
	if etag != "" {
		request += "If-None-Match: " + etag + "\r\n"
	}
	return []byte(request + "\r\n")
}

// loadEach sends a server requests in turn, over and over, each connection one
// request at a time; it goes on where it was when it is called again. The client does as little as it can, so that the figure is
// the server's.
func loadEach(base string, requests [][]byte, want int) rate {
	var count atomic.Int64
	return func(ctx context.Context, d time.Duration) (float64, error) {
		began, first := time.Now(), count.Load()
		g, ctx := errgroup.WithContext(ctx)
		for range loadClients {
			g.Go(func() error {
				c, err := dial(ctx, base)
				if err != nil {
					return err
				}
				defer c.Close()
				for time.Since(began) < d && ctx.Err() == nil {
					request := requests[int(count.Add(1))%len(requests)]
					if err := c.ask(request, want); err != nil {
						line, _, _ := bytes.Cut(request, []byte(" HTTP/"))
						return fmt.Errorf("%s: %w", line, err)
					}
				}
				return nil
			})
		}
		err := g.Wait()
		return float64(count.Load()-first) / time.Since(began).Seconds(), err
	}
}

// client is a connection that does as little as it can.
type client struct {
	net.Conn
	answers *bufio.Reader
}

func dial(ctx context.Context, base string) (*client, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", strings.TrimPrefix(base, "http://"))
	if err != nil {
		return nil, err
	}
	return &client{Conn: conn, answers: bufio.NewReaderSize(conn, 64<<10)}, nil
}

// ask sends a request and reads its answer, which must have a status.
func (c *client) ask(request []byte, want int) error {
	if _, err := c.Write(request); err != nil {
		return err
	}
	return readAnswer(c.answers, want)
}

// readAnswer reads one answer with a content-length.
func readAnswer(r *bufio.Reader, want int) error {
	status, err := r.ReadSlice('\n')
	if err != nil {
		return err
	}
	if len(status) < 12 || string(status[9:12]) != strconv.Itoa(want) {
		return fmt.Errorf("answered %q, want %d", bytes.TrimSpace(status), want)
	}
	length, chunked := 0, false
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return err
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			length, err = strconv.Atoi(string(bytes.TrimSpace(value)))
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			chunked = true
		}
		if err != nil {
			return err
		}
	}
	if chunked {
		return errors.New("the answer has no content-length")
	}
	if want == http.StatusNotModified {
		return nil
	}
	_, err = r.Discard(length)
	return err
}
