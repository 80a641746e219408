package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/enginetest"
	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
)

func ids(jobs []engine.Job) []engine.ID {
	var out []engine.ID
	for _, j := range jobs {
		out = append(out, j.ID)
	}
	return out
}

func list(t *testing.T, e *engine.Engine, f engine.Filter) []engine.Job {
	t.Helper()
	jobs, err := e.List(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}

// ticking is a clock that never returns the same time twice.
func ticking() engine.Option {
	c := newClock()
	c.move(-time.Hour)
	return engine.WithClock(func() time.Time { return c.move(time.Second) })
}

func TestListIsNewestFirstAndFiltered(t *testing.T) {
	host := fakeHost()
	e, f := withFake(t, ticking(), engine.WithBackend(host))
	good := start(t, e, engine.Spec{Labels: map[string]string{"team": "a"}})
	bad := start(t, e, engine.Spec{CreatedBy: "agent"})
	asked := start(t, e, engine.Spec{})
	signalled := start(t, e, engine.Spec{})
	remote := start(t, e, engine.Spec{Host: "web1"})
	running := start(t, e, engine.Spec{})
	f.Job(good.ID).Exit(0)
	f.Job(bad.ID).Exit(1)
	f.Job(signalled.ID).Signalled("SIGSEGV", 11)
	if _, err := e.Handle(asked.ID).Stop(t.Context(), engine.StopOptions{}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		f    engine.Filter
		want []engine.Job
	}{
		"all":      {engine.Filter{}, []engine.Job{running, remote, signalled, asked, bad, good}},
		"running":  {engine.Filter{Running: true}, []engine.Job{running, remote}},
		"finished": {engine.Filter{Finished: true}, []engine.Job{signalled, asked, bad, good}},
		"failed":   {engine.Filter{Failed: true}, []engine.Job{signalled, bad}},
		"either":   {engine.Filter{Failed: true, Running: true}, []engine.Job{running, remote, signalled, bad}},
		"status":   {engine.Filter{Statuses: []engine.Status{engine.Killed}}, []engine.Job{signalled, asked}},
		"host":     {engine.Filter{Host: "web1"}, []engine.Job{remote}},
		"here":     {engine.Filter{Here: true, Running: true}, []engine.Job{running}},
		"ids":      {engine.Filter{IDs: []engine.ID{good.ID, remote.ID}}, []engine.Job{remote, good}},
		"labels":   {engine.Filter{Labels: map[string]string{"team": "a"}}, []engine.Job{good}},
		"client":   {engine.Filter{CreatedBy: "agent"}, []engine.Job{bad}},
		"since":    {engine.Filter{Since: running.CreatedAt, Running: true}, []engine.Job{running}},
	} {
		for _, round := range []string{"from directories", "from the index"} {
			if diff := cmp.Diff(ids(c.want), ids(list(t, e, c.f))); diff != "" {
				t.Errorf("%s, %s:\n%s", name, round, diff)
			}
		}
	}
	// The index has exactly the content of the directories.
	indexed := list(t, e, engine.Filter{})
	if err := os.Remove(filepath.Join(e.StateDir(), "index")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(indexed, list(t, e, engine.Filter{})); diff != "" {
		t.Errorf("without the index:\n%s", diff)
	}
}

func TestDamagedDirectoryIsLostJobOrHidden(t *testing.T) {
	e, f := withFake(t)
	j := start(t, e, engine.Spec{})
	f.Job(j.ID).Print("log")
	f.Job(j.ID).Die()
	dir := filepath.Join(e.StateDir(), "jobs", string(j.ID))
	if err := os.WriteFile(filepath.Join(dir, jobdir.MetaFile), []byte(`{"versi`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(e.StateDir(), "jobs", "making-22222"), 0o700); err != nil {
		t.Fatal(err)
	}
	jobs := list(t, e, engine.Filter{})
	if len(jobs) != 1 || jobs[0].Status != engine.Lost || jobs[0].Exit.Error == "" || jobs[0].Name != string(j.ID) {
		t.Fatalf("jobs = %+v", jobs)
	}
	buf := make([]byte, 10)
	if n, _, err := enginetest.ReadStream(t.Context(), e.Handle(j.ID), engine.StreamOutput, buf, 0); err != nil || string(buf[:n]) != "log" {
		t.Errorf("its log: %q, %v", buf[:n], err)
	}
	if _, err := e.Handle(j.ID).Restart(t.Context(), engine.RestartOptions{}); !errors.Is(err, engine.ErrUnsupported) {
		t.Errorf("restart: %v", err)
	}
	if _, err := e.Remove(t.Context(), engine.RemoveOptions{}, j.ID); err != nil {
		t.Errorf("clear: %v", err)
	}
}

// A finished job stays as it was recorded, for every client, until the index is deleted; then it is
// lost for every client.
func TestFinishedJobDamagedLater(t *testing.T) {
	e, f := withFake(t)
	j := start(t, e, engine.Spec{})
	f.Job(j.ID).Exit(3)
	list(t, e, engine.Filter{}) // adds it to the index
	meta := filepath.Join(e.StateDir(), "jobs", string(j.ID), jobdir.MetaFile)
	same := func(damage string, want engine.Status) {
		t.Helper()
		jobs := list(t, e, engine.Filter{})
		one, err := e.Handle(j.ID).Facts(t.Context())
		if len(jobs) != 1 || err != nil {
			t.Fatalf("%s: listed %+v, %v", damage, jobs, err)
		}
		if one.Status != want || jobs[0].Status != want || one.Name != jobs[0].Name {
			t.Errorf("%s: %s %q, in a list %s %q", damage, one.Status, one.Name, jobs[0].Status, jobs[0].Name)
		}
	}
	if err := os.WriteFile(meta, []byte(`{"versi`), 0o600); err != nil {
		t.Fatal(err)
	}
	same("half a record", engine.Exited)
	if err := os.Remove(filepath.Join(e.StateDir(), "index")); err != nil {
		t.Fatal(err)
	}
	same("and no index", engine.Lost)
}

func TestJobsOfAnotherMachineKeepStatus(t *testing.T) {
	for name, change := range map[string]func(*record.State){
		"machine":   func(s *record.State) { s.Machine = "another" },
		"container": func(s *record.State) { s.PIDNS = "another" },
	} {
		t.Run(name, func(t *testing.T) {
			e, f := withFake(t)
			j := start(t, e, engine.Spec{})
			dir := f.Job(j.ID).Launch.Dir
			st, err := jobdir.ReadState(dir)
			if err != nil {
				t.Fatal(err)
			}
			change(&st)
			if err := jobdir.WriteState(dir, &st); err != nil {
				t.Fatal(err)
			}
			f.Job(j.ID).Die()
			got := get(t, e, j.ID)
			if got.Status != engine.Running || got.Link != engine.LinkElsewhere || got.StaleSince.IsZero() {
				t.Errorf("job = %+v", got)
			}
			_, waitErr := e.Handle(j.ID).Wait(t.Context())
			_, stopErr := e.Handle(j.ID).Stop(t.Context(), engine.StopOptions{})
			_, clearErr := e.Remove(t.Context(), engine.RemoveOptions{}, j.ID)
			for op, err := range map[string]error{"wait": waitErr, "stop": stopErr, "clear": clearErr} {
				if !errors.Is(err, engine.ErrElsewhere) {
					t.Errorf("%s: %v", op, err)
				}
			}
			if jobs := list(t, e, engine.Filter{Here: true}); len(jobs) != 0 {
				t.Errorf("it counts as here: %v", ids(jobs))
			}
			now := time.Now()
			if a, b := got.Uptime(now), got.Uptime(now.Add(time.Hour)); a != b {
				t.Errorf("it is known to have run for %v, and an hour later for %v", a, b)
			}
			if !strings.Contains(hintOf(clearErr), "hob clear --forget "+string(j.ID)) {
				t.Errorf("the refusal names no way out: %v, %q", clearErr, hintOf(clearErr))
			}
			lock, err := jobdir.Lock(dir)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := e.Remove(t.Context(), engine.RemoveOptions{Forget: true}, j.ID); !errors.Is(err, engine.ErrRunning) {
				t.Errorf("forget while its holder is there: %v", err)
			}
			lock.Close()
			if jobs, err := e.Remove(t.Context(), engine.RemoveOptions{Forget: true}, j.ID); err != nil || len(jobs) != 1 {
				t.Errorf("forget: %v, %v", ids(jobs), err)
			}
			if jobs := list(t, e, engine.Filter{}); len(jobs) != 0 {
				t.Errorf("forgotten it is still listed: %v", ids(jobs))
			}
		})
	}
}

// hintOf returns the hint of an engine error.
func hintOf(err error) string {
	e, _ := errors.AsType[*engine.Error](err)
	if e == nil {
		return ""
	}
	return e.Hint
}

// The survivors of a job on another machine cannot be checked from here: a stop is refused, and the
// record keeps listing them.
func TestStopRefusesSurvivorsElsewhere(t *testing.T) {
	e, f := withFake(t)
	j := start(t, e, engine.Spec{})
	f.Job(j.ID).Exit(0)
	dir := f.Job(j.ID).Launch.Dir
	st, err := jobdir.ReadState(dir)
	if err != nil {
		t.Fatal(err)
	}
	left := []record.Process{{PID: 1, Command: "left", Start: "1"}}
	st.Machine, st.Exit.Survivors = "another", left
	if err := jobdir.WriteState(dir, &st); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Handle(j.ID).Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow}); !errors.Is(err, engine.ErrElsewhere) {
		t.Errorf("kill: %v", err)
	}
	if st, err := jobdir.ReadState(dir); err != nil || !slices.Equal(st.Exit.Survivors, left) {
		t.Errorf("after that the record names %+v, %v", st.Exit.Survivors, err)
	}
}

func TestResolve(t *testing.T) {
	e, f := withFake(t, ticking())
	oldWeb := start(t, e, engine.Spec{Name: "web"})
	f.Job(oldWeb.ID).Exit(0)
	web := start(t, e, engine.Spec{Name: "web"})
	oldDB := start(t, e, engine.Spec{Name: "db"})
	db := start(t, e, engine.Spec{Name: "db"})
	f.Job(oldDB.ID).Exit(0)
	f.Job(db.ID).Exit(0)
	api := start(t, e, engine.Spec{Name: "api"})
	start(t, e, engine.Spec{Name: "api"})
	start(t, e, engine.Spec{Name: string(oldWeb.ID)})
	long := strings.Repeat("long name ", 20)
	lines, cut := start(t, e, engine.Spec{Name: "two\nlines\x1b"}), start(t, e, engine.Spec{Name: long})
	for name, c := range map[string]struct {
		ref        string
		in         engine.Intent
		want       engine.ID
		err        error
		candidates int
	}{
		"id":                        {ref: string(oldDB.ID), want: oldDB.ID},
		"an id wins over a name":    {ref: string(oldWeb.ID), want: oldWeb.ID},
		"newest":                    {ref: "@", want: cut.ID},
		"the one before":            {ref: "@2", want: lines.ID},
		"a name as it is kept":      {ref: "two lines", want: lines.ID},
		"a name as it was given":    {ref: "two\nlines\x1b", want: lines.ID},
		"a name that was too long":  {ref: long, want: cut.ID},
		"too far back":              {ref: "@99", err: engine.ErrNotFound},
		"not a number":              {ref: "@x", err: engine.ErrNotFound},
		"the running one of a name": {ref: "web", in: engine.Act, want: web.ID},
		"none runs, reading":        {ref: "db", want: db.ID},
		"none runs, acting":         {ref: "db", in: engine.Act, err: engine.ErrAmbiguous, candidates: 2},
		"several run":               {ref: "api", err: engine.ErrAmbiguous, candidates: 2},
		"prefix":                    {ref: string(api.ID)[:len(api.ID)-1], want: api.ID},
		"ambiguous prefix":          {ref: "a", err: engine.ErrAmbiguous, candidates: 2},
		"nothing":                   {ref: "zzz", err: engine.ErrNotFound},
		"empty":                     {ref: "", err: engine.ErrInvalid},
		"a path":                    {ref: "../jobs/" + string(web.ID), err: engine.ErrNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			j, err := e.Find(t.Context(), c.ref, c.in)
			if j.ID != c.want || !errors.Is(err, c.err) || c.err == nil && err != nil {
				t.Errorf("got %q, %v", j.ID, err)
			}
			var amb *engine.AmbiguousError
			if errors.As(err, &amb); c.candidates > 0 && len(amb.Candidates) != c.candidates {
				t.Errorf("candidates %v", ids(amb.Candidates))
			}
		})
	}
}

func TestClearUndoRemove(t *testing.T) {
	e, f := withFake(t)
	a, b, running := start(t, e, engine.Spec{}), start(t, e, engine.Spec{}), start(t, e, engine.Spec{})
	f.Job(a.ID).Exit(0)
	f.Job(b.ID).Exit(0)
	f.Job(a.ID).Launch.Spec.Name = ""
	if _, err := e.Remove(t.Context(), engine.RemoveOptions{}, a.ID, running.ID); !errors.Is(err, engine.ErrRunning) {
		t.Errorf("with a running one: %v", err)
	}
	if n := len(list(t, e, engine.Filter{})); n != 3 {
		t.Fatalf("the refused clear left %d jobs", n)
	}
	log, err := e.Handle(a.ID).Log(t.Context(), engine.StreamOutput)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if jobs, err := e.Remove(t.Context(), engine.RemoveOptions{}, a.ID, b.ID, a.ID); err != nil || len(jobs) != 2 {
		t.Fatalf("cleared %v, %v", ids(jobs), err)
	}
	if _, err := e.Handle(a.ID).Facts(t.Context()); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("cleared: %v", err)
	}
	if _, err := log.Size(t.Context()); err != nil {
		t.Errorf("an open log: %v", err)
	}
	if _, err := e.Undo(t.Context(), "nosuch"); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("undo of a job that is not in the trash: %v", err)
	}
	if jobs, err := e.Undo(t.Context()); err != nil || len(jobs) != 2 {
		t.Errorf("undone %v, %v", ids(jobs), err)
	}
	for name, ids := range map[string][]engine.ID{"again": nil, "a job": {a.ID}, "nothing": {"nothing-22222"}} {
		if _, err := e.Undo(t.Context(), ids...); !errors.Is(err, engine.ErrNotFound) {
			t.Errorf("undo %s: %v", name, err)
		}
	}
	if jobs, err := e.Remove(t.Context(), engine.RemoveOptions{Stop: true}, running.ID, a.ID); err != nil || len(jobs) != 2 || jobs[0].Status != engine.Killed {
		t.Errorf("removed %v, %v", ids(jobs), err)
	}
	if _, err := e.Remove(t.Context(), engine.RemoveOptions{Stop: true}, running.ID); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("removed twice: %v", err)
	}
}

// Of several concurrent calls one clears the job; the others report that it is not found, not that
// the state directory is broken.
func TestConcurrentClear(t *testing.T) {
	e, f := withFake(t)
	for range 50 {
		j := start(t, e, engine.Spec{})
		f.Job(j.ID).Exit(0)
		errs := make([]error, 4)
		var work sync.WaitGroup
		for i := range errs {
			work.Go(func() { _, errs[i] = e.Remove(t.Context(), engine.RemoveOptions{}, j.ID) })
		}
		work.Wait()
		won := 0
		for _, err := range errs {
			switch {
			case err == nil:
				won++
			case !errors.Is(err, engine.ErrNotFound):
				t.Fatalf("cleared by several: %v", err)
			}
		}
		if won != 1 {
			t.Fatalf("%d of %d cleared it", won, len(errs))
		}
	}
}

func TestRetention(t *testing.T) {
	c := newClock()
	e, f := withFake(t, engine.WithClock(c.now), engine.WithRetention(engine.Retention{Count: 2}))
	f.Clock(c.now)
	var kept []engine.ID
	for i := range 4 {
		c.move(time.Second)
		j := start(t, e, engine.Spec{})
		f.Job(j.ID).Exit(0)
		if i >= 2 {
			kept = append([]engine.ID{j.ID}, kept...)
		}
	}
	c.move(2 * time.Hour) // the first start swept an empty root
	if err := e.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(kept, ids(list(t, e, engine.Filter{}))); diff != "" {
		t.Errorf("kept:\n%s", diff)
	}
}

// thousand returns a root with that many finished jobs, indexed.
func thousand(tb testing.TB) *engine.Engine {
	tb.Helper()
	f := newFake("")
	e, err := engine.New(engine.WithStateDir(tb.TempDir()), engine.WithBackend(f), engine.WithRetention(engine.Retention{Count: -1}))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { e.Close() })
	for i := range 1000 {
		j, err := e.Start(tb.Context(), engine.Spec{Command: []string{"npm", "run", fmt.Sprint("task", i)}})
		if err != nil {
			tb.Fatal(err)
		}
		f.Job(j.ID).Exit(i % 3)
	}
	if _, err := e.List(tb.Context(), engine.Filter{}); err != nil {
		tb.Fatal(err)
	}
	return e
}

func BenchmarkListOfAThousandFinished(b *testing.B) {
	e := thousand(b)
	for b.Loop() {
		jobs, err := e.List(b.Context(), engine.Filter{})
		if err != nil || len(jobs) != 1000 {
			b.Fatal(len(jobs), err)
		}
	}
}

func BenchmarkJSONOfAThousand(b *testing.B) {
	e := thousand(b)
	jobs, err := e.List(b.Context(), engine.Filter{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for _, j := range jobs {
			if _, err := j.MarshalJSON(); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// The same command is one that the user would type in the same way, in the same place.
func TestFilterSame(t *testing.T) {
	local, host := newFake(""), fakeHost()
	e := open(t, engine.WithBackend(local), engine.WithBackend(host))
	dir := t.TempDir()
	t.Chdir(dir)
	there := start(t, e, engine.Spec{Script: "npm test", Host: "web1"})
	here := start(t, e, engine.Spec{Command: []string{"npm", "test"}})
	start(t, e, engine.Spec{Script: "npm test", Dir: t.TempDir()})
	start(t, e, engine.Spec{Script: "npm test --watch"})
	for name, tt := range map[string]struct {
		spec engine.Spec
		want []engine.ID
	}{
		"the same words":               {engine.Spec{Command: []string{"npm", "test"}}, []engine.ID{here.ID}},
		"as a script":                  {engine.Spec{Script: "npm test", Dir: dir}, []engine.ID{here.ID}},
		"one word":                     {engine.Spec{Command: []string{"npm test"}}, nil},
		"another directory":            {engine.Spec{Script: "npm test", Dir: "/"}, nil},
		"on a host":                    {engine.Spec{Script: "npm test", Host: "web1"}, []engine.ID{there.ID}},
		"in another directory of it":   {engine.Spec{Script: "npm test", Host: "web1", Dir: "/srv"}, nil},
		"on a host without such a job": {engine.Spec{Script: "npm test", Host: "web2"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []engine.ID
			for _, j := range list(t, e, engine.Filter{Running: true, Same: &tt.spec}) {
				got = append(got, j.ID)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A name that was not looked up in time is not one that does not exist.
func TestFindAfterItsTime(t *testing.T) {
	e, _ := withFake(t)
	start(t, e, engine.Spec{Name: "kept"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Find(ctx, "kept", engine.Read); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}
