//go:build clients

package clients_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"shiplog/cmd/shiplog/process"
)

// publicHost is where the node under test says it is found. The browser must
// never go there: what it loads comes from the address it asked.
const publicHost = "http://reviews.example"

// startDemo runs a node with the example panel, all of it on the pages.
func startDemo(t *testing.T) *process.Node {
	t.Helper()
	n := start(t, t.TempDir(), "--demo", "--base-url", publicHost)
	settle(t, n)
	return n
}

// A tab is a page of a real browser and what went wrong in it.
type tab struct {
	ctx context.Context

	mu     sync.Mutex
	faults []string
}

// openBrowser starts Chromium with one tab, until the test ends.
func openBrowser(t *testing.T) *tab {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
	)
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &tab{ctx: ctx}
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		t.Fatalf("start a browser: %v; `make deps` installs chromium", err)
	}
	return b
}

// hear collects what a person would see in the browser's console.
func (b *tab) hear(event any) {
	fault := ""
	switch e := event.(type) {
	case *log.EventEntryAdded: // refusals of the content security policy come here
		fault = fmt.Sprintf("%s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL)
	case *runtime.EventExceptionThrown:
		fault = "exception: " + e.ExceptionDetails.Text
	case *runtime.EventConsoleAPICalled:
		fault = fmt.Sprintf("console.%s", e.Type)
	case *network.EventLoadingFailed:
		fault = "not loaded: " + e.ErrorText
	case *network.EventRequestWillBeSent:
		if strings.HasPrefix(e.Request.URL, publicHost) {
			fault = "leaves the address it was asked at: " + e.Request.URL
		}
	}
	if fault != "" {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.faults = append(b.faults, fault)
	}
}

// heard returns the faults since it was last asked.
func (b *tab) heard() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	faults := b.faults
	b.faults = nil
	return faults
}

// visit loads a page and returns its status.
func (b *tab) visit(t *testing.T, url string) int64 {
	t.Helper()
	response, err := chromedp.Run(b.ctx, chromedp.NavigateResponse(url))
	if err != nil {
		t.Fatalf("visit %s: %v", url, err)
	}
	return response.Status
}

func (b *tab) do(t *testing.T, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// see makes the window a number of pixels wide.
func (b *tab) see(t *testing.T, width int64) {
	t.Helper()
	b.do(t, chromedp.EmulateViewport(width, 900))
}

// media chooses the medium, screen or print, and the colour scheme.
func (b *tab) media(t *testing.T, medium, scheme string) {
	t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media:    medium,
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// ask evaluates an expression in a tab.
func ask[T any](t *testing.T, b *tab, expression string) T {
	t.Helper()
	answer, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatalf("ask %.60s…: %v", expression, err)
	}
	return answer
}
