package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"shiplog/ops"
)

// buildOf says which program this is. One built without the Makefile has what
// the Go command knows of it.
func buildOf(version, revision string) ops.Build {
	b := ops.Build{Version: version, Revision: revision}
	if b.Version == "" {
		b.Version = "dev"
	}
	if b.Revision != "" {
		return b
	}
	b.Revision = "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				b.Revision = s.Value[:12]
			}
		}
	}
	return b
}

// Run prints which program this is.
func (c *VersionCmd) Run(std *stdio, build ops.Build) error {
	if c.JSON {
		return std.printJSON(struct {
			ops.Build
			Go       string `json:"goversion"`
			Platform string `json:"platform"`
		}{build, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH})
	}
	fmt.Fprintf(std.out, "shiplog %s (revision %s, %s, %s/%s)\n",
		build.Version, build.Revision, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
