package main

import (
	"context"
	"io"
	"net/http"
	"time"
)

// streamSilence is how long an answer may say nothing before the server is given
// up.
const streamSilence = time.Minute

// A stream is an answer that is read as it comes, however long that takes.
type stream struct {
	*http.Response
	client *client
	silent *time.Timer
	cancel context.CancelFunc
}

// stream asks for an answer that may take long. The caller closes it.
func (c *client) stream(ctx context.Context, path string) (*stream, error) {
	ctx, cancel := context.WithCancel(ctx)
	s := &stream{client: c, cancel: cancel, silent: time.AfterFunc(streamSilence, cancel)}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url(path), http.NoBody)
	if err != nil {
		s.close()
		return nil, err
	}
	s.Response, err = c.http.Do(req) //nolint:bodyclose // close does
	if err != nil {
		s.close()
		return nil, c.offline(err)
	}
	if s.StatusCode == http.StatusOK {
		return s, nil
	}
	body, err := io.ReadAll(io.LimitReader(s.Body, maxAnswerBytes))
	s.close()
	if err != nil {
		return nil, c.offline(err)
	}
	return nil, c.refused(&reply{s.StatusCode, s.Header, body})
}

// Read implements [io.Reader].
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.Body.Read(p)
	if n > 0 {
		s.silent.Reset(streamSilence)
	}
	return n, err
}

func (s *stream) close() {
	s.silent.Stop()
	s.cancel()
	if s.Response != nil {
		_ = s.Body.Close() // nothing was written to it
	}
}
