//go:build !linux

package ledger

import (
	"errors"
	"os"
)

const memoryDir = ""

// folderName: there is no directory in memory that outlives the process.
func folderName(string) (string, bool) { return "", false }

func roomInMemory(int64) error { return errors.ErrUnsupported }

func private(string) error { return nil }

func syncData(f *os.File) error { return f.Sync() }
