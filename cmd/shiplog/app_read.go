package main

import (
	"context"
	"net/http"
	"time"

	"shiplog/events/intake"
	"shiplog/feeds"
	"shiplog/ops"
	"shiplog/projections"
	"shiplog/projections/api"
	"shiplog/projections/kept"
	"shiplog/projections/pages"
	"shiplog/projections/readhttp"
	"shiplog/projections/web"
)

// openModel opens the read model, unless it is open.
func (a *App) openModel() (err error) {
	if a.model != nil {
		return nil
	}
	if a.model, err = projections.Open(a.path("panel"), projections.Options{}); err != nil {
		return err
	}
	a.life.push("read model", func(context.Context) error { return a.model.Close() })
	a.model.Register(a.reg)
	return nil
}

// startProjections feeds the read model from the ledger.
func (a *App) startProjections(context.Context) error {
	if err := a.openModel(); err != nil {
		return err
	}
	if !a.cmd.Bare {
		a.measures = projections.NewMetrics(a.reg)
	}
	a.runner = projections.NewRunner(a.model, projections.RunnerOptions{
		Follow: a.follow, Decode: a.memo.Decode, Head: a.headOfAll, Get: a.ledger.Get, Skips: a.ledger.Skips,
		Room:    func() error { return a.roomFor("panel") },
		Metrics: a.measures, CountsLedger: true, Log: a.log.Logger, Tracer: a.spans,
	})
	a.life.spawn("projection", a.runner.Run)
	return nil
}

// follow hands on what the ledger has, while it is as it must be.
func (a *App) follow(ctx context.Context, from uint64, fn func(batch []projections.Entry) error) error {
	return a.ledger.Follow(ctx, from, func(batch []projections.Entry) error {
		if err := a.sound(); err != nil {
			return err
		}
		return fn(batch)
	})
}

// headOfAll is the last event of the ledger, unless who tells it may not know it: a
// NATS server that led and was cut off is behind what is in the read model already,
// which would else be called a ledger that has lost its end, or level with it,
// which would be called no lag.
func (a *App) headOfAll(ctx context.Context) (uint64, error) {
	if err := a.watch.Alone(); err != nil {
		return 0, err
	}
	return a.ledger.HeadBehind(ctx, a.position())
}

// late is how long after it was recorded an event may be known here.
const late = time.Second

// applied is a time before which all that was recorded is in the read model. It is the
// time of the last event that is, or nearly now where the ledger is known to have no more.
func (a *App) applied() time.Time {
	if a.starting() != nil {
		return time.Time{}
	}
	now, s := time.Now(), a.runner.Status()
	if s.State != projections.StateLive || a.lagOf(s.Position) > 0 || a.watch.Err() != nil || a.watch.Alone() != nil {
		return s.Recorded
	}
	return now.Add(-late)
}

// position is how far the read model has come.
func (a *App) position() uint64 {
	seq, _ := a.model.Position()
	return seq
}

// publicHandler is everything on the public listener.
func (a *App) publicHandler() (http.Handler, error) {
	site := pages.Site{Title: a.titleOf(a.known.Title), Description: a.known.Description, BaseURL: a.baseURL}
	markdown := kept.Texts(pages.NewMarkdown().Render, kept.TextsLimit)
	drawn, err := pages.New(site)
	if err != nil {
		return nil, err
	}
	gate := readhttp.New(readhttp.Options{
		Model: a.model, Position: a.position, Head: a.ledgerHead, WaitFor: a.waitFor,
		Registerer: a.reg,
	})
	mux := http.NewServeMux()
	browsing, err := web.New(web.Options{Model: a.model, Pages: drawn, Gate: gate, Event: a.storedEvent, Markdown: markdown, Log: a.log.Logger})
	if err != nil {
		return nil, err
	}
	browsing.Register(mux)
	syndication, err := feeds.New(feeds.Options{
		Model: a.model, Site: site, Markdown: markdown, Registry: a.reg, Log: a.log.Logger, Gate: gate,
		Icon: "/favicon.ico", Hub: string(a.cmd.WebsubHub), Tracer: a.spans,
		Applied: a.applied, Version: a.build.Version, Look: a.path("feeds.json"), Unmeasured: a.cmd.Bare,
	})
	if err != nil {
		return nil, err
	}
	syndication.Register(mux)
	if !a.cmd.Bare {
		a.life.spawn("feeds", syndication.Run)
	}
	write := intake.NewHTTP(writer{a}, intake.HTTPOptions{Token: a.token})
	if _, err := api.New(mux, api.Options{Gate: gate, Events: a.storedEvents, Write: write, BaseURL: a.baseURL, Title: site.Title, Log: a.log.Logger}); err != nil {
		return nil, err
	}
	if a.cmd.Bare {
		return ops.Recover(a.log.Logger, syndication.Front(mux)), nil
	}
	counted := ops.NewHTTPMetrics(a.reg, ops.HTTPOptions{Routes: append(browsing.Routes(), otherRoutes...), Tracer: a.spans, Log: a.log})
	return counted.Wrap(ops.Recover(a.log.Logger, syndication.Front(mux))), nil
}

// startHerald tells a hub of changed feeds, where there is one.
func (a *App) startHerald(context.Context) error {
	if a.cmd.WebsubHub == "" {
		return nil
	}
	herald, err := feeds.NewHerald(feeds.HeraldOptions{
		Hub: string(a.cmd.WebsubHub), BaseURL: a.baseURL, Model: a.model, WaitLive: a.runner.WaitLive, WaitFor: a.runner.WaitFor,
		Bookmark: a.path("hub.json"), Registry: a.reg, Log: a.log.Logger,
	})
	if err != nil {
		return err
	}
	a.life.spawn("hub", herald.Run)
	return nil
}

// otherRoutes are the patterns of the API and the feeds, for metrics.
var otherRoutes = []string{
	"/feeds/{file}", "/feeds/tools/{file}", "/feeds/reviewers/{file}", "/feeds/categories/{file}", "/feeds.opml",
	"/feeds/{name}/archive/{file}", "/feeds/tools/{name}/archive/{file}", "/feeds/reviewers/{name}/archive/{file}", "/feeds/categories/{name}/archive/{file}",
	"/api/v1/events", "/api/v1/tools", "/api/v1/tools/{tool}", "/api/v1/matchups", "/api/v1/matchups/{left}/{right}",
	"/api/v1/reviewers", "/api/v1/reviewers/{reviewer}", "/api/openapi.json", "/api/asyncapi.yaml", "/api/schema", "/api/schema/{type}", "/api/",
}

// decided is the decision state as the metrics of projections see it. It is
// written with each commit, so it is behind only while it catches up.
type decided struct{ app *App }

func (d decided) Status() projections.Status {
	s := projections.Status{Name: "decisions", State: projections.StateLive, Position: d.app.intake.Position(), Heartbeat: time.Now()}
	if s.Err = told(d.app.intake.Err()); s.Err != nil {
		s.State = projections.StateStopped
	}
	return s
}

func (d decided) Lag(ctx context.Context) (uint64, time.Duration) {
	behind := d.app.lagOf(d.app.intake.Position())
	switch watch := d.app.watch; {
	case watch.Err() != nil, watch.Alone() != nil, watch.Info().Last == 0: // nobody knows the head
		return behind, projections.FullyBehind
	case behind == 0:
		return 0, 0
	}
	_, age := d.app.runner.Lag(ctx)
	return behind, age
}
