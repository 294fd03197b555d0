package ledger

import (
	"crypto/rand"
	"fmt"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/nats-io/nats-server/v2/server"
)

// The users of the embedded server.
const (
	ownUser   = "shiplog"
	guestUser = "guest"
)

// ownAccount holds the streams, and names their folder.
const ownAccount = "SHIPLOG"

// streamPath is where a server with its files in dir keeps something of a stream.
func streamPath(dir, stream string, names ...string) string {
	return filepath.Join(append([]string{dir, server.JetStreamStoreDir, ownAccount, "streams", stream}, names...)...)
}

// inboxPrefix is where Shiplog's own connections take their answers. Guests
// cannot subscribe to it.
const inboxPrefix = "_SHIPLOG_INBOX"

// accountsConfig keeps guests in an account of their own, not only on a list of
// subjects. In one account with the ledger, a guest could name a ledger subject
// or a stream API subject as the reply of an allowed message, and the server
// itself would send its answer there. Across accounts an answer only ever
// returns to the account that asked.
const accountsConfig = `
accounts {
  SHIPLOG {
    jetstream: enabled
    users: [ { user: {{.Own}}, password: "{{.OwnPassword}}" } ]
    exports: [{{range .Subjects}}
      { service: "{{.}}" }{{end}}
    ]
  }
  GUEST {
    imports: [{{range .Subjects}}
      { service: { account: SHIPLOG, subject: "{{.}}" } }{{end}}
    ]
    users: [ {
      user: {{.Guest}}, password: "{{.GuestPassword}}"
      permissions {
        publish { allow: [{{range .Subjects}}
          "{{.}}"{{end}}
        ] }
        subscribe { allow: [ "_INBOX.>" ] }
      }
    } ]
  }
}
no_auth_user: {{.Guest}}
`

// guestSubjects are what a client without credentials may publish to.
func guestSubjects() []string {
	return []string{
		InboxPrefix + LocalPublisher,
		SubmitPrefix + LocalPublisher,
		"$SRV.PING.shiplog",
		"$SRV.INFO.shiplog",
		"$SRV.STATS.shiplog",
	}
}

// passwords are made at each start of the process and kept in memory alone. They
// outlive a restart of the server, so that connections come back.
type passwords struct{ own, guest string }

func newPasswords() passwords { return passwords{own: rand.Text(), guest: rand.Text()} }

// addAccounts defines who may do what.
func addAccounts(o *server.Options, p passwords) error {
	var config strings.Builder
	t := template.Must(template.New("accounts").Parse(accountsConfig))
	err := t.Execute(&config, map[string]any{
		"Own": ownUser, "OwnPassword": p.own,
		"Guest": guestUser, "GuestPassword": p.guest,
		"Subjects": guestSubjects(),
	})
	if err != nil {
		return fmt.Errorf("write accounts: %w", err)
	}
	if err := o.ProcessConfigString(config.String()); err != nil {
		return fmt.Errorf("read accounts: %w", err)
	}
	return nil
}
