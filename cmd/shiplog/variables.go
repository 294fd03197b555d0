package main

import (
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// envPrefix begins the names of variables for flags.
const envPrefix = "SHIPLOG"

// otherVariables are for what is around the program: its tests and
// docker-compose.yml.
var otherVariables = []string{"SHIPLOG_SHARED", "SHIPLOG_SOAK", "SHIPLOG_VERSION", "SHIPLOG_TARGETS", "SHIPLOG_CLUSTER_URL"}

// serviceLink is what Kubernetes tells every container of a service that is
// named shiplog, or something with that before it.
var serviceLink = regexp.MustCompile(`_SERVICE_(HOST|PORT(_\w+)?)$|_PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?$`)

// forgetEmpty takes empty variables for flags out of the environment: whoever
// sets one, as with ${NAME:-} in a compose file, means to leave it unset.
func forgetEmpty() {
	for _, pair := range os.Environ() {
		if name, value, _ := strings.Cut(pair, "="); value == "" && strings.HasPrefix(name, envPrefix+"_") {
			_ = os.Unsetenv(name)
		}
	}
}

// flagVariables are the variables for flags, of all commands.
func flagVariables(app *kong.Application) []string {
	var names []string
	for _, command := range app.Leaves(false) {
		for _, group := range command.AllFlags(false) {
			for _, flag := range group {
				names = append(names, flag.Envs...)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// A strangeVariable looks like one for a flag and is for none, so it is ignored.
type strangeVariable struct {
	name string
	near string // the variable that may have been meant, or ""
}

func (v strangeVariable) String() string {
	text := fmt.Sprintf("the variable %s is ignored: no flag has it", v.name)
	if v.near != "" {
		text += fmt.Sprintf("; did you mean %s?", v.near)
	}
	return text
}

// log says the same in the log of a node.
func (v strangeVariable) log(to *slog.Logger) {
	to.Warn("a variable is ignored: no flag has it", slog.String("variable", v.name), slog.String("did_you_mean", v.near))
}

func strangeVariables(app *kong.Application) []strangeVariable {
	known := flagVariables(app)
	var strange []strangeVariable
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, envPrefix+"_") || slices.Contains(known, name) ||
			slices.Contains(otherVariables, name) || serviceLink.MatchString(name) {
			continue
		}
		strange = append(strange, strangeVariable{name, closest(name, known)})
	}
	return strange
}
