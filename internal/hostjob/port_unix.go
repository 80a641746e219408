//go:build linux || darwin

package hostjob

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hobjobs/hob/internal/freeport"
	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/jobdir"
)

// freePort returns a port that no server and no unfinished job in base has.
func freePort(ctx context.Context, base string, p *Port) Found {
	var port int
	given, err := givenPorts(base)
	if err == nil {
		port, err = freeport.Find(ctx, absolute(p.Dir), p.Name, given)
	}
	if err != nil {
		return Found{Failure: holder.FailureOf(err)}
	}
	return Found{Port: port}
}

// givenPorts returns the ports of the unfinished jobs in base, whichever client started them.
func givenPorts(base string) (map[int]bool, error) {
	entries, err := os.ReadDir(base)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	given := map[int]bool{}
	for _, e := range entries {
		dir := filepath.Join(base, e.Name())
		if !jobdir.Locked(dir) {
			continue
		}
		if meta, err := jobdir.ReadMeta(dir); err == nil {
			given[meta.Port] = true
		}
	}
	return given, nil
}
