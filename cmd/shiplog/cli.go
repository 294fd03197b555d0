package main

import "time"

// CLI is the grammar of the command line: every command and flag, with its
// help. Each flag is also a variable of the environment, named in the help, and
// a key of the configuration file. The flags of serve and bench are declared
// with what they do, in [ServeCmd] and [BenchCmd].
type CLI struct {
	Config configFile `placeholder:"FILE" help:"YAML file of flags: by their names, or under the name of a command."`

	Serve ServeCmd `cmd:"" group:"serve" help:"Run a node: ledger, pages, feeds and API."`

	Submit SubmitCmd `cmd:"" group:"publish" help:"Send events from files or standard input."`
	Review ReviewCmd `cmd:"" group:"publish" help:"Send one review."`
	Slug   SlugCmd   `cmd:"" group:"publish" help:"Propose a slug for a name in any script."`

	Tail     TailCmd     `cmd:"" group:"operate" help:"Print events as they are recorded."`
	Status   StatusCmd   `cmd:"" group:"operate" help:"Describe a running node."`
	Health   HealthCmd   `cmd:"" group:"operate" help:"Exit 0 if a node is alive, 1 if not."`
	Rejected RejectedCmd `cmd:"" group:"operate" help:"See and mend what the inbox could not record."`
	Verify   VerifyCmd   `cmd:"" group:"operate" help:"Re-read the ledger and what was made from it."`
	Export   ExportCmd   `cmd:"" group:"operate" help:"Write the ledger to a file."`
	Import   ImportCmd   `cmd:"" group:"operate" help:"Restore a ledger from an exported file."`
	Rebuild  RebuildCmd  `cmd:"" group:"operate" help:"Make anew what was made from the ledger, while it is read."`
	Skip     SkipCmd     `cmd:"" group:"operate" help:"Have an event ignored that cannot be applied."`
	Bench    BenchCmd    `cmd:"" group:"operate" help:"Measure a node beside baselines, on a temporary ledger."`
	Version  VersionCmd  `cmd:"" group:"operate" help:"Print which program this is."`

	Bare     BareCmd     `cmd:"" name:"bench-bare" hidden:"" help:"Serve without measuring, for bench to compare with."`
	Baseline BaselineCmd `cmd:"" name:"bench-baseline" hidden:"" help:"Serve what bench compares pages with."`
}

const description = `Shiplog is a ledger of reviews: a panel judges tools, every review ends in ship
or skip, and nothing changes without an event.`

// Help is what `shiplog` alone says besides the list of commands.
func (CLI) Help() string {
	return `Try it, then send a review of your own:

    shiplog serve --demo
    shiplog review --tool ferrule --tool-name Ferrule --reviewer me \
        --reviewer-name Me --verdict ship --body "Does what it says."
`
}

// serverFlags say which server a command talks to.
type serverFlags struct {
	To string `default:"http://127.0.0.1:8080" help:"Address of the server."`
}

// opsFlags say which node a command administers.
type opsFlags struct {
	OpsURL string `default:"http://127.0.0.1:9464" help:"Address of the node's operator listener (serve --ops)."`
}

// writeFlags are for commands that record.
type writeFlags struct {
	serverFlags
	TokenFile string        `placeholder:"FILE" help:"File with the server's write token. Needed unless the server is on this machine."`
	RetryFor  time.Duration `default:"1m" help:"How long to try again when the server is busy or goes away."`
}

// SubmitCmd sends events.
type SubmitCmd struct {
	writeFlags
	Files  []string `arg:"" name:"file" help:"Files of events; - is standard input."`
	DryRun bool     `help:"Have the events decided but not recorded."`
	JSON   bool     `help:"Print the receipts as JSON Lines, in the order of the events."`
}

// Help is what `shiplog submit --help` says besides the flags.
func (SubmitCmd) Help() string {
	return `A file holds CloudEvents, one a line (JSON Lines), or JSON arrays of them. They are
decided in order. Rejected ones are named with their line on standard error, the
others are recorded all the same. Sending a file again is safe: what is recorded
already is a duplicate.

Exits 0 if all are accepted or duplicate, 1 if any is not, 2 if the server could
not be asked.

    shiplog submit events.jsonl
    pipeline | shiplog submit --to https://reviews.example.org --token-file token -
    shiplog submit --dry-run --json events.jsonl

A dry run decides each request of up to 1,000 events by itself.`
}

// ReviewCmd sends one review.
type ReviewCmd struct {
	writeFlags
	Tool     string `required:"" placeholder:"SLUG" help:"What is judged."`
	Reviewer string `required:"" placeholder:"SLUG" help:"Who judges."`
	Verdict  string `required:"" enum:"ship,skip,abstain" placeholder:"VERDICT" help:"One of ship, skip and abstain."`
	Body     string `required:"" xor:"body" placeholder:"TEXT" help:"The review itself."`
	BodyFile string `required:"" xor:"body" placeholder:"FILE" help:"File with the review; - is standard input."`
	Format   string `placeholder:"FORMAT" help:"Of the body, text or markdown. Default: text."`

	ToolName     string `placeholder:"NAME" help:"Registers the tool under this name if it is unknown."`
	ReviewerName string `placeholder:"NAME" help:"Seats the reviewer under this name, as a human, if unknown."`

	Condition  string   `placeholder:"TEXT" help:"Under which the verdict holds."`
	Pro        []string `sep:"none" placeholder:"TEXT" help:"What speaks for it. May be given again."`
	Con        []string `sep:"none" placeholder:"TEXT" help:"What speaks against it. May be given again."`
	Evidence   []string `sep:"none" placeholder:"URL" help:"Where a claim can be checked. May be given again."`
	Disclosure string   `placeholder:"TEXT" help:"What ties the reviewer to the tool."`
	Reason     string   `placeholder:"TEXT" help:"Why an earlier review is revised."`

	Expects *uint64 `placeholder:"SEQ" help:"Sequence of the review thought current, 0 for none; refused if it is another."`
	ID      string  `name:"id" placeholder:"ID" help:"Identity of the event with --source. Default: a new UUID."`
	Source  string  `default:"/cli" help:"Who sends the event, as a URI reference."`
	JSON    bool    `help:"Print the receipt as JSON."`
}

// Help is what `shiplog review --help` says besides the flags.
func (ReviewCmd) Help() string {
	return `A second review of the same tool by the same reviewer is a revision of the first.
Exits 0 if the ledger holds the review, 1 if it was rejected.

    shiplog review --tool ferrule --reviewer skeptic --verdict skip \
        --body "Loses the last line of a file without a newline."
    shiplog review --tool ferrule --reviewer skeptic --verdict ship \
        --body-file review.md --format markdown --reason "Mended in 2.1."

A reviewer who is no human, such as a persona of a model, is seated by an event of
its own before the first review, with the kind ai:

    shiplog submit - <<END
    [{"specversion":"1.0","id":"seat-skeptic","source":"/cli",
      "type":"shiplog.reviewer.seated.v1",
      "data":{"reviewer":"skeptic","name":"The Skeptic","kind":"ai"}}]
    END`
}

// TailCmd follows the ledger.
type TailCmd struct {
	serverFlags
	From *uint64 `placeholder:"SEQ" help:"First sequence to print. Default: the last ten, then what comes."`
	JSON bool    `help:"Print {\"seq\", \"event\"} as JSON Lines."`
}

// Help is what `shiplog tail --help` says besides the flags.
func (TailCmd) Help() string {
	return `Follows the ledger until it is interrupted, also past a restart of the server.
Times are UTC.

    shiplog tail
    shiplog tail --from 1 --json | jq .event.type`
}

// RejectedCmd is about what the inbox could not record.
type RejectedCmd struct {
	opsFlags
	List  RejectedListCmd  `cmd:"" help:"List what was rejected, oldest first: ID, time, publisher, bytes, reason."`
	Show  RejectedShowCmd  `cmd:"" help:"Print a rejected event as it came, with the reasons."`
	Retry RejectedRetryCmd `cmd:"" help:"Put rejected events back into the inbox."`
	Drop  RejectedDropCmd  `cmd:"" help:"Forget rejected events."`
}

// Help is what `shiplog rejected --help` says besides the commands.
func (RejectedCmd) Help() string {
	return `What comes by the inbox (NATS subject shiplog.inbox.PUBLISHER) and cannot be
recorded is kept here for 90 days. To mend an event, take its bytes, correct them,
submit them and drop it:

    shiplog rejected list
    shiplog rejected show --raw 12 > event.json
    shiplog submit event.json && shiplog rejected drop 12`
}

// RejectedListCmd lists rejected events.
type RejectedListCmd struct {
	JSON bool `help:"Print JSON Lines."`
}

// RejectedShowCmd prints one rejected event.
type RejectedShowCmd struct {
	ID   uint64 `arg:"" name:"id" help:"From the first column of the list."`
	Raw  bool   `xor:"form" help:"Print the bytes as they came and nothing else."`
	JSON bool   `xor:"form" help:"Print JSON."`
}

// RejectedRetryCmd puts rejected events back.
type RejectedRetryCmd struct {
	IDs []uint64 `arg:"" name:"id" help:"From the first column of the list."`
}

// RejectedDropCmd forgets rejected events.
type RejectedDropCmd struct {
	IDs []uint64 `arg:"" name:"id" help:"From the first column of the list."`
}

// StatusCmd describes a node.
type StatusCmd struct {
	opsFlags
	Watch bool          `help:"Tell what goes through the node, again and again."`
	Every time.Duration `default:"1s" help:"How often to tell, with --watch."`
	JSON  bool          `help:"Print JSON; with --watch, JSON Lines."`
}

// Help is what `shiplog status --help` says besides the flags.
func (StatusCmd) Help() string {
	return `With --watch: what is submitted and what becomes of it, the ledger, how far each
projection has come and how fast it is, requests and how many of them were answered
3xx (304, nothing new, and redirects), the disk, and what is red. Rates are means
since the time before. In a terminal the figures stand still and change, elsewhere
each time is a line. It goes on past a restart of the node, until it is interrupted.

    shiplog status
    shiplog status --watch
    shiplog status --watch --every 10s --json >> throughput.jsonl`
}

// HealthCmd asks whether a node is well.
type HealthCmd struct {
	opsFlags
	Ready   bool          `help:"Ask whether it is ready to serve, not only alive."`
	Timeout time.Duration `default:"5s" help:"How long to wait for the answer."`
	Wait    time.Duration `default:"0s" help:"Ask again for so long until it is well, as after a start."`
}

// Help is what `shiplog health --help` says besides the flags.
func (HealthCmd) Help() string {
	return `For a container:

    HEALTHCHECK CMD ["shiplog", "health"]`
}

// VerifyCmd re-reads everything.
type VerifyCmd struct {
	opsFlags
	storeFlags
	Chain bool `help:"Hold the ledger to its chain and leave the rest out."`
	JSON  bool `help:"Print JSON: {\"report\"}, {\"fault\"} or {\"error\"}."`
}

// Help is what `shiplog verify --help` says besides the flags.
func (VerifyCmd) Help() string {
	return `Reads every event, holds each to the one before, and folds them anew to compare
with the read model and the decision state in use. Names the first event that is
wrong. Exits 0 if all is well, 1 if something is wrong, 2 if that could not be
found out.

    shiplog verify
    shiplog verify --data ./shiplog-data
    shiplog verify --nats nats://127.0.0.1:4222

Without --data and --nats the node of --ops-url verifies itself and goes on
serving. With --nats alone the ledger is read and nothing compared.`
}

// ExportCmd writes a ledger to a file.
type ExportCmd struct {
	opsFlags
	storeFlags
	To   string `own:"" env:"SHIPLOG_EXPORT_TO" placeholder:"URL" help:"Read over the public API of this server instead, as anyone may, as far as its pages have come."`
	From uint64 `placeholder:"SEQ" help:"Go on with a file that ends before this sequence. Default: all."`
	File string `arg:"" name:"file" help:"What to write; compressed if it ends in .gz; - is standard output."`
}

// Help is what `shiplog export --help` says besides the flags.
func (ExportCmd) Help() string {
	return `Line N of the file is the event of sequence N, byte for byte. The chain is checked
on the way. The file stands under its name once it is whole and synced; until then
it is FILE.partial, and an export that was interrupted goes on with that.

    shiplog export ledger.jsonl.gz
    shiplog export --from 1001 ledger.jsonl.gz
    shiplog export --to https://reviews.example.org - | wc -l
    shiplog export --data ./shiplog-data ledger.jsonl.gz

Without --to, --data and --nats the node of --ops-url reads its ledger.
With --from the last line of FILE has to be the event before; without such a file
the new one begins at SEQ, to be put behind another.`
}

// ImportCmd restores a ledger.
type ImportCmd struct {
	storeFlags
	MaxBytes Bytes  `default:"10GiB" placeholder:"SIZE" help:"Size at which the ledger takes no more (${default})."`
	Replicas int    `default:"3" help:"Copies of each stream a new ledger has, with --nats."`
	File     string `arg:"" name:"file" help:"Exported ledger, compressed or not; - is standard input."`
}

// Help is what `shiplog import --help` says besides the flags.
func (ImportCmd) Help() string {
	return `The ledger has to be empty, or hold the first events of the file: what is there is
compared byte by byte, so an import that was interrupted can be run again and goes
on. Each event is held to the one before it is recorded. No node may run on it.
Exits 1 and names the line if the file is wrong.

    shiplog import --data ./shiplog-data ledger.jsonl.gz
    shiplog import --nats nats://127.0.0.1:4222 ledger.jsonl.gz`
}

// RebuildCmd makes read model and decision state anew.
type RebuildCmd struct {
	opsFlags
	JSON bool `help:"Print how it ended as JSON."`
}

// Help is what `shiplog rebuild --help` says besides the flags.
func (RebuildCmd) Help() string {
	return `Makes the read model and the decision state of a node anew beside those in use,
compares both as of one event, and switches to the new ones. The node serves and
records all the while. A difference means that what was in use was damaged: it is
counted, the first is shown, and the new one takes its place, which mends it.
Interrupting this command does not stop the node; stopping the node leaves what is
in use as it is. Exits 0 once the new ones are in use, 1 if they are not.

    shiplog rebuild`
}

// SkipCmd has an event ignored.
type SkipCmd struct {
	opsFlags
	Seq    uint64 `arg:"" name:"seq" help:"Sequence of the event, as shiplog status names it."`
	Reason string `required:"" placeholder:"TEXT" help:"Why. It stays in the ledger, for all to read."`
	JSON   bool   `help:"Print what was done as JSON."`
}

// Help is what `shiplog skip --help` says besides the flags.
func (SkipCmd) Help() string {
	return `Records an event that has every node, and every rebuild from now on, ignore another
one, as if it had not been recorded. A newer version of shiplog is the better mend
where there is one: what is ignored stays ignored. Only an event that the node is
stopped at can be ignored. Exits 1 if it is not.

    shiplog status
    shiplog skip 1234 --reason "Recorded by a newer version that was rolled back."`
}

// SlugCmd proposes slugs.
type SlugCmd struct {
	Names []string `arg:"" name:"name" help:"Names, each in quotes if it has spaces."`
}

// Help is what `shiplog slug --help` says besides the flags.
func (SlugCmd) Help() string {
	return `A slug is an identity and never changes, so look at the proposal before you use it.

    shiplog slug "Node.js" "C++"`
}

// VersionCmd prints which program this is.
type VersionCmd struct {
	JSON bool `help:"Print JSON."`
}
