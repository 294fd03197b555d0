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
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	// The first signal asks the command to finish. After it a second Ctrl-C ends
	// the process; a second SIGTERM does not, since some supervisors send two.
	context.AfterFunc(ctx, func() { signal.Reset(os.Interrupt) })
	code := run(ctx, os.Args[1:], newStdio(), buildOf(version, revision))
	stop()
	os.Exit(code)
}

// endings are the signals that ask a command to finish. A terminal that is closed
// sends SIGHUP: a node in it drains as after Ctrl-C, since there is nothing to read
// anew. Under nohup that signal is ignored, and stays so.
func endings() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
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
