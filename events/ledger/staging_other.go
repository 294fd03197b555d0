//go:build !linux

package ledger

import "os"

// memoryDir: there is no directory in memory that outlives the process.
func memoryDir(int64) string { return "" }

func private(string) error { return nil }

func syncData(f *os.File) error { return f.Sync() }
