package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// configFile is the flag that names the configuration file. It adds the file to
// what values of flags are looked up in.
type configFile string

// BeforeResolve reads the file.
func (configFile) BeforeResolve(ctx *kong.Context, trace *kong.Path) error {
	path := string(ctx.FlagValue(trace.Flag).(configFile))
	if path == "" {
		return nil
	}
	config, err := readConfig(path, ctx.Model)
	if err != nil {
		return err
	}
	ctx.AddResolver(config)
	return nil
}

// A configError is one line about the configuration file.
type configError struct {
	path string
	line int // 0 for the file as a whole
	text string
}

func (e *configError) Error() string {
	if e.line == 0 {
		return fmt.Sprintf("configuration %s: %s", e.path, e.text)
	}
	return fmt.Sprintf("configuration %s, line %d: %s", e.path, e.line, e.text)
}

// A config holds values of flags from a YAML file. Keys are names of flags, for
// every command that has such a flag, or names of commands with the flags for
// that command alone, which stand above the others. Flags with the tag own, which
// mean something else than those of the same name, are read there only.
type config struct {
	path   string
	values map[string]value            // by flag
	below  map[string]map[string]value // by command, then by flag
}

// A value is what the file says of a flag: a string, or a list of strings.
type value struct {
	line int
	v    any
}

func readConfig(path string, app *kong.Application) (*config, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, &configError{path: path, text: reason(err) + "; name another file with --config"}
	}
	c := &config{path: path, values: map[string]value{}, below: map[string]map[string]value{}}
	root, err := c.decode(bytes.NewReader(text))
	if err != nil || root == nil {
		return c, err
	}
	return c, c.fill(root, app)
}

// reason is a system's error without the name of the file.
func reason(err error) string {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err.Error()
	}
	return err.Error()
}

// decode reads the only document of a file; nil if it says nothing.
func (c *config) decode(r io.Reader) (*yaml.Node, error) {
	d := yaml.NewDecoder(r)
	var doc, more yaml.Node
	err := d.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err == nil && !errors.Is(d.Decode(&more), io.EOF) {
		return nil, c.wrong(&more, "there is a second document; write one")
	}
	if err != nil {
		text := strings.TrimPrefix(err.Error(), "yaml: ")
		return nil, &configError{path: c.path, text: "not YAML: " + text}
	}
	root := doc.Content[0]
	if root.Tag == "!!null" {
		return nil, nil
	}
	if root.Kind != yaml.MappingNode {
		return nil, c.wrong(root, "write keys and values, such as \"http: 127.0.0.1:8080\"")
	}
	return root, nil
}

func (c *config) wrong(at *yaml.Node, format string, args ...any) error {
	return &configError{c.path, at.Line, fmt.Sprintf(format, args...)}
}

// fill takes the keys of the file.
func (c *config) fill(root *yaml.Node, app *kong.Application) error {
	all := flagNames(app.Node)
	for key, node := range pairs(root) {
		command := commandNamed(app, key.Value)
		var err error
		switch {
		case command != nil && node.Kind == yaml.MappingNode:
			err = c.section(command, node)
		case command != nil && node.Tag == "!!null":
		case command != nil:
			err = c.wrong(key, "%s is a command; write its flags below it", key.Value)
		case slices.Contains(all, key.Value):
			err = c.set(c.values, key, node)
		default:
			err = c.wrong(key, "no flag or command is named %q%s", key.Value, nearest(key.Value, all))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *config) section(command *kong.Node, root *yaml.Node) error {
	values, flags := map[string]value{}, flagNames(command)
	for key, node := range pairs(root) {
		if !slices.Contains(flags, key.Value) {
			return c.wrong(key, "%s has no flag named %q%s", command.Name, key.Value, nearest(key.Value, flags))
		}
		if err := c.set(values, key, node); err != nil {
			return err
		}
	}
	if c.below[command.Name] != nil {
		return c.wrong(root, "%s is there twice; write it once", command.Name)
	}
	c.below[command.Name] = values
	return nil
}

func (c *config) set(values map[string]value, key, node *yaml.Node) error {
	if _, twice := values[key.Value]; twice {
		return c.wrong(key, "%s is there twice; write it once", key.Value)
	}
	switch node.Kind {
	case yaml.ScalarNode:
		if node.Tag == "!!null" {
			return c.wrong(key, "%s has no value; write one or leave the line out", key.Value)
		}
		values[key.Value] = value{node.Line, node.Value}
		return nil
	case yaml.SequenceNode:
		list := make([]any, len(node.Content))
		for i, item := range node.Content {
			if item.Kind != yaml.ScalarNode {
				return c.wrong(item, "%s may list plain values only", key.Value)
			}
			list[i] = item.Value
		}
		values[key.Value] = value{node.Line, list}
		return nil
	}
	return c.wrong(key, "%s must be a plain value; write %s: VALUE", key.Value, key.Value)
}

// Validate implements [kong.Resolver]. The file was checked when it was read.
func (c *config) Validate(*kong.Application) error { return nil }

// Resolve implements [kong.Resolver].
func (c *config) Resolve(ctx *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	// kong would put the file above the environment.
	for _, env := range flag.Envs {
		if _, set := os.LookupEnv(env); set {
			return nil, nil
		}
	}
	found, ok := c.values[flag.Name]
	ok = ok && !flag.Tag.Has("own")
	for _, p := range ctx.Path {
		if p.Command == nil {
			continue
		}
		if v, own := c.below[p.Command.Name][flag.Name]; own {
			found, ok = v, true
		}
	}
	if !ok {
		return nil, nil
	}
	return found.v, c.try(flag, found)
}

// try reports a value that the flag does not take, with its line.
func (c *config) try(flag *kong.Flag, v value) error {
	bad := func(text string) error { return &configError{c.path, v.line, text} }
	text, plain := v.v.(string)
	switch {
	case !plain && !flag.IsSlice():
		return bad(flag.Name + " takes one value, not a list")
	case plain && flag.Enum != "" && !slices.Contains(flag.EnumSlice(), text):
		return bad(fmt.Sprintf("%s must be one of %s; got %q", flag.Name, strings.Join(flag.EnumSlice(), ", "), text))
	}
	target := reflect.New(flag.Target.Type()).Elem()
	if err := flag.Parse(kong.Scan().PushTyped(v.v, kong.FlagValueToken), target); err != nil {
		return bad(strings.TrimPrefix(err.Error(), "--"))
	}
	return nil
}

// pairs are the keys and values of a mapping, in order.
func pairs(mapping *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		for i := 0; i+1 < len(mapping.Content); i += 2 {
			value := mapping.Content[i+1]
			if value.Kind == yaml.AliasNode {
				value = value.Alias
			}
			if !yield(mapping.Content[i], value) {
				return
			}
		}
	}
}

func commandNamed(app *kong.Application, name string) *kong.Node {
	for _, node := range app.Children {
		if node.Name == name {
			return node
		}
	}
	return nil
}

// flagNames are the flags of a command and of those below it that a file may
// set.
func flagNames(node *kong.Node) []string {
	var names []string
	for _, flag := range node.Flags {
		if flag.Name != "help" && flag.Name != "config" {
			names = append(names, flag.Name)
		}
	}
	for _, child := range node.Children {
		names = append(names, flagNames(child)...)
	}
	return names
}

// nearest suggests the name that was meant, if one is near.
func nearest(name string, names []string) string {
	best := closest(strings.ReplaceAll(name, "_", "-"), names)
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// closest is the name that differs in two characters at most, and in the fewest;
// "" if none does.
func closest(name string, names []string) string {
	best, least := "", 3
	for _, n := range names {
		if d := distance(name, n); d < least {
			best, least = n, d
		}
	}
	return best
}

// distance is how many characters to add, drop or change to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := corner
			if a[i] != b[j] {
				change++
			}
			corner = row[j+1]
			row[j+1] = min(change, row[j]+1, corner+1)
		}
	}
	return row[len(b)]
}
