//go:build linux || darwin

package localclient

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/atomicfile"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/plainfile"
)

// maxRevived limits the size of a file in [jobdir.RevivedDir], in bytes.
const maxRevived = 4 << 10

// TakePlace makes the job of dir, which has not been started, the one that is started in the place of the lost job
// with that token. If there is one already, which another program or machine has started, it returns that one's name,
// and the job of dir must not be started. A job of which nothing ran does not count, and one that was prepared but not
// started never will be.
func TakePlace(ctx context.Context, dir, token string) (other string, err error) {
	if !jobdir.ValidID(token) {
		return "", fmt.Errorf("%w: a lost job without a token", record.ErrInvalid)
	}
	base, id := filepath.Split(dir)
	places := filepath.Join(base, jobdir.RevivedDir)
	if err := os.MkdirAll(places, 0o700); err != nil {
		return "", err
	}
	place := func(n int) string { return filepath.Join(places, fmt.Sprintf("%s.%d", token, n)) }
	var others []string
	for n, last := 1, false; !last; n++ {
		if other, err = takeFile(place(n), id); err != nil {
			return "", err
		}
		if other == id {
			_, err := os.Lstat(place(n + 1))
			last = err != nil
			continue
		}
		others = append(others, filepath.Join(base, other))
		if never, err := neverRuns(ctx, filepath.Join(base, other)); err != nil || !never {
			return other, err
		}
	}
	// A launch that was repeated after a failure may have come back meanwhile.
	for _, dir := range others {
		if never, err := neverRuns(ctx, dir); err != nil || !never {
			return filepath.Base(dir), err
		}
	}
	return "", nil
}

// takeFile writes id to a file that does not exist yet, and returns what the file has.
func takeFile(path, id string) (string, error) {
	err := atomicfile.Create(path, []byte(id+"\n"))
	if err == nil || !errors.Is(err, fs.ErrExist) {
		return id, err
	}
	text, err := plainfile.Read(path, maxRevived)
	if err != nil {
		return "", err
	}
	other := strings.TrimSpace(string(text))
	if !jobdir.ValidID(other) {
		return "", fmt.Errorf("%s is damaged", path)
	}
	return other, nil
}

// awaitLaunch waits while another process may be about to start the job in dir.
func awaitLaunch(ctx context.Context, dir string) error {
	patience := time.After(startTimeout)
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for jobdir.Locked(dir) && !exists(dir, jobdir.ClaimDir) {
		select {
		case <-look.C:
		case <-patience:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func exists(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}

// neverRuns reports whether nothing of the job in dir has run. It makes sure that a job that was prepared for a
// client elsewhere, and was not started, never starts.
func neverRuns(ctx context.Context, dir string) (bool, error) {
	if !exists(dir, ".") {
		return true, nil // cleared, or its launch failed
	}
	if exists(dir, jobdir.TokenFile) {
		if err := awaitLaunch(ctx, dir); err != nil {
			return false, err
		}
		switch err := os.Mkdir(filepath.Join(dir, jobdir.ClaimDir), 0o700); {
		case err == nil:
			text := []byte("the program that was starting it ended, and another one started the job again\n")
			return true, atomicfile.Write(filepath.Join(dir, jobdir.FailedFile), text)
		case !errors.Is(err, fs.ErrExist):
			return false, err
		case exists(dir, jobdir.FailedFile):
			return true, nil
		}
	}
	states, err := LookAll(ctx, []string{dir}, false)
	if err != nil || states[dir] == nil {
		return false, err
	}
	return states[dir].NeverRan(), nil
}
