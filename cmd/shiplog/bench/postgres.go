package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// errNoPostgres says why there is nothing to compare with.
var errNoPostgres = errors.New("PostgreSQL is not installed (Debian: postgresql)")

// A postgres is a PostgreSQL as Debian ships it, with an empty table of events,
// on a socket in a folder of its own. Its own pgbench is the client.
type postgres struct {
	bin string // folder of its programs
	dir string
	as  []string // what runs a program as another user, since it does not run as root
}

// The table: what an application keeps that records events once each. Its
// settings, fsync and synchronous_commit among them, are the package's.
const postgresTable = `CREATE TABLE events (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  source text NOT NULL, id text NOT NULL, event jsonb NOT NULL,
  UNIQUE (source, id))`

// The scripts of pgbench. Rows are made in the database, so that what a client
// would do to send them does not count against it.
const (
	postgresOne      = "\\set n random(1, 1000000000)\nINSERT INTO events (source, id, event) VALUES ('/bench', gen_random_uuid(), (%s || :n || '\"}}')::jsonb);\n"
	postgresThousand = "INSERT INTO events (source, id, event) SELECT '/bench', gen_random_uuid(), (%s || n || '\"}}')::jsonb FROM generate_series(1, 1000) n;\n"
)

// measurePostgres records the same reviews with the node and, by turns, in a
// table of PostgreSQL.
func (r *run) measurePostgres(ctx context.Context) (err error) {
	comparisons := []struct {
		name, against, script string
		clients, rows         int
		ours                  func(*node) rate
	}{
		{"32 clients, one a request", "rows/s, one insert a transaction", postgresOne, 32, 1, func(n *node) rate { return r.posters(n, 32) }},
		{"2 clients, batches of 1,000", "rows/s, 1,000-row inserts", postgresThousand, 2, 1000, func(n *node) rate { return sendBatches(n, (*writer).review, &r.recorded) }},
	}
	db, err := r.startPostgres(ctx)
	if errors.Is(err, errNoPostgres) {
		for _, c := range comparisons {
			r.add(Figure{Name: c.name, Skipped: err.Error()})
		}
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.stop(context.WithoutCancel(ctx))) }()
	n, err := r.filled(ctx)
	if err != nil {
		return err
	}
	for i, c := range comparisons {
		theirs, err := db.rate(fmt.Sprintf("script-%d.sql", i), c.script, c.clients, c.rows)
		if err != nil {
			return err
		}
		n.ForgetPeak()
		ours, base, err := r.byTurns(ctx, c.ours(n), theirs)
		if err != nil {
			return err
		}
		f := Figure{
			Name: c.name, Value: ours, Unit: "reviews/s", Memory: n.PeakMemory(),
			Note: "decided, chained and shown, against stored with a unique identity; fsync is on in both",
		}
		r.add(f.against(c.against, base, 0))
	}
	return nil
}

// startPostgres starts an empty server, or says that there is none.
func (r *run) startPostgres(ctx context.Context) (*postgres, error) {
	db := &postgres{bin: postgresPrograms(), dir: filepath.Join(r.dir, "postgres")}
	if db.bin == "" {
		return nil, errNoPostgres
	}
	if err := os.Mkdir(db.dir, 0o700); err != nil {
		return nil, err
	}
	if os.Geteuid() == 0 {
		if err := db.leaveRoot(r.dir); err != nil {
			return nil, err
		}
	}
	data := filepath.Join(db.dir, "data")
	if _, err := db.run(ctx, "initdb", "-D", data, "-A", "trust", "-U", "bench", "-E", "UTF8", "--no-locale"); err != nil {
		return nil, err
	}
	socketOnly := "-k " + db.dir + " -c listen_addresses=''"
	if _, err := db.run(ctx, "pg_ctl", "-D", data, "-l", filepath.Join(db.dir, "log"), "-w", "-o", socketOnly, "start"); err != nil {
		return nil, err
	}
	_, err := db.run(ctx, "psql", "-h", db.dir, "-U", "bench", "-d", "postgres", "-qc", postgresTable)
	if err != nil {
		return nil, errors.Join(err, db.stop(context.WithoutCancel(ctx)))
	}
	return db, nil
}

// postgresPrograms is the folder of the newest server that has its pgbench, ""
// where there is none.
func postgresPrograms() string {
	folders, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // the pattern is good
	slices.SortFunc(folders, func(a, b string) int { return postgresVersion(b) - postgresVersion(a) })
	if path, err := exec.LookPath("initdb"); err == nil {
		folders = append(folders, filepath.Dir(path))
	}
	for _, dir := range folders {
		whole := !slices.ContainsFunc([]string{"initdb", "pg_ctl", "psql", "pgbench"}, func(name string) bool {
			_, err := os.Stat(filepath.Join(dir, name))
			return err != nil
		})
		if whole {
			return dir
		}
	}
	return ""
}

func postgresVersion(dir string) int {
	version, _ := strconv.Atoi(filepath.Base(filepath.Dir(dir))) // 0 for what is none
	return version
}

// leaveRoot hands the folder to the user that the package has made.
func (db *postgres) leaveRoot(parent string) error {
	u, err := user.Lookup("postgres")
	if err != nil {
		return fmt.Errorf("%w: it does not run as root, and there is no user postgres", errNoPostgres)
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return err
	}
	db.as = []string{"runuser", "-u", "postgres", "--"}
	if err := os.Chmod(parent, 0o711); err != nil { // it has to get through to its own folder
		return err
	}
	return os.Chown(db.dir, uid, -1)
}

// run runs one of its programs.
func (db *postgres) run(ctx context.Context, name string, args ...string) (string, error) {
	argv := append(append(slices.Clone(db.as), filepath.Join(db.bin, name)), args...)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = db.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %.500s", name, err, out)
	}
	return string(out), nil
}

func (db *postgres) stop(ctx context.Context) error {
	_, err := db.run(ctx, "pg_ctl", "-D", filepath.Join(db.dir, "data"), "-m", "fast", "-w", "stop")
	return err
}

// rate has clients insert rows, so many a transaction.
func (db *postgres) rate(file, script string, clients, rows int) (rate, error) {
	path := filepath.Join(db.dir, file)
	if err := os.WriteFile(path, fmt.Appendf(nil, script, sqlReview()), 0o644); err != nil { // another user reads it
		return nil, err
	}
	return func(ctx context.Context, d time.Duration) (float64, error) {
		seconds := max(1, int(d.Round(time.Second).Seconds()))
		out, err := db.run(ctx, "pgbench", "-h", db.dir, "-U", "bench", "-n", "-M", "prepared", "-f", path,
			"-c", strconv.Itoa(clients), "-j", strconv.Itoa(min(clients, 2)), "-T", strconv.Itoa(seconds), "postgres")
		if err != nil {
			return 0, err
		}
		_, after, found := strings.Cut(out, "\ntps = ")
		number, _, _ := strings.Cut(after, " ")
		tps, err := strconv.ParseFloat(number, 64)
		if !found || err != nil {
			return 0, fmt.Errorf("pgbench says no tps: %.300s", out)
		}
		return tps * float64(rows), nil
	}, nil
}

// sqlReview is a review up to the end of its body, as a literal of SQL.
func sqlReview() string {
	var w writer
	w.review(0)
	text, _, _ := strings.Cut(string(w.b), `"}}`)
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}
