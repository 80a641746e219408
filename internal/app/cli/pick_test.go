package cli

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/themes"
)

func TestPickerBeginsOnItsFirstRow(t *testing.T) {
	now := time.Now()
	jobs := []engine.Job{ // newest first
		{Request: engine.Request{ID: "done-22222", Name: "build", CreatedAt: now}, State: engine.State{Status: engine.Exited, StartedAt: now}},
		{Request: engine.Request{ID: "first-22222", Name: "server", CreatedAt: now.Add(-time.Hour)}, State: engine.State{Status: engine.Running, StartedAt: now.Add(-time.Hour)}},
		{Request: engine.Request{ID: "asks-22222", Name: "serve docs", CreatedAt: now.Add(-2 * time.Hour)}, State: engine.State{Status: engine.Running, Waiting: true, StartedAt: now.Add(-2 * time.Hour)}},
	}
	chosen := func(keys ...tea.KeyPressMsg) engine.ID {
		m := newPicker(jobs, "attach", now, themes.Unicode())
		for _, k := range keys {
			m.Update(k)
		}
		job, _ := m.list.Selected()
		return job.ID
	}
	down := tea.KeyPressMsg{Code: tea.KeyDown}
	letter := func(r rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: r, Text: string(r)} }
	if id := chosen(); id != "asks-22222" {
		t.Errorf("Enter takes %s", id)
	}
	if id := chosen(down); id != "first-22222" {
		t.Errorf("Down and Enter take %s", id)
	}
	if id := chosen(down, down, letter('s'), letter('e'), letter('r')); id != "asks-22222" {
		t.Errorf("what was typed leaves %s first", id)
	}
}
