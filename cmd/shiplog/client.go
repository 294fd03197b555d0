package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"shiplog/events"
	"shiplog/events/redact"
)

// The bounds of a request.
const (
	dialTimeout    = 5 * time.Second
	readTimeout    = 30 * time.Second  // of a question
	writeTimeout   = 120 * time.Second // of a batch: 8 MiB up a slow line
	maxAnswerBytes = 64 << 20
)

// A client talks to one listener of a server.
type client struct {
	base  *url.URL
	flag  string // that names it
	token string
	http  *http.Client
}

// client is a client of the public listener.
func (f serverFlags) client() (*client, error) {
	return newClient(f.To, "--to")
}

// client is a client of the operator's listener.
func (f opsFlags) client() (*client, error) {
	return newClient(f.OpsURL, "--ops-url")
}

// client is a client that may write.
func (f writeFlags) client() (*client, error) {
	c, err := f.serverFlags.client()
	if err != nil || f.TokenFile == "" {
		return c, err
	}
	token, err := os.ReadFile(f.TokenFile)
	if err != nil {
		return nil, fmt.Errorf("--token-file %s: %s", f.TokenFile, reason(err))
	}
	c.token = strings.TrimSpace(string(token))
	if c.token == "" || strings.ContainsFunc(c.token, notInToken) {
		return nil, fmt.Errorf("--token-file %s holds no token; write the server's write token into it, on one line", f.TokenFile)
	}
	return c, nil
}

func notInToken(r rune) bool { return r <= ' ' || r > '~' }

func newClient(address, flag string) (*client, error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(strings.TrimRight(address, "/"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%s %q is no address of a server; write one such as http://127.0.0.1:8080", flag, redact.URL(address))
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = (&net.Dialer{Timeout: dialTimeout}).DialContext
	return &client{base: u, flag: flag, http: &http.Client{
		Transport: transport,
		// A redirected POST would become a GET: say where it goes instead.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// name is the server's address for people.
func (c *client) name() string { return redact.URL(c.base.String()) }

// url is the address of a path on the server.
func (c *client) url(path string) string { return c.base.String() + path }

// A reply is what a server answered, read to its end.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// call sends a request within a time. It fails with an [offline] where there is
// no answer, whatever the answer is.
func (c *client) call(ctx context.Context, timeout time.Duration, method, path, contentType string, body []byte) (*reply, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, c.url(path), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, c.offline(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswerBytes))
	if err != nil {
		return nil, c.offline(err)
	}
	return &reply{res.StatusCode, res.Header, answer}, nil
}

// get reads JSON.
func (c *client) get(ctx context.Context, path string, into any) (*reply, error) {
	r, err := c.call(ctx, readTimeout, http.MethodGet, path, "", nil)
	if err != nil {
		return nil, err
	}
	if r.status != http.StatusOK {
		return r, c.refused(r)
	}
	if err := json.Unmarshal(r.body, into); err != nil {
		return r, c.strange(r)
	}
	return r, nil
}

// offline is the error of a request that got no answer.
type offline struct {
	text string
	err  error
}

func (o *offline) Error() string { return o.text }
func (o *offline) Unwrap() error { return o.err }

func (c *client) offline(err error) error {
	var timeout net.Error
	text := ""
	switch {
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.Is(err, syscall.ECONNREFUSED):
		text = fmt.Sprintf("no server answers at %s; start one with `shiplog serve`, or name another with %s", c.name(), c.flag)
	case errors.As(err, &timeout) && timeout.Timeout():
		text = fmt.Sprintf("the server at %s does not answer in time; look at it, or name another with %s", c.name(), c.flag)
	default:
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err
		}
		text = fmt.Sprintf("cannot reach %s: %s; name another server with %s", c.name(), oneLine(cause(err).Error()), c.flag)
	}
	return &offline{text, err}
}

// refusal is the error of a request that was answered with another status than
// was hoped for.
type refusal struct {
	status     int
	text       string
	problems   events.Problems
	retryAfter time.Duration
	problem    bool // it is a Shiplog that refuses
}

func (r *refusal) Error() string { return r.text }

// later reports whether the same request may well be answered later.
func (r *refusal) later() bool {
	switch r.status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// passing reports whether the answer of a server that starts can be this: one
// that has no events to show yet has no page of them either.
func (r *refusal) passing() bool {
	return r.later() || r.problem && r.status == http.StatusNotFound
}

// refused reads why a request was refused: problem details (RFC 9457), if it is
// a Shiplog that answers.
func (c *client) refused(r *reply) error {
	var problem struct {
		Detail   string          `json:"detail"`
		Problems events.Problems `json:"problems"`
	}
	status := fmt.Sprintf("%d %s", r.status, http.StatusText(r.status))
	if location := r.header.Get("Location"); r.status/100 == 3 && location != "" {
		return &refusal{status: r.status, text: fmt.Sprintf("%s sends us on to %s; name that server with %s", c.name(), oneLine(location), c.flag)}
	}
	known := json.Unmarshal(r.body, &problem) == nil && problem.Detail != ""
	if !known && r.status == http.StatusRequestEntityTooLarge {
		return &refusal{status: r.status, text: fmt.Sprintf("what stands before %s takes no large requests; let it take 8 MiB", c.name())}
	}
	if !known {
		return &refusal{status: r.status, text: fmt.Sprintf("%s answers %s; is that a Shiplog server? Name another with %s", c.name(), status, c.flag)}
	}
	seconds, _ := strconv.Atoi(r.header.Get("Retry-After"))
	return &refusal{
		status: r.status, text: fmt.Sprintf("the server answers %s: %s", status, oneLine(problem.Detail)),
		problems: problem.Problems, retryAfter: time.Duration(seconds) * time.Second, problem: true,
	}
}

// strange is the error of an answer that is not what it should be.
func (c *client) strange(r *reply) error {
	return fmt.Errorf("%s answers %d with something else than Shiplog would; name another server with %s", c.name(), r.status, c.flag)
}
