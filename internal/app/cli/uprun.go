package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hobjobs/hob/internal/app/project"
	"github.com/hobjobs/hob/ui"
)

// upRun starts the processes of a project and prints what becomes of them.
type upRun struct {
	project.Up
	app   *app
	width int // of the longest name

	mu      sync.Mutex
	hidden  bool // the UI has the terminal: nothing is printed
	results []project.Result
	waits   map[string]string // of the processes that wait: what for
}

// done records and prints a result.
func (u *upRun) done(r project.Result) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.results = append(u.results, r)
	delete(u.waits, r.Name)
	if !u.hidden {
		u.print(r)
	}
}

// print prints a result: the name, the job and what was done. That a process cannot be started is an
// error.
func (u *upRun) print(r project.Result) {
	what := "started"
	switch {
	case u.app.json:
		return
	case r.Error != "":
		u.app.reportf("%s %s cannot be started: %s", u.app.paintErr("hob:", styleBad), escape(r.Name), escape(r.Error))
		return
	case r.Action == project.Keep:
		what = "runs already"
	case r.Action == project.Restart:
		what = "restarted: its command has changed"
	}
	if p := r.Job.Pending; p != nil && (p.Position > 0 || len(p.After) > 0) { // otherwise its turn has come
		what = "queued " + p.Reason
	}
	fmt.Fprintf(u.app.stdout, "%-*s  %s  %s\n", u.width, escape(r.Name), r.Job.ID, what)
}

func (u *upRun) waiting(name string, until []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.waits[name] = strings.Join(until, " and ")
	if !u.hidden {
		u.printWait(name)
	}
}

func (u *upRun) printWait(name string) {
	if !u.app.json {
		u.app.reportf("%s waits until %s", escape(name), escape(u.waits[name]))
	}
}

// show prints again, first the errors until now and what still waits.
func (u *upRun) show() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.hidden = false
	for _, r := range u.results {
		if r.Error != "" {
			u.print(r)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(u.waits)) {
		u.printWait(name)
	}
	if len(u.waits) > 0 {
		u.app.reportf("Ctrl+C leaves the rest not started")
	}
}

// hasJobs reports whether any process runs.
func (u *upRun) hasJobs() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.ContainsFunc(u.results, func(r project.Result) bool { return r.Job != nil })
}

// finish returns the exit status after the last result.
func (u *upRun) finish(err error) error {
	if errors.Is(err, context.Canceled) {
		return cmp.Or(u.app.leftBy.status(), error(exitStatus(exitBroken)))
	}
	if err == nil && u.app.json {
		err = u.app.printJSON(u.results)
	}
	if err != nil {
		return err
	}
	if u.hasJobs() && !u.app.json {
		u.app.reportLogout()
	}
	if slices.ContainsFunc(u.results, func(r project.Result) bool { return r.Error != "" }) {
		return exitStatus(exitFailed)
	}
	return nil
}

// inUI shows the jobs while it starts them. The UI opens once there is a job. If the user closes it
// before the last process has been started, the others are started then.
func (u *upRun) inUI(ctx context.Context, chosen []project.Process, o ui.AppOptions) error {
	ctx, release := leaveOnSignal(ctx)
	defer release()
	started, ended := make(chan struct{}), make(chan error, 1)
	begun := sync.OnceFunc(func() { close(started) })
	u.hidden = true
	u.Waiting = func(name string, until []string) {
		u.waiting(name, until)
		begun()
	}
	go func() { // every path below waits for its end
		ended <- u.Run(ctx, chosen)
		begun()
	}()
	<-started
	if !u.hasJobs() {
		u.show()
		return u.finish(<-ended)
	}
	result, err := u.app.runApp(ctx, o)
	u.show()
	if err == nil {
		u.app.reportRunning(result.Running)
	}
	return cmp.Or(u.finish(<-ended), err)
}
