package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/dustin/go-humanize"
	"golang.org/x/net/idna"

	"shiplog/events"
	"shiplog/feeds"
	"shiplog/ops"
)

// ServeCmd runs a node.
type ServeCmd struct {
	Data    string `default:"./shiplog-data" placeholder:"DIR" help:"Directory of everything this node keeps. All but the folder \"nats\" in it can be made again."`
	HTTP    string `name:"http" default:"127.0.0.1:8080" placeholder:"ADDR" help:"Address of pages, API and feeds."`
	Ops     string `default:"127.0.0.1:9464" placeholder:"ADDR" help:"Address of metrics, health and administration. Keep it private."`
	BaseURL string `placeholder:"URL" help:"Public address, in every link and feed. Default: http://localhost and the port of --http."`
	Title   string `placeholder:"TEXT" help:"Name of the site and its feeds. Default: what the ledger was opened with, or Shiplog."`

	WebsubHub HubURL `name:"websub-hub" placeholder:"URL" help:"WebSub hub that the feeds announce and that is told of each one that changes. Default: none."`

	Authority string `placeholder:"NAME" help:"Domain name in every feed id, fixed when the ledger is opened. Default: the host of --base-url if it is a public name, else one made from the ledger's UUID."`
	Intake    string `enum:"on,off" default:"on" help:"Whether this node decides submissions (${enum}). One that does not hands them to one that does."`
	Demo      bool   `help:"Fill an empty ledger with an invented panel. A ledger that holds events is never touched."`

	NATSListen string `name:"nats-listen" default:"127.0.0.1:4222" placeholder:"ADDR" help:"Address of the embedded NATS server; \"off\" for none."`
	NATS       string `name:"nats" placeholder:"URL" help:"Use this NATS instead of the embedded server. Its streams should be R3 and sync-always."`
	Replicas   *int   `placeholder:"N" help:"Copies of each stream a new ledger has, with --nats. Default: 3."`
	NATSCreds  string `name:"nats-creds" type:"existingfile" placeholder:"FILE" help:"Credentials for --nats."`
	NATSTLSCA  string `name:"nats-tls-ca" type:"existingfile" placeholder:"FILE" help:"Certificate authority for --nats."`

	MaxBytes       Bytes  `default:"10GiB" placeholder:"SIZE" help:"Size at which the ledger takes no more (${default})."`
	MinFree        Bytes  `placeholder:"SIZE" help:"Free disk below which nothing is recorded. Default: 5 % of the disk, at most 1 GiB."`
	WriteTokenFile string `type:"existingfile" placeholder:"FILE" help:"File with the token that lets a request write from anywhere, as Authorization: Bearer."`

	OTLPEndpoint string `name:"otlp-endpoint" placeholder:"URL" help:"Send traces to this OpenTelemetry collector over HTTP, such as http://localhost:4318. Default: $OTEL_EXPORTER_OTLP_ENDPOINT if that is set, else no traces."`

	FlightRecorder time.Duration `default:"0s" placeholder:"TIME" help:"Hold an execution trace of so much of the past, for GET /debug/flight of the ops listener. Default: off."`
	MutexProfile   int           `default:"0" placeholder:"N" help:"Profile one of N events of contention for a lock, for /debug/pprof/mutex. Default: none."`
	BlockProfile   time.Duration `default:"0s" placeholder:"TIME" help:"Profile one blocking event for each TIME spent blocked, for /debug/pprof/block. Default: none."`

	DrainDelay time.Duration `default:"0s" placeholder:"TIME" help:"When told to end, go on serving for so long, and be unready: for a proxy that asks /readyz before it sends readers here. Default: end at once."`

	Bare bool `kong:"-"` // measures nothing: what bench compares with

	LogFormat string `enum:"auto,text,json" default:"auto" help:"Form of the log (${enum})."`
	LogLevel  string `enum:"debug,info,warn,error" default:"info" help:"What is logged (${enum}). PUT /admin/v1/log-level changes it while the node runs."`
}

// Bytes is a size such as 10GiB.
type Bytes int64

// UnmarshalText reads a size.
func (b *Bytes) UnmarshalText(text []byte) error {
	n, err := humanize.ParseBytes(string(text))
	if err != nil || n > 1<<62 {
		return fmt.Errorf("%q is no size; write one such as 512MiB or 10GiB", text)
	}
	*b = Bytes(n)
	return nil
}

// HubURL is the address of a WebSub hub.
type HubURL string

// UnmarshalText checks the address.
func (h *HubURL) UnmarshalText(text []byte) error {
	if err := feeds.CheckHub(string(text)); err != nil {
		return fmt.Errorf("%w; write one such as https://hub.example.org/", err)
	}
	*h = HubURL(text)
	return nil
}

// checkNumbers refuses what would be ignored, or taken for something else.
func (c *ServeCmd) checkNumbers() error {
	switch {
	case c.NATS == "" && c.Replicas != nil && *c.Replicas != 1:
		return fmt.Errorf("--replicas %d is for a NATS cluster: the embedded server keeps one copy; name the cluster with --nats, or leave --replicas out", *c.Replicas)
	case c.NATS != "" && !copies(c.replicas()):
		return fmt.Errorf(wrongCopies, *c.Replicas)
	case c.FlightRecorder < 0 || c.FlightRecorder > ops.MaxFlight:
		return fmt.Errorf("--flight-recorder must be from 0s, which is off, to %s; got %s", ops.MaxFlight, c.FlightRecorder)
	case c.DrainDelay < 0 || c.DrainDelay > mostDrain:
		return fmt.Errorf("--drain-delay must be from 0s to %s, since a node that is told to end is killed soon after; got %s", mostDrain, c.DrainDelay)
	case c.MutexProfile < 0:
		return fmt.Errorf("--mutex-profile must be 0, which is off, or more; got %d", c.MutexProfile)
	case c.BlockProfile < 0:
		return fmt.Errorf("--block-profile must be 0s, which is off, or more; got %s", c.BlockProfile)
	}
	return nil
}

// mostDrain leaves a shutdown time enough, see [stopTimeout].
const mostDrain = 10 * time.Second

// wrongCopies says that a number is none of copies of a stream.
const wrongCopies = "--replicas must be from 1 to 5, which is what NATS keeps; got %d"

// copies reports a number of copies that a stream of NATS can have.
func copies(n int) bool { return 1 <= n && n <= 5 }

// replicas is how many copies a new ledger in a NATS of the operator's own has.
func (c *ServeCmd) replicas() int {
	if c.Replicas == nil {
		return 3
	}
	return *c.Replicas
}

// Run serves until the context ends.
func (c *ServeCmd) Run(ctx context.Context, std *stdio, build ops.Build) error {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		return err
	}
	app := NewApp(*c, build, ops.NewLog(os.Stderr, c.LogFormat, level))
	for _, variable := range std.strange {
		variable.log(app.log.Logger)
	}
	defer thrift()()
	if err := app.Start(ctx); err != nil {
		stopped := app.Stop()
		switch {
		case ctx.Err() != nil: // it was told to end while it began
			return logged(stopped)
		case c.LogFormat == "json":
			app.log.Error("the node does not start", slog.Any("error", err))
			return logged(err)
		}
		return err
	}
	<-ctx.Done()
	return logged(app.Stop())
}

// logged is the exit code of an error that is in the log: it is not told again in
// another form.
func logged(err error) error {
	if err == nil {
		return nil
	}
	return &answer{code: exitBad}
}

// baseURL is the public address as readers ask for it: in ASCII, with the host in
// small letters, without a slash at its end.
func (c *ServeCmd) baseURL(listening net.Addr) (string, error) {
	if c.BaseURL == "" {
		_, port, err := net.SplitHostPort(listening.String())
		return "http://localhost:" + port, err
	}
	u, err := url.Parse(c.BaseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || !events.HasPort(u) {
		return "", fmt.Errorf("--base-url %q is no absolute http or https address; write one such as https://reviews.example.org", c.BaseURL)
	}
	host, err := asciiHost(u)
	if err != nil {
		return "", fmt.Errorf("--base-url %q has a host that no domain can have (%w); write one such as https://reviews.example.org", c.BaseURL, err)
	}
	if u.Path != "" && u.Path != "/" {
		return "", fmt.Errorf("--base-url %q has a path; pages live at the root of a host, write one such as %s://%s", c.BaseURL, u.Scheme, host)
	}
	return u.Scheme + "://" + host, nil
}

// asciiHost is the host of a URL with its port, where that is not the scheme's own
// anyway, which readers leave out of what they compare. A name in another script is
// written as the domain name system has it (RFC 5890), since what feeds hold are
// URIs.
func asciiHost(u *url.URL) (string, error) {
	host := strings.ToLower(u.Host)
	if u.Port() == map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		host = strings.TrimSuffix(host, ":"+u.Port())
	}
	if strings.IndexFunc(host, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return host, nil
	}
	name, port, found := strings.Cut(host, ":")
	name, err := idna.Lookup.ToASCII(name)
	if found {
		name += ":" + port
	}
	return name, err
}

// authority is a domain name, as a tag URI begins with (RFC 4151, section 2.1).
var authority = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`)

func isAuthority(s string) bool { return len(s) <= 253 && authority.MatchString(s) }

// publicName is the host of a URL if it is a name that can be owned.
func publicName(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if net.ParseIP(host) != nil || !strings.Contains(host, ".") || !isAuthority(host) {
		return ""
	}
	for _, private := range []string{".localhost", ".local", ".internal", ".lan", ".home.arpa", ".test", ".invalid"} {
		if strings.HasSuffix(host, private) {
			return ""
		}
	}
	return host
}
