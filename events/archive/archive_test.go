package archive_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shiplog/events/archive"
)

// zip compresses text as one member.
func zip(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := archive.NewWriter(&b, true)
	for line := range strings.Lines(text) {
		if err := w.Write([]byte(strings.TrimSuffix(line, "\n"))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// readAll reads lines until the end or an error.
func readAll(in string) (lines []string, err error) {
	r, err := archive.NewReader(strings.NewReader(in))
	for err == nil {
		var line []byte
		if line, err = r.Next(); err == nil {
			lines = append(lines, string(line))
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return lines, err
}

func TestReader(t *testing.T) {
	whole := zip(t, "one\ntwo\n")
	long := strings.Repeat("x", 400<<10)
	for _, tt := range []struct {
		name, in string
		want     []string
		err      string
	}{
		{"empty", "", nil, ""},
		{"plain", "one\ntwo\n", []string{"one", "two"}, ""},
		{"compressed", whole, []string{"one", "two"}, ""},
		{"compressed in two parts", whole + zip(t, "three\n"), []string{"one", "two", "three"}, ""},
		{"no break at the end", "one\ntwo", []string{"one"}, "line 2 is cut off"},
		{"empty line", "one\n\ntwo\n", []string{"one"}, "line 2 is empty"},
		{"too long", "one\n" + long + "\n", []string{"one"}, "line 2 is longer than any event"},
		{"compressed, cut off", whole[:len(whole)-9], nil, "line 3 is cut off"},
		{"compressed, cut off in its head", whole[:6], nil, "line 1 cannot be read"},
		{"compressed, altered", whole[:len(whole)-6] + "\xff" + whole[len(whole)-5:], nil, "line 3 cannot be read: the file is damaged"},
		{"behind it something else", whole + "three and four\n", nil, "line 3 cannot be read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := readAll(tt.in)
			if tt.err == "" && err != nil || !strings.HasPrefix(fmt.Sprint(err), tt.err) && tt.err != "" {
				t.Errorf("error %v, want %q", err, tt.err)
			}
			if _, ok := errors.AsType[*archive.LineError](err); err != nil && !ok {
				t.Errorf("%v is not about a line", err)
			}
			if diff := cmp.Diff(tt.want, got); tt.err == "" && diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

// numbered are lines from one number to another.
func numbered(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "line %d %s\n", i, strings.Repeat("x", 3000))
	}
	return b.String()
}

func write(t *testing.T, f *archive.File, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if err := f.Write([]byte(strings.TrimSuffix(line, "\n"))); err != nil {
			t.Fatal(err)
		}
	}
}

func contents(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := readAll(string(raw))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return strings.Join(lines, "\n") + "\n"
}

func TestFileTakesItsNameWhenItIsWhole(t *testing.T) {
	for _, name := range []string{"out.jsonl", "out.jsonl.gz"} {
		path := filepath.Join(t.TempDir(), name)
		f, err := archive.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, f, numbered(1, 50))
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is there before it is whole", name)
		}
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		if got := contents(t, path); got != numbered(1, 50) {
			t.Errorf("%s holds %d bytes of other lines", name, len(got))
		}
		if files, _ := filepath.Glob(path + ".*"); len(files) > 0 {
			t.Errorf("left behind: %v", files)
		}
	}
}

// TestInterruptedFileIsGoneOnWith cuts an export off at many places, as a kill
// would, and goes on.
func TestInterruptedFileIsGoneOnWith(t *testing.T) {
	const n = 6000 // some members
	for _, name := range []string{"out.jsonl", "out.jsonl.gz"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		f, err := archive.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, f, numbered(1, n))
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		most := uint64(0)
		for i := range 12 {
			cut := len(whole) * i / 11
			if err := os.WriteFile(path+".partial", whole[:cut], 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := archive.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			tail := f.Tail()
			if tail.Lines > 0 && !strings.HasPrefix(string(tail.Last), fmt.Sprintf("line %d ", tail.Lines)) {
				t.Errorf("cut at %d: line %d is %.20q", cut, tail.Lines, tail.Last)
			}
			most = max(most, tail.Lines)
			write(t, f, numbered(int(tail.Lines)+1, n))
			if err := f.Commit(); err != nil {
				t.Fatal(err)
			}
			if contents(t, path) != numbered(1, n) {
				t.Errorf("%s cut at %d: other lines after going on from %d", name, cut, tail.Lines)
			}
		}
		if most < n {
			t.Errorf("%s: never went on from more than %d lines", name, most)
		}
	}
}

func TestContinueWorksOnACopy(t *testing.T) {
	for _, name := range []string{"out.jsonl", "out.jsonl.gz"} {
		path := filepath.Join(t.TempDir(), name)
		text := numbered(1, 10)
		if strings.HasSuffix(name, ".gz") {
			text = zip(t, text)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, finish := range []bool{false, true} {
			f, err := archive.Continue(path)
			if err != nil {
				t.Fatal(err)
			}
			if f.Tail().Lines != 10 {
				t.Errorf("%d lines, want 10", f.Tail().Lines)
			}
			write(t, f, numbered(11, 12))
			want := numbered(1, 10)
			if finish {
				want = numbered(1, 12)
				err = f.Commit()
			}
			if err := errors.Join(err, f.Close()); err != nil {
				t.Fatal(err)
			}
			if contents(t, path) != want {
				t.Errorf("%s finished %v: it has other lines", name, finish)
			}
			if files, _ := filepath.Glob(path + ".*"); len(files) > 0 {
				t.Errorf("left behind: %v", files)
			}
		}
	}
}
