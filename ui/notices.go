package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/toast"
)

// notices are the messages to the user, in the last line or above it. Every part of the pane posts them, and they
// disappear by themselves. Some offer something while they are visible: to undo a clear, to quit with a
// second Ctrl+C.
type notices struct {
	*toast.Model
	tasks *tasks

	cleared     []engine.ID // jobs that the message clearedID offers to restore
	clearedID   int
	news        []newsItem // jobs of the message newsID, which need attention
	newsID      int
	interrupted int // message of the first Ctrl+C
}

// post shows a message, which disappears by itself.
func (n *notices) post(msg toast.Message) tea.Cmd {
	return n.expire(n.Show(msg), msg.Level.Lifetime())
}

func (n *notices) message(level toast.Level, text string) tea.Cmd {
	return n.post(toast.Message{Level: level, Text: text})
}

// refuse shows why an action was not performed.
func (n *notices) refuse(text string) tea.Cmd {
	return n.post(toast.Message{Level: toast.Warning, Text: text, Key: toast.Refused})
}

func (n *notices) fail(what string, err error) tea.Cmd {
	return n.message(toast.Error, what+": "+hint(err))
}

// onError returns what Update does after an action that only reports an error.
func (n *notices) onError(what string, err error) func() tea.Cmd {
	if err == nil {
		return nil
	}
	return func() tea.Cmd { return n.fail(what, err) }
}

// expire removes a message after d.
func (n *notices) expire(id int, d time.Duration) tea.Cmd {
	return n.tasks.after(d, func() tea.Cmd {
		n.over(id)
		return nil
	})
}

// over removes an expired message, and what it offered.
func (n *notices) over(id int) {
	n.Drop(id)
	if id == n.clearedID {
		n.cleared, n.clearedID = nil, 0
	}
	if id == n.interrupted {
		n.interrupted = 0
	}
}

// takeCleared returns the jobs that can be restored and removes the message about them.
func (n *notices) takeCleared() []engine.ID {
	ids := n.cleared
	n.Drop(n.clearedID)
	n.cleared, n.clearedID = nil, 0
	return ids
}

// addCleared adds jobs to those that can be restored and returns their number.
func (n *notices) addCleared(jobs []engine.Job) int {
	if n.clearedID == 0 {
		n.cleared = nil
	}
	n.cleared = append(n.cleared, idsOf(jobs)...)
	return len(n.cleared)
}

// showCleared replaces the message about them.
func (n *notices) showCleared(text string) (id int) {
	n.Drop(n.clearedID)
	n.clearedID = n.Show(toast.Message{Level: toast.Success, Text: text, Key: "undo"})
	return n.clearedID
}

// newsItem is a job that needs attention: in a message of its own, or as one of two.
type newsItem struct {
	id    engine.ID
	why   Why
	level toast.Level
	text  string
	brief string // "lint exit 4"
	after string // the same behind another one: " · ✗ lint exit 4"
}

// addNews shows that a job needs attention. While the message is visible, a second job is named in it,
// and more are counted.
func (n *notices) addNews(item newsItem) (message int, shown toast.Level) {
	if !n.Drop(n.newsID) {
		n.news = nil
	}
	n.news = append(slices.DeleteFunc(n.news, func(known newsItem) bool { return known.id == item.id }), item)
	level, text := item.level, item.text
	switch len(n.news) {
	case 1:
	case 2:
		level, text = bothNews(n.news[0], n.news[1])
	default:
		level, text = n.newsCount()
	}
	n.newsID = n.Show(toast.Message{Level: level, Text: text, Key: "attention"})
	return n.newsID, level
}

// bothNews returns the text for two jobs, the more important one first, whose sign is that of the
// message: "lint exit 4 · ◆ deploy needs input".
func bothNews(a, b newsItem) (toast.Level, string) {
	if b.level > a.level {
		a, b = b, a
	}
	return a.level, a.brief + b.after
}

// newsCount returns the text for the jobs of the message: "20 finished, 1 failed".
func (n *notices) newsCount() (toast.Level, string) {
	level, parts := toast.Info, []string{}
	for _, kind := range []struct {
		level toast.Level
		word  string
		why   []Why
	}{
		{toast.Success, "finished", []Why{WhyFinished}},
		{toast.Error, "failed", []Why{WhyFailed}},
		{toast.Error, "unhealthy", []Why{WhyUnhealthy}},
		{toast.Warning, "need input", []Why{WhyWaiting}},
		{toast.Info, "rang", []Why{WhyBell, WhyNote}},
	} {
		count := 0
		for _, item := range n.news {
			if slices.Contains(kind.why, item.why) {
				count++
			}
		}
		if count == 0 {
			continue
		}
		word := kind.word
		if count == 1 && word == "need input" {
			word = "needs input"
		}
		level = max(level, kind.level)
		parts = append(parts, strconv.Itoa(count)+" "+word)
	}
	return level, strings.Join(parts, ", ")
}

// copied hands text to the host's clipboard.
func (n *notices) copied(text, what string) tea.Cmd {
	if lines := strings.Count(text, "\n"); lines > 0 {
		what = fmt.Sprintf("%d lines", lines+1)
	}
	return tea.Batch(n.post(toast.Message{Text: "Copied " + what, Key: toast.Copied}), send(CopyMsg{text, what}))
}
