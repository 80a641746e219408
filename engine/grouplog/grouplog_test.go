package grouplog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/joblog"
	"github.com/hobjobs/hob/engine/record"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// second returns a time of the tests.
func second(n int) time.Time { return noon.Add(time.Duration(n) * time.Second) }

// tape is the output of a job, with the time of each line.
type tape struct {
	text  string
	times []time.Time // by offset; nil: not recorded
	fail  error
	open  int
}

// print adds text that was written at a second.
func (f *tape) print(at int, text string) {
	f.text += text
	for range text {
		f.times = append(f.times, second(at))
	}
}

func (f *tape) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	if f.fail != nil {
		return 0, f.fail
	}
	if off >= int64(len(f.text)) {
		return 0, io.EOF
	}
	n := copy(p, f.text[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *tape) Size(context.Context) (int64, error)           { return int64(len(f.text)), f.fail }
func (f *tape) Holes(context.Context) ([]record.Range, error) { return nil, nil }

func (f *tape) Close() error {
	f.open--
	return nil
}

// clock is a joblog.Times.
type clock struct{ *tape }

func (c clock) WrittenAt(_ context.Context, off int64) (time.Time, bool) {
	if off >= int64(len(c.times)) {
		return time.Time{}, false
	}
	return c.times[off], true
}

func (clock) Close() error { return nil }

// group is an engine with some jobs.
type group struct {
	jobs   []engine.Job
	tapes  map[engine.ID]*tape
	events chan []engine.Event
}

func newGroup() *group {
	return &group{tapes: map[engine.ID]*tape{}, events: make(chan []engine.Event, 100)}
}

// job adds a job that was started at a second, and returns its output.
func (g *group) job(name string, at int) *tape {
	j := engine.Job{Request: engine.Request{ID: engine.ID(name), Name: name, CreatedAt: second(at), Labels: map[string]string{"group": "shop"}}}
	j.Status, j.StartedAt = engine.Running, second(at)
	g.jobs = append(g.jobs, j)
	g.tapes[j.ID] = &tape{times: []time.Time{}}
	return g.tapes[j.ID]
}

// end ends a job.
func (g *group) end(name string, at int) {
	j := g.find(name)
	code := 1
	j.Status, j.Exit = engine.Exited, engine.Exit{Status: engine.Exited, Code: &code, At: second(at)}
}

func (g *group) find(name string) *engine.Job {
	return &g.jobs[slices.IndexFunc(g.jobs, func(j engine.Job) bool { return j.Name == name })]
}

// tell sends an event about a job.
func (g *group) tell(kind engine.EventKind, name string) {
	g.events <- []engine.Event{{Kind: kind, Job: *g.find(name)}}
}

func (g *group) List(_ context.Context, f engine.Filter) ([]engine.Job, error) {
	return slices.DeleteFunc(slices.Clone(g.jobs), func(j engine.Job) bool { return !f.Selects(&j) }), nil
}

func (g *group) Log(_ context.Context, id engine.ID, _ engine.Stream) (*joblog.Log, error) {
	f := g.tapes[id]
	if f.fail != nil {
		return nil, f.fail
	}
	f.open++
	if f.times == nil {
		return joblog.New(f, nil), nil
	}
	return joblog.New(f, clock{f}), nil
}

func (g *group) Subscribe(engine.Filter) subscription {
	var snapshot []engine.Event
	for _, j := range slices.Backward(g.jobs) {
		snapshot = append(snapshot, engine.Event{Kind: engine.EventCreated, Job: j})
	}
	g.events <- snapshot
	return g
}

func (g *group) Next(ctx context.Context) ([]engine.Event, error) {
	select {
	case events := <-g.events:
		return events, nil
	default:
		return nil, errNothing
	}
}

func (g *group) Attend(...engine.ID) {}
func (g *group) Close() error        { return nil }

// errNothing is returned where a subscription would wait.
var errNothing = errors.New("nothing has happened")

func (g *group) opens(t *testing.T, o Options) *Stream {
	t.Helper()
	s, err := open(t.Context(), g, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		for id, f := range g.tapes {
			if f.open != 0 {
				t.Errorf("the log of %s is open %d times", id, f.open)
			}
		}
	})
	return s
}

// reads returns what there is to read, as "second name: text".
func reads(t *testing.T, s *Stream) []string {
	t.Helper()
	var all []string
	for {
		entries, err := s.Next(t.Context())
		if errors.Is(err, io.EOF) || errors.Is(err, errNothing) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			at := "?"
			if !e.At.IsZero() {
				at = fmt.Sprint(int(e.At.Sub(noon) / time.Second))
			}
			text := e.Line.Text
			switch {
			case e.Ended && e.Err != nil:
				at, text = "-", "(removed)"
			case e.Err != nil:
				at, text = "-", e.Err.Error()
			case e.Ended:
				text = fmt.Sprintf("(exit %d)", *e.Job.Exit.Code)
			}
			all = append(all, at+" "+e.Job.Name+": "+text)
		}
	}
}

// shop is a group whose lines alternate.
func shop() *group {
	g := newGroup()
	web, worker, mailer := g.job("web", 0), g.job("worker", 1), g.job("mailer", 2)
	web.print(1, "listening\n")
	mailer.print(3, "connecting\n")
	worker.print(4, "job 1\n")
	mailer.print(5, "refused\n")
	web.print(6, "GET /\n")
	worker.print(7, "job 2\n")
	web.print(8, "GET /a\nGET /b\n")
	g.end("mailer", 6)
	return g
}

func TestLinesAreInTheOrderOfTheirTimes(t *testing.T) {
	all := []string{
		"1 web: listening", "3 mailer: connecting", "4 worker: job 1", "5 mailer: refused", "6 web: GET /",
		"6 mailer: (exit 1)", "7 worker: job 2", "8 web: GET /a", "8 web: GET /b",
	}
	for name, tt := range map[string]struct {
		last int
		want []string
	}{
		"all":           {-1, all},
		"more than all": {100, all},
		"the last four": {4, all[4:]}, // and an end
		"the last two":  {2, all[7:]},
		"none":          {0, nil},
	} {
		for _, follow := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, follow %v", name, follow), func(t *testing.T) {
				got := reads(t, shop().opens(t, Options{Last: tt.last, Follow: follow}))
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("read (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// Lines that are not wanted do not count as existing lines.
func TestOnlySomeLines(t *testing.T) {
	for _, follow := range []bool{false, true} {
		o := Options{Last: 2, Follow: follow, Only: regexp.MustCompile("GET|refused"), Except: regexp.MustCompile("/b")}
		want := []string{"6 web: GET /", "6 mailer: (exit 1)", "8 web: GET /a"}
		if diff := cmp.Diff(want, reads(t, shop().opens(t, o))); diff != "" {
			t.Errorf("follow %v: read (-want +got):\n%s", follow, diff)
		}
	}
}

func TestFollowing(t *testing.T) {
	g := shop()
	s := g.opens(t, Options{Filter: engine.Filter{Labels: map[string]string{"group": "shop"}}, Follow: true})
	step := func(want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, reads(t, s)); diff != "" {
			t.Errorf("read (-want +got):\n%s", diff)
		}
	}
	step()

	g.tapes["web"].print(10, "GET /c\nGET ")
	g.tapes["worker"].print(9, "job 3\n")
	g.tell(engine.EventOutput, "web")
	g.tell(engine.EventOutput, "worker")
	step("10 web: GET /c", "9 worker: job 3") // worker's is reported later
	g.tapes["web"].print(11, "/d\n")
	g.tell(engine.EventOutput, "web")
	step("10 web: GET /d")

	g.tapes["web"].print(12, "killed")
	g.end("web", 13)
	g.tell(engine.EventExited, "web")
	step("12 web: killed", "13 web: (exit 1)")

	g.job("web-2", 14).print(14, "listening\n")
	g.tell(engine.EventCreated, "web-2")
	step("14 web-2: listening")

	other := g.job("other", 15)
	other.print(15, "not of the group\n")
	g.find("other").Labels = nil
	g.tell(engine.EventCreated, "other")
	step()

	g.tapes["web-2"].print(16, "bye\n")
	g.tell(engine.EventRemoved, "web-2")
	step("16 web-2: bye", "- web-2: (removed)")
}

// A job that is removed before its end was delivered ends for the stream, once: clients wait for that.
func TestRemovedJobsEnd(t *testing.T) {
	g := shop()
	s := g.opens(t, Options{Last: 1, Follow: true})
	reads(t, s)
	step := func(want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, reads(t, s)); diff != "" {
			t.Errorf("read (-want +got):\n%s", diff)
		}
	}
	web, worker := *g.find("web"), *g.find("worker")
	g.end("worker", 20)
	g.events <- []engine.Event{{Kind: engine.EventExited, Job: *g.find("worker")}, {Kind: engine.EventRemoved, Job: *g.find("worker")}}
	step("20 worker: (exit 1)")
	g.events <- []engine.Event{{Kind: engine.EventRemoved, Job: web}, {Kind: engine.EventRemoved, Job: worker}}
	step("- web: (removed)")

	g.job("queued", 21).text = "not read"
	g.find("queued").StartedAt = time.Time{}
	g.tell(engine.EventCreated, "queued")
	step()
	g.tell(engine.EventRemoved, "queued")
	step("- queued: (removed)")
	g.job("short", 22).text = "removed before the stream saw it"
	g.tell(engine.EventRemoved, "short")
	step("- short: (removed)")
	g.tell(engine.EventRemoved, "short")
	step()
	if len(s.members) > 0 {
		t.Errorf("%d jobs are still followed", len(s.members))
	}
}

// A stream of named jobs continues with the job that restarts one of them.
func TestFollowsRestarts(t *testing.T) {
	g := shop()
	s := g.opens(t, Options{Filter: engine.Filter{IDs: []engine.ID{"web"}}, Last: 1, Follow: true})
	g.end("web", 9)
	g.tell(engine.EventExited, "web")
	g.job("web-2", 10).print(10, "listening\n")
	g.find("web-2").RestartedFrom = "web"
	g.tell(engine.EventCreated, "web-2")
	g.job("worker-2", 11).print(11, "job\n")
	g.tell(engine.EventCreated, "worker-2")
	want := []string{"8 web: GET /b", "9 web: (exit 1)", "10 web-2: listening"}
	if diff := cmp.Diff(want, reads(t, s)); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
}

// Without recorded times, as on hosts, the lines that exist are spread over the job's life, and their
// times are not known.
func TestLinesWithoutTimes(t *testing.T) {
	g := newGroup()
	g.job("local", 0)
	for i := range 4 {
		g.tapes["local"].print(10*i, fmt.Sprintf("line %d\n", i))
	}
	host := g.job("host", 5)
	host.text, host.times = "a line\nb line\nc line\nd line\n", nil
	g.end("host", 25)
	g.end("local", 40)
	want := []string{
		"0 local: line 0", "? host: a line", "10 local: line 1", "? host: b line", "? host: c line", "20 local: line 2",
		"? host: d line", "25 host: (exit 1)", "30 local: line 3", "40 local: (exit 1)",
	}
	if diff := cmp.Diff(want, reads(t, g.opens(t, Options{Last: -1}))); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
}

// A log that cannot be read is reported once, and read again when the job changes, without repeating a line.
func TestUnreadableLog(t *testing.T) {
	g := shop()
	s := g.opens(t, Options{Last: 2, Follow: true})
	reads(t, s)
	web := g.tapes["web"]
	for range 2 {
		web.fail = errors.New("no connection")
		g.tell(engine.EventOutput, "web")
	}
	if diff := cmp.Diff([]string{"- web: no connection"}, reads(t, s)); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	web.fail = nil
	web.print(20, "again\n")
	g.tell(engine.EventLink, "web")
	if diff := cmp.Diff([]string{"20 web: again"}, reads(t, s)); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
}

// However long the logs are, little of them is in memory, and only logs of the same time are open.
func TestLongLogs(t *testing.T) {
	g := newGroup()
	const lines, jobs = 5000, 4
	for i := range jobs {
		f := g.job(fmt.Sprintf("job %d", i), i/2*10000)
		for n := range lines {
			f.print(i/2*10000+n, fmt.Sprintf("%d\n", n))
		}
		g.end(fmt.Sprintf("job %d", i), i/2*10000+lines)
	}
	s := g.opens(t, Options{Last: -1})
	var last time.Time
	total := 0
	for {
		entries, err := s.Next(t.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) > mostEntries {
			t.Fatalf("%d entries at once", len(entries))
		}
		open := 0
		for _, f := range g.tapes {
			open += f.open
		}
		if open > 2 {
			t.Fatalf("%d logs are open", open)
		}
		for _, m := range s.members {
			for _, src := range m.sources {
				if len(src.ready) > mostReady {
					t.Fatalf("%d lines are ready", len(src.ready))
				}
			}
		}
		for _, e := range entries {
			if e.At.Before(last) {
				t.Fatalf("%s of %s is before %s", e.At, e.Job.Name, last)
			}
			last = e.At
			total++
		}
	}
	if want := jobs * (lines + 1); total != want {
		t.Errorf("%d entries, want %d", total, want)
	}
}

func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := shop().opens(t, Options{Last: -1, Follow: true})
	cancel()
	if _, err := s.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Next returns %v", err)
	}
	if got := strings.Join(reads(t, s), "\n"); !strings.HasPrefix(got, "1 web: listening\n") {
		t.Errorf("then it reads\n%s", got)
	}
}

// A log that grows faster than it is read does not delay the others.
func TestSkipsWhatIsTooFarBehind(t *testing.T) {
	g := newGroup()
	web, flood := g.job("web", 0), g.job("flood", 0)
	s := g.opens(t, Options{Follow: true, Behind: 800})
	const line = "0123456\n" // 100 lines are Behind
	flood.print(1, strings.Repeat(line, 1000))
	web.print(2, "GET /\n")
	g.tell(engine.EventOutput, "flood")
	g.tell(engine.EventOutput, "web")
	got := reads(t, s)
	// 2 more: the partial line at which reading continues, and the line of web.
	if n := len(got); n != mostReady+100/keptOf+2 {
		t.Errorf("%d lines were read", n)
	}
	if last := got[len(got)-1]; last != "2 web: GET /" {
		t.Errorf("the last line is %q", last)
	}

	flood.print(3, strings.Repeat(line, 1000))
	g.tell(engine.EventOutput, "flood")
	skipped, read := int64(0), int64(0)
	for {
		entries, err := s.Next(t.Context())
		if err != nil {
			break
		}
		for _, e := range entries {
			skipped += e.Skipped
			read += e.Line.End - e.Line.Start
		}
	}
	if skipped == 0 || skipped+read != 1000*int64(len(line)) {
		t.Errorf("%d bytes were skipped, %d read", skipped, read)
	}
}
