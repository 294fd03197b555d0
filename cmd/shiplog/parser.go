package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"

	"shiplog/cmd/shiplog/bench"
	"shiplog/ops"
)

// newParser reads command lines. Commands get what they run with as arguments
// of their Run method: the context, the streams, the build.
func newParser(ctx context.Context, cli *CLI, std *stdio, build ops.Build) (*kong.Kong, error) {
	return kong.New(cli,
		kong.Name("shiplog"),
		kong.Description(description),
		kong.Writers(std.out, std.err),
		kong.DefaultEnvars(envPrefix),
		kong.Vars{"bench_parts": strings.Join(bench.Parts(), ",")},
		kong.ExplicitGroups([]kong.Group{
			{Key: "serve", Title: "Run a server:"},
			{Key: "publish", Title: "Publish:"},
			{Key: "operate", Title: "Watch and operate:"},
		}),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, FlagsLast: true, WrapUpperBound: 96}),
		kong.ValueFormatter(helpOf),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(std),
		kong.Bind(build),
	)
}

// helpOf is the help of a flag, with the default that its placeholder hides and
// the variable for it.
func helpOf(v *kong.Value) string {
	text := v.Help
	if v.Flag != nil && v.HasDefault && v.Tag.PlaceHolder != "" && !strings.Contains(v.OrigHelp, "${default}") && !strings.Contains(text, "Default: ") {
		text += " Default: " + v.Default + "."
	}
	if len(v.Tag.Envs) == 0 {
		return text
	}
	return fmt.Sprintf("%s ($%s).", strings.TrimSuffix(text, "."), v.Tag.Envs[0])
}

// plainArgs turns the other ways to ask for help and version into those that
// the grammar has.
func plainArgs(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(append([]string{}, args[1:]...), "--help")
	case args[0] == "--version":
		return append([]string{"version"}, args[1:]...)
	}
	return args
}

// noValue is what the parser says of a flag that is followed by no value of its
// own: by nothing, or by what looks like a flag.
var noValue = regexp.MustCompile(`^(--[\w-]+): expected \w+ value but got "(.*)" \((<EOL>|short flag|long flag)\)`)

// plainText says the same in words that name no type of the program.
func plainText(text string) string {
	m := noValue.FindStringSubmatch(text)
	switch {
	case m == nil:
		return text
	case m[3] == "<EOL>":
		return m[1] + " needs a value"
	}
	return fmt.Sprintf("%s needs a value, and %s looks like a flag; a value that begins with a hyphen is written %s=%s", m[1], m[2], m[1], m[2])
}

// usageError says in a line what is wrong with a command line, and where to
// read what is right.
func usageError(err error) error {
	if bad, ok := errors.AsType[*configError](err); ok {
		return bad
	}
	text, help := plainText(err.Error()), "shiplog --help"
	if parse, ok := errors.AsType[*kong.ParseError](err); ok && parse.Context != nil {
		if selected := parse.Context.Selected(); selected != nil {
			help = selected.FullPath() + " --help"
		} else if rest, found := strings.CutPrefix(text, "unexpected argument "); found {
			text = "no command " + rest
		}
	}
	return fmt.Errorf("%s; see %s", text, help)
}
