package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const probePrefix = ".probe-"

// Probe tries whether a directory takes a file of so many bytes, synced. The file
// does not stay.
func Probe(dir string, bytes int) error {
	f, err := os.CreateTemp(dir, probePrefix+"*")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, bytes))
	return errors.Join(err, f.Sync(), f.Close(), os.Remove(f.Name()))
}

// SweepProbes removes what probes have left that were killed. It is for who holds
// the directory, before the first probe.
func SweepProbes(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), probePrefix) && e.Type().IsRegular() {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	if err != nil {
		return fmt.Errorf("remove what was left in %s: %w", dir, err)
	}
	return nil
}
