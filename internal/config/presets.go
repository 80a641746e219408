package config

import (
	"github.com/hobjobs/hob/internal/build"
	"github.com/hobjobs/hob/internal/presets"
)

// SavePresets keeps what the file says of a start in jobs, the directory of all jobs,
// if nothing is wrong with it; notify is its command for a shell.
func (c *Config) SavePresets(jobs, notify string) {
	if len(c.Problems) > 0 {
		return
	}
	presets.Save(jobs, c.Path, c.file, presets.Start{
		Cols: c.Run.Size.Cols, Rows: c.Run.Size.Rows, Grace: c.Run.Grace, Timeout: c.Run.Timeout,
		LogLimit: c.Log.Limit, Notify: notify, Build: build.Version(),
	})
}
