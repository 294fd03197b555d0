package manifests_test

import (
	"bytes"
	"debug/elf"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
)

// stages are those of the Dockerfile, as BuildKit reads it.
func stages(t *testing.T) []instructions.Stage {
	t.Helper()
	f, err := os.Open(repository + "/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	read, err := parser.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range read.Warnings {
		t.Errorf("the Dockerfile: %s", w.Short)
	}
	stages, _, err := instructions.Parse(read.AST, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(stages) != 2 {
		t.Fatalf("%d stages, want one that builds and one that runs", len(stages))
	}
	return stages
}

// each visits the commands of one kind.
func each[C instructions.Command](s instructions.Stage, visit func(C)) {
	for _, command := range s.Commands {
		if c, ok := command.(C); ok {
			visit(c)
		}
	}
}

// The image holds nothing but the program, does not run as root, and can be asked how
// it is.
func TestImage(t *testing.T) {
	image := stages(t)[1]
	if image.BaseName != "scratch" {
		t.Errorf("the image is made from %s", image.BaseName)
	}
	said := map[string]string{}
	each(image, func(c *instructions.UserCommand) { said["user"] = c.User })
	each(image, func(c *instructions.EntrypointCommand) { said["entry"] = strings.Join(c.CmdLine, " ") })
	each(image, func(c *instructions.CmdCommand) { said["command"] = strings.Join(c.CmdLine, " ") })
	each(image, func(c *instructions.HealthCheckCommand) { said["health"] = strings.Join(c.Health.Test, " ") })
	each(image, func(c *instructions.VolumeCommand) { said["volume"] = strings.Join(c.Volumes, " ") })
	for what, want := range map[string]string{
		"user": "65532:65532", "entry": "/shiplog", "command": "serve", "health": "CMD /shiplog health", "volume": "/data",
	} {
		if said[what] != want {
			t.Errorf("%s is %q, want %q", what, said[what], want)
		}
	}
}

// The image is built by the Go that go.mod asks for, or a newer one.
func TestImageBuildsWithTheRightGo(t *testing.T) {
	mod, err := os.ReadFile(repository + "/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	wants := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(mod)
	has := regexp.MustCompile(`^golang:(\d+\.\d+)\.\d+-`).FindStringSubmatch(stages(t)[0].BaseName)
	if wants == nil || has == nil || string(wants[1]) != has[1] {
		t.Errorf("go.mod wants %q, the Dockerfile builds in %q", wants, has)
	}
}

// Its steps, followed on what .dockerignore leaves of the tree, make a program that
// needs nothing of the system, which an image from scratch has not.
func TestBuildStepsMakeAStaticProgram(t *testing.T) {
	src, out := buildContext(t), t.TempDir()
	var steps []string
	each(stages(t)[0], func(c *instructions.RunCommand) { steps = append(steps, strings.Join(c.CmdLine, " ")) })
	if len(steps) < 2 {
		t.Fatalf("the steps are %q", steps)
	}
	for _, step := range steps {
		cmd := exec.CommandContext(t.Context(), "sh", "-ec", strings.ReplaceAll(step, "/out", out))
		cmd.Dir = src
		cmd.Env = append(os.Environ(), "VERSION=v1.2.3-test", "REVISION=0123456789ab", "GOFLAGS=-mod=readonly")
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", step, err, said)
		}
	}
	program := filepath.Join(out, "shiplog")
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	libraries, err := f.ImportedLibraries()
	if err == nil && len(libraries) > 0 {
		t.Errorf("it wants the libraries %v", libraries)
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("it wants a dynamic linker")
		}
	}
	said, err := exec.CommandContext(t.Context(), program, "version").Output()
	if err != nil || !bytes.Contains(said, []byte("v1.2.3-test")) {
		t.Errorf("it says it is %q (%v)", said, err)
	}
	if _, err := os.Stat(filepath.Join(out, "data")); err != nil {
		t.Error(err)
	}
}

// buildContext is a copy of what a builder is sent.
func buildContext(t *testing.T) string {
	t.Helper()
	f, err := os.Open(repository + "/.dockerignore")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	patterns, err := ignorefile.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	ignored, err := patternmatcher.New(patterns)
	if err != nil {
		t.Fatal(err)
	}
	dir, copied := t.TempDir(), 0
	err = filepath.WalkDir(repository, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(repository, path)
		if err != nil || rel == "." {
			return err
		}
		if d.IsDir() {
			if slices.Contains([]string{".git", "node_modules", "shiplog-data"}, d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if skip, err := ignored.MatchesOrParentMatches(rel); err != nil || skip || !d.Type().IsRegular() {
			return err
		}
		copied++
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(rel)), 0o700); err != nil {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, rel), raw, 0o600)
	})
	if err != nil || copied < 50 {
		t.Fatalf("%d files: %v", copied, err)
	}
	return dir
}
