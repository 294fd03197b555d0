//go:build clients

package clients_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// review is one event a publisher of the test sends.
func review(id, tool, body string) string {
	return fmt.Sprintf(`{"specversion":"1.0","id":%q,"source":"/test","type":"shiplog.review.submitted.v1",`+
		`"data":{"tool":%q,"tool_name":"Tool %s","reviewer":"ruth","reviewer_name":"Ruth","verdict":"ship","body":%q}}`, id, tool, tool, body)
}

// A review shows on its tool's page within a second, whichever way it came.
func TestClientPublishers(t *testing.T) {
	n := start(t, t.TempDir())
	send := "../../../tools/clients/send.mjs"
	for _, way := range []struct {
		name string
		send func(event string)
	}{
		{"curl", func(event string) {
			out, _ := run(t, 0, "curl", "-sS", "-f", n.Base+"/api/v1/events", "-H", "content-type: application/cloudevents+json", "-d", event)
			if !strings.Contains(out, `"accepted"`) {
				t.Errorf("curl was answered %s", out)
			}
		}},
		{"nats-publish", func(event string) { pipe(t, event, "node", send, "publish", n.NATS, "shiplog.inbox.local") }},
		{"nats-request", func(event string) {
			if out := pipe(t, event, "node", send, "request", n.NATS, "shiplog.submit.local"); !strings.Contains(out, "accepted") {
				t.Errorf("the request was answered %s", out)
			}
		}},
	} {
		t.Run(way.name, func(t *testing.T) {
			body := "It came by " + way.name + "."
			way.send(review(way.name, "tool-"+way.name, body))
			shows(t, n.Base+"/tools/tool-"+way.name, body)
		})
	}
	t.Run("command", func(t *testing.T) {
		shiplog(t, 0, "review", "--to", n.Base, "--tool", "by-command", "--tool-name", "By command",
			"--reviewer", "ruth", "--verdict", "skip", "--body", "It came by command.")
		shows(t, n.Base+"/tools/by-command", "It came by command.")
	})
}

func shows(t *testing.T, url, body string) {
	t.Helper()
	eventually(t, url+" shows the review", func() bool {
		status, page := fetch(t, url)
		return status == 200 && strings.Contains(string(page), body)
	})
}

// pipe runs a program with an input, which must succeed.
func pipe(t *testing.T, input, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Stdin = strings.NewReader(input + "\n")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}
