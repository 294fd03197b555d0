package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"shiplog/ops"
)

// Set by the linker: -X main.version=… -X main.revision=…
var version, revision string

func main() {
	forgetEmpty()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks the command to finish. After it a second Ctrl-C ends
	// the process; a second SIGTERM does not, since some supervisors send two.
	context.AfterFunc(ctx, func() { signal.Reset(os.Interrupt) })
	code := run(ctx, os.Args[1:], newStdio(), buildOf(version, revision))
	stop()
	os.Exit(code)
}

// run is the whole program but for the process around it. It returns the exit
// code.
func run(ctx context.Context, args []string, std *stdio, build ops.Build) int {
	parser, err := newParser(ctx, new(CLI), std, build)
	if err != nil {
		return std.fail(err)
	}
	command, err := parser.Parse(plainArgs(args))
	if err != nil {
		return std.fail(usageError(err))
	}
	std.strange = strangeVariables(parser.Model)
	if command.Command() != "serve" {
		for _, variable := range std.strange {
			std.note("%s", variable)
		}
	}
	return std.fail(command.Run())
}
