package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"shiplog/ops"
)

// envPrefix begins the names of variables for flags.
const envPrefix = "SHIPLOG"

// newParser reads command lines. Commands get what they run with as arguments
// of their Run method: the context, the streams, the build.
func newParser(ctx context.Context, cli *CLI, std *stdio, build ops.Build) (*kong.Kong, error) {
	return kong.New(cli,
		kong.Name("shiplog"),
		kong.Description(description),
		kong.Writers(std.out, std.err),
		kong.DefaultEnvars(envPrefix),
		kong.ExplicitGroups([]kong.Group{
			{Key: "serve", Title: "Run a server:"},
			{Key: "publish", Title: "Publish:"},
			{Key: "operate", Title: "Watch and operate:"},
		}),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, FlagsLast: true, WrapUpperBound: 96}),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(std),
		kong.Bind(build),
	)
}

// forgetEmpty takes empty variables for flags out of the environment: whoever
// sets one, as with ${NAME:-} in a compose file, means to leave it unset.
func forgetEmpty() {
	for _, pair := range os.Environ() {
		if name, value, _ := strings.Cut(pair, "="); value == "" && strings.HasPrefix(name, envPrefix+"_") {
			_ = os.Unsetenv(name)
		}
	}
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

// usageError says in a line what is wrong with a command line, and where to
// read what is right.
func usageError(err error) error {
	var bad *configError
	if errors.As(err, &bad) {
		return bad
	}
	text, help := err.Error(), "shiplog --help"
	var parse *kong.ParseError
	if errors.As(err, &parse) && parse.Context != nil {
		if selected := parse.Context.Selected(); selected != nil {
			help = selected.FullPath() + " --help"
		} else if rest, found := strings.CutPrefix(text, "unexpected argument "); found {
			text = "no command " + rest
		}
	}
	return fmt.Errorf("%s; see %s", text, help)
}
