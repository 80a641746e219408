package local

import (
	"context"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// growth waits until one of some files is written to. The kernel's watch is for
// one event at a time, so that a job that writes a million times is noticed once
// between two calls.
type growth struct {
	f     *os.File // an inotify descriptor
	paths []string
}

func newGrowth(files []*os.File) (*growth, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, err
	}
	g := &growth{f: os.NewFile(uintptr(fd), "inotify")}
	for _, f := range files {
		// By descriptor: the directory may be renamed while the job runs.
		g.paths = append(g.paths, "/proc/self/fd/"+strconv.Itoa(int(f.Fd())))
	}
	return g, nil
}

// arm makes the next write end wait. What was written before is not noticed, so
// the caller looks once more after it.
func (g *growth) arm() bool {
	if g == nil {
		return false
	}
	err := withDescriptor(g.f, func(fd int) error {
		for _, p := range g.paths {
			if _, err := unix.InotifyAddWatch(fd, p, unix.IN_MODIFY|unix.IN_ONESHOT); err != nil {
				return err
			}
		}
		return nil
	})
	return err == nil
}

// wait returns true when a file was written to, false when ctx has ended.
func (g *growth) wait(ctx context.Context) bool {
	stop := context.AfterFunc(ctx, func() { _ = g.f.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	var events [512]byte
	_, err := g.f.Read(events[:])
	return err == nil && ctx.Err() == nil
}

func (g *growth) close() {
	if g != nil {
		g.f.Close()
	}
}
