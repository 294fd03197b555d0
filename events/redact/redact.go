// Package redact takes out of an address what lets one in, so that it can be
// logged, shown and answered with.
package redact

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// URL is an address, or a list of them with commas between, without the name,
// password or token before the host. It goes by the text, so that an address
// that no parser takes does not give them away either.
func URL(addresses string) string {
	list := strings.Split(addresses, ",")
	for i, address := range list {
		scheme, rest, found := strings.Cut(address, "://")
		if !found {
			scheme, rest = "", address
		} else {
			scheme += "://"
		}
		if at := strings.LastIndex(rest, "@"); at >= 0 {
			list[i] = scheme + rest[at+1:]
		}
	}
	return strings.Join(list, ",")
}

// Argument is an argument of a command line, such as --nats=ADDRESS, with its address
// as [URL] has it.
func Argument(arg string) string {
	if flag, value, found := strings.Cut(arg, "="); found && strings.HasPrefix(flag, "-") {
		return flag + "=" + URL(value)
	}
	return URL(arg)
}

// path is one that begins at the root, where a word can begin.
var path = regexp.MustCompile(`(^|[\s"'(])/[^\s:;,"')]+`)

// Paths is a text for strangers: where this machine keeps its files is left out of it.
func Paths(text string) string { return path.ReplaceAllString(text, "${1}…") }

// Error is what a parser has against an address, without the address: [url.Error]
// repeats it as it was given.
func Error(err error) error {
	if wrong, ok := errors.AsType[*url.Error](err); ok && wrong.Op == "parse" {
		return fmt.Errorf("no address: %w", wrong.Err)
	}
	return err
}
