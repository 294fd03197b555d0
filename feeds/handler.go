package feeds

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"shiplog/events"
	"shiplog/events/tracing"
	"shiplog/projections"
	"shiplog/projections/kept"
	"shiplog/projections/pages"
	"shiplog/projections/readhttp"
)

// Defaults of [Options].
const (
	DefaultCacheBytes = 64 << 20
	DefaultMaxAge     = 5 * time.Minute
)

// archiveShare is which part of the cache is for archives.
const archiveShare = 8

// Options are what a [Handler] is made of.
type Options struct {
	// Model is where items come from.
	Model *projections.Model
	// Gate waits for the event a request names in Shiplog-Min-Seq; nil leaves
	// the header aside.
	Gate *readhttp.Gate
	// Site has the title and the public address, the same the pages have.
	Site pages.Site
	// Markdown renders reviews; nil makes a renderer. See [kept.Texts].
	Markdown func(source string) (template.HTML, error)
	// CacheBytes bounds the memory for rendered feeds.
	CacheBytes int64
	// MaxAge is how long clients may keep a feed without asking.
	MaxAge time.Duration
	// Now tells when feeds came to look otherwise, what a client may have built, and how
	// long ago a service announced its subscribers. It reaches no body.
	Now func() time.Time
	// Applied is a time before which all that was recorded is in the read model, which
	// is how far Last-Modified may be told; nil means Now.
	Applied func() time.Time
	// Hub is the WebSub hub that feeds announce; empty announces none.
	Hub string
	// Icon is the path of the site's icon below its address; empty names none.
	Icon string
	// Version is that of the program: another may write feeds in another way.
	Version string
	// Look is the file that keeps since when title, address, hub, icon and version are
	// these, so that a date from before is no word that a copy is still good: where it is
	// not there, since now. Empty keeps nothing, and takes them for what they always were.
	Look string
	// Tracer makes a span of each build, also in the traces of the events that it
	// shows first; nil makes none.
	Tracer *tracing.Tracer
	// Registry takes the metrics; nil leaves them out.
	Registry prometheus.Registerer
	// Unmeasured keeps no metrics at all, to find out what they cost.
	Unmeasured bool
	// Log takes faults; nil discards them.
	Log *slog.Logger
}

// Handler serves the feeds. It is safe for use by many goroutines.
type Handler struct {
	options Options
	base    *url.URL
	cache   *kept.Cache[Key, *entry]
	metrics *metrics

	archives   *kept.Cache[Key, *entry]
	validators *kept.Cache[string, *validator] // by path
	positions  kept.Positions
	limits     *limits
	readers    *readers
	looks      time.Time                   // since which second, see [look.since]
	newest     atomic.Pointer[newestTimes] // nil before Run

	cacheControl, lasting, vary, nosniff, allow []string
}

// New returns a handler of feeds.
func New(o Options) (*Handler, error) {
	base, err := url.Parse(o.Site.BaseURL)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, fmt.Errorf("base URL %q: want an absolute http or https address", o.Site.BaseURL)
	}
	o.Site.BaseURL = strings.TrimSuffix(o.Site.BaseURL, "/")
	if o.Hub != "" {
		if err := CheckHub(o.Hub); err != nil {
			return nil, fmt.Errorf("hub %w", err)
		}
	}
	if o.Site.Title == "" {
		o.Site.Title = generator
	}
	if o.Markdown == nil {
		o.Markdown = kept.Texts(pages.NewMarkdown().Render, kept.TextsLimit)
	}
	if o.CacheBytes <= 0 {
		o.CacheBytes = DefaultCacheBytes
	}
	if o.MaxAge <= 0 {
		o.MaxAge = DefaultMaxAge
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Applied == nil {
		o.Applied = o.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	h := &Handler{
		options:      o,
		base:         base,
		cache:        kept.NewCache[Key, *entry](o.CacheBytes - o.CacheBytes/archiveShare - o.CacheBytes/validatorShare),
		archives:     kept.NewCache[Key, *entry](o.CacheBytes / archiveShare),
		validators:   kept.NewCache[string, *validator](o.CacheBytes / validatorShare),
		limits:       newLimits(o.Now),
		readers:      newReaders(o.Now),
		lasting:      kept.One("public, max-age=2592000, immutable"),
		cacheControl: kept.One("public, max-age=" + strconv.Itoa(int(o.MaxAge.Seconds()))),
		vary:         kept.One("Accept-Encoding"),
		nosniff:      kept.One("nosniff"),
		allow:        kept.One("GET, HEAD"),
	}
	h.looks = o.lookedSince()
	if h.metrics, err = newMetrics(o.Registry); err != nil {
		return nil, fmt.Errorf("register feed metrics: %w", err)
	}
	if o.Registry != nil {
		if err := errors.Join(o.Registry.Register(newestItems{h}), o.Registry.Register(announcedSubscribers{h.readers})); err != nil {
			return nil, fmt.Errorf("register feed metrics: %w", err)
		}
	}
	return h, nil
}

// lookedSince is since when feeds look as these options have them.
func (o *Options) lookedSince() time.Time {
	l := look{Title: o.Site.Title, BaseURL: o.Site.BaseURL, Hub: o.Hub, Icon: o.Icon, Version: o.Version}
	since, err := l.since(o.Look, o.Now())
	if err != nil {
		o.Log.LogAttrs(context.Background(), slog.LevelWarn, "since when feeds look as they do is not known", slog.Any("error", err))
	}
	return since.Truncate(time.Second)
}

// Register adds the routes of all feeds.
func (h *Handler) Register(mux *http.ServeMux) {
	for _, kind := range []Kind{"", Tool, Reviewer, Category} {
		mux.Handle(kind.folder()+"{file}", h.feed(kind))
	}
	mux.Handle("/feeds/{name}/archive/{file}", h.archive(""))
	mux.Handle("/feeds/tools/{name}/archive/{file}", h.archive(Tool))
	mux.Handle("/feeds/reviewers/{name}/archive/{file}", h.archive(Reviewer))
	mux.Handle("/feeds/categories/{name}/archive/{file}", h.archive(Category))
	mux.HandleFunc(listPath, func(w http.ResponseWriter, r *http.Request) {
		h.serve(w, r, Key{Kind: opml}, opml)
	})
}

// feed serves the feeds of a kind; those of everything have an empty one. The
// patterns of a mux cannot tell a name from its extension. A key is kept, so what
// it is made of is a copy: what the mux gives is a part of the request's first line.
func (h *Handler) feed(kind Kind) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name, extension := cutExtension(strings.Clone(r.PathValue("file")))
		format := Format(extension)
		if kind == Category && format == opml && name != "" {
			h.serve(w, r, Key{Kind: opml, Slug: name}, opml)
			return
		}
		key := Key{Kind: kind, Slug: name}
		if kind == "" {
			key = Key{Kind: Kind(name)}
		}
		if !format.Known() || kind == "" && !wide(key.Kind) {
			h.refuse(w, r, http.StatusNotFound, "There is no such feed. All feeds are listed at "+h.options.Site.BaseURL+"/feeds.")
			return
		}
		h.serve(w, r, key, format)
	}
}

// archive serves the archives of the feeds of a kind.
func (h *Handler) archive(kind Kind) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		number, extension := cutExtension(strings.Clone(r.PathValue("file")))
		n, err := strconv.Atoi(number)
		key := Key{Kind: kind, Slug: strings.Clone(r.PathValue("name")), Archive: n}
		if kind == "" {
			key.Kind, key.Slug = Kind(key.Slug), ""
		}
		format := Format(extension)
		if err != nil || n < 1 || n > math.MaxInt32 || strconv.Itoa(n) != number || !format.Known() || kind == "" && !wide(key.Kind) {
			h.refuse(w, r, http.StatusNotFound, "There is no such archive. Each feed links to the newest document of its own.")
			return
		}
		h.serve(w, r, key, format)
	}
}

func cutExtension(file string) (name, extension string) {
	if i := strings.LastIndexByte(file, '.'); i >= 0 {
		return file[:i], file[i+1:]
	}
	return file, ""
}

// wide reports a feed of everything.
func wide(kind Kind) bool { return kind == Matchups || kind == Verdicts || kind == Reviews }

// serve answers one request and counts it.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, key Key, format Format) {
	h.count(r, h.metrics.of(key.Kind, format), key, format, h.answer(w, r, key, format))
}

// count counts an answer among those of its kind of feed and of who asked.
func (h *Handler) count(r *http.Request, kind *classes, key Key, format Format, status int) {
	if h.options.Unmeasured {
		return
	}
	kind.count(status)
	who := h.readers.of(r.UserAgent())
	h.metrics.readers[who.family].count(status)
	if status == http.StatusNotModified {
		h.metrics.notModified[who.family].Inc()
	}
	if key.Archive == 0 && (status == http.StatusOK || status == http.StatusNotModified) {
		h.readers.note(who, key, format)
	}
}

func (h *Handler) answer(w http.ResponseWriter, r *http.Request, key Key, format Format) int {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header()["Allow"] = h.allow
		return h.refuse(w, r, http.StatusMethodNotAllowed, "Feeds are read with GET or HEAD.")
	}
	if h.options.Gate != nil {
		if refusal := h.options.Gate.Admit(r); refusal != nil {
			refusal.SetHeader(w.Header())
			return h.refuse(w, r, refusal.Status, refusal.Sentence())
		}
	}
	d, asOf, err := h.find(r.Context(), clientOf(r.RemoteAddr), key, format)
	if err != nil {
		return h.explain(w, r, key, format, err)
	}
	return h.send(w, r, key, d, asOf)
}

// send answers with a document, or with the word that the client has it. Range
// and A-IM are left aside on purpose: the whole feed is a right answer to both.
func (h *Handler) send(w http.ResponseWriter, r *http.Request, key Key, d *document, asOf *kept.Position) int {
	header, a := w.Header(), h.about(r, &d.told, asOf)
	a.set(header, h)
	if key.Archive > 0 {
		header["Cache-Control"] = h.lasting
	}
	if a.fresh {
		w.WriteHeader(http.StatusNotModified)
		return http.StatusNotModified
	}
	header["Content-Type"] = d.contentType
	header["X-Content-Type-Options"] = h.nosniff
	d.Send(w, r, true)
	return http.StatusOK
}

// explain answers a request for a feed that cannot be had.
func (h *Handler) explain(w http.ResponseWriter, r *http.Request, key Key, format Format, err error) int {
	if moved, ok := errors.AsType[movedError](err); ok {
		return h.move(w, r, Key{Kind: Tool, Slug: moved.to, Archive: key.Archive}, format)
	}
	switch {
	case r.Context().Err() != nil:
		gone := readhttp.GivenUp()
		return h.refuse(w, r, gone.Status, gone.Sentence())
	case errors.Is(err, errTooMany):
		seconds := max(1, int(h.limits.wait(clientOf(r.RemoteAddr), price(key)).Seconds()))
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
		return h.refuse(w, r, http.StatusTooManyRequests, "Too many feeds had to be made for you at once. Ask again in "+plural(seconds, "second", "seconds")+".")
	case errors.Is(err, errUnfinished):
		w.Header().Set("Location", h.pathOf(Key{Kind: key.Kind, Slug: key.Slug}, format))
		return h.refuse(w, r, http.StatusTemporaryRedirect, "This part of the archive is not full yet. The feed itself leads to what there is of it.")
	case errors.Is(err, projections.ErrNotFound) && hasCapitals(key.Slug):
		key.Slug = strings.ToLower(key.Slug)
		if key.Kind == opml {
			key.Kind = Category
		}
		return h.move(w, r, key, format)
	case errors.Is(err, projections.ErrNotFound) && key.Archive > 0:
		return h.refuse(w, r, http.StatusNotFound, "This feed has no such archive. It links to the newest document of its own.")
	case errors.Is(err, projections.ErrNotFound):
		if key.Kind == opml {
			key.Kind = Category
		}
		return h.refuse(w, r, http.StatusNotFound, "There is no "+string(key.Kind)+" "+strconv.Quote(key.Slug)+", so it has no feed. All feeds are listed at "+h.options.Site.BaseURL+"/feeds.")
	case errors.Is(err, projections.ErrBeforeLedger):
		w.Header().Set("Retry-After", "1")
		return h.refuse(w, r, http.StatusServiceUnavailable, "The ledger is being read. Try again in a moment.")
	}
	h.options.Log.LogAttrs(context.WithoutCancel(r.Context()), slog.LevelError, "feed not rendered",
		slog.String("kind", string(key.Kind)), slog.String("slug", key.Slug), slog.Any("error", err))
	return h.refuse(w, r, http.StatusInternalServerError, "The feed could not be made. The operator's log says why.")
}

// move leads to the feed under the name it has.
func (h *Handler) move(w http.ResponseWriter, r *http.Request, to Key, format Format) int {
	w.Header().Set("Location", h.pathOf(to, format))
	return h.refuse(w, r, http.StatusMovedPermanently, "This feed goes by another name: "+to.Slug+".")
}

// hasCapitals reports a name that is a slug but for capital letters, which people
// make of names.
func hasCapitals(slug string) bool {
	return !events.IsSlug(slug) && events.IsSlug(strings.ToLower(slug))
}

// pathOf is the path of a feed, or of a document of its archive, from the root
// of the server that is asked.
func (h *Handler) pathOf(key Key, format Format) string {
	return strings.TrimSuffix(h.base.EscapedPath(), "/") + key.address() + "." + string(format)
}

// refuse answers in plain text. A redirect may be kept as long as a feed, no
// longer: a merge can be taken back.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, status int, text string) int {
	header := w.Header()
	header.Set("Content-Type", "text/plain; charset=utf-8")
	header["X-Content-Type-Options"] = h.nosniff
	header.Set("Cache-Control", "no-store")
	if status == http.StatusMovedPermanently {
		header["Cache-Control"] = h.cacheControl
	}
	header[readhttp.SeqHeader] = kept.One(strconv.FormatUint(kept.Now(h.options.Model).Seq, 10))
	header.Set("Content-Length", strconv.Itoa(len(text)+1))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write([]byte(text + "\n"))
	}
	return status
}
