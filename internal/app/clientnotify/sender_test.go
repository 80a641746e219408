package clientnotify_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/clientnotify"
	"github.com/hobjobs/hob/internal/notes"
	"github.com/hobjobs/hob/internal/notify"
	"github.com/hobjobs/hob/internal/notifyevent"
	"github.com/hobjobs/hob/internal/testtool"
)

func TestMain(m *testing.M) { os.Exit(testtool.RunWithoutLeaks(m)) }

// user collects the messages of several clients.
type user struct {
	t    *testing.T
	book notes.Book
	sent []string
}

func newUser(t *testing.T) *user {
	t.Helper()
	state := t.TempDir()
	if err := os.MkdirAll(filepath.Join(state, "jobs", "web-aaaaa"), 0o700); err != nil {
		t.Fatal(err)
	}
	return &user{t: t, book: notes.Of(state)}
}

// client returns a sender of all events that notifies at once.
func (u *user) client() *clientnotify.Sender {
	var all []notifyevent.Event
	for _, r := range notifyevent.Table() {
		all = append(all, r.Event)
	}
	return clientnotify.New(u.book, all, func(j engine.Job, n notify.Notice) error {
		return clientnotify.Once(u.book, j.ID, n.Event, func() error {
			u.sent = append(u.sent, string(n.Event)+": "+n.Message(j.Name))
			return nil
		})
	})
}

func (u *user) was(want ...string) {
	u.t.Helper()
	if diff := cmp.Diff(want, u.sent); diff != "" {
		u.t.Errorf("the user was notified of (-want +got):\n%s", diff)
	}
	u.sent = nil
}

func onHost() engine.Job {
	j := engine.Job{Request: engine.Request{ID: "web-aaaaa", Name: "web", Host: "box"}}
	j.Status, j.Link, j.Backgrounded = engine.Running, engine.LinkOK, true
	return j
}

func ended(j engine.Job, code int) engine.Job {
	j.Status = engine.Exited
	j.Exit = engine.Exit{
		Status: engine.Exited,
		Code:   &code,
		At:     time.Now(),
	}
	return j
}

// Of two clients that follow a job on a host one notifies the user, also if it has begun anew meanwhile.
func TestSentOnce(t *testing.T) {
	u := newUser(t)
	one, two := u.client(), u.client()
	j := onHost()
	for _, client := range []*clientnotify.Sender{one, two} {
		client.Look(&j)
		asks := j
		asks.Waiting, asks.Line = true, "sure? "
		client.Look(&asks)
		client.Look(&asks)
	}
	u.was("needs_input: web needs input: sure?")
	failed := ended(j, 3)
	for _, client := range []*clientnotify.Sender{one, two, u.client()} {
		client.Look(&failed)
	}
	u.was("failed: web exited (exit code 3)")
}

// What happens again is sent again, after a pause.
func TestSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := newUser(t)
		c := u.client()
		there, gone := onHost(), onHost()
		gone.Link, gone.LinkError = engine.LinkUnreachable, "box: no route to host"
		c.Look(&gone)
		u.was() // it may only not have been asked yet
		c.Look(&there)
		c.Look(&gone)
		u.was("unreachable: web is unreachable: no route to host")
		c.Look(&there)
		c.Look(&gone)
		u.was() // it is too soon
		c.Look(&there)
		time.Sleep(30 * time.Second)
		c.LookAgain()
		u.was() // it does not apply any more
		c.Look(&gone)
		u.was("unreachable: web is unreachable: no route to host")

		c.Look(&there)
		c.Look(&gone)
		due, ok := c.LookAgain()
		u.was()
		if wait := time.Until(due); !ok || wait > 30*time.Second {
			t.Errorf("due in %v, %v", wait, ok)
		}
		time.Sleep(time.Until(due))
		c.LookAgain()
		u.was("unreachable: web is unreachable: no route to host")
		if _, ok := c.LookAgain(); ok {
			t.Error("it is still deferred")
		}
	})
}

// A process that is killed before it has noted what it sent leaves the event to another one: the user may get it twice,
// and never not at all.
func TestSentAgainAfterKill(t *testing.T) {
	u := newUser(t)
	failed := ended(onHost(), 3)
	killed := clientnotify.New(u.book, []notifyevent.Event{notifyevent.Failed}, func(j engine.Job, n notify.Notice) error {
		defer func() { _ = recover() }() // its lock is released, as by the system
		return clientnotify.Once(u.book, j.ID, n.Event, func() error {
			u.sent = append(u.sent, "of the one that is killed")
			panic("killed")
		})
	})
	killed.Look(&failed)
	u.client().Look(&failed)
	u.was("of the one that is killed", "failed: web exited (exit code 3)")
	u.client().Look(&failed)
	u.was()
}

// Holders send the events of their jobs, until they die.
func TestWhatHoldersSend(t *testing.T) {
	here := onHost()
	here.Host, here.Link = "", engine.LinkNone
	lost := here
	lost.Status, lost.Exit = engine.Lost, engine.Exit{Status: engine.Lost, Reason: engine.ReasonHolderDied}
	held := onHost()
	held.Notifies = true
	foreground := ended(onHost(), 3)
	foreground.Backgrounded = false
	old := ended(onHost(), 3)
	old.Exit.At = time.Now().Add(-25 * time.Hour)
	for name, c := range map[string]struct {
		job  engine.Job
		want []string
	}{
		"local job":          {ended(here, 3), nil},
		"lost":               {lost, []string{"lost: web is lost: its supervisor process died"}},
		"holder on the host": {ended(held, 3), nil},
		"in the foreground":  {foreground, nil},
		"long ago":           {old, nil},
		"on a host":          {ended(onHost(), 0), []string{"ended: web exited (exit code 0)"}},
	} {
		t.Run(name, func(t *testing.T) {
			u := newUser(t)
			u.client().Look(&c.job)
			u.was(c.want...)
		})
	}
}

// What was not sent, because the process that was to send it failed or was killed, is sent by another one.
func TestSentByAnother(t *testing.T) {
	u := newUser(t)
	failed := ended(onHost(), 3)
	died := clientnotify.New(u.book, []notifyevent.Event{notifyevent.Failed}, func(j engine.Job, n notify.Notice) error {
		return clientnotify.Once(u.book, j.ID, n.Event, func() error { return os.ErrDeadlineExceeded })
	})
	died.Look(&failed)
	u.was()
	u.client().Look(&failed)
	u.was("failed: web exited (exit code 3)")
	died.Look(&failed)
	u.client().Look(&failed)
	u.was()
}
