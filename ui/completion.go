package ui

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/ui/components/prompt"
	"github.com/hobjobs/hob/ui/internal/complete"
)

// complete completes the word before the cursor. In an empty field Tab moves on. The disk is read
// in a command.
func (f *jobForms) complete(form *prompt.Form) tea.Cmd {
	if form.Untouched() {
		form.Move(1)
		return nil
	}
	name, line := form.Field()
	before := line.Before()
	offer := func(offers []string) tea.Cmd { return f.offered(form, name, before, offers) }
	switch name {
	case fieldHost:
		hosts := slices.DeleteFunc(f.knownHosts(), func(h string) bool { return !complete.Extends(h, before) })
		return offer(hosts)
	case fieldOptions:
		return offer(offerOptions(before))
	case fieldDir:
		if before == "" || strings.TrimSpace(form.Value(fieldHost)) != "" {
			return offer(nil)
		}
		home := f.opts.home
		return f.tasks.async(func(ctx context.Context) func() tea.Cmd {
			dirs := complete.Paths(ctx, before, "", home, true)
			return func() tea.Cmd { return offer(dirs) }
		})
	case fieldCommand:
		return f.completeCommand(form, before, offer)
	}
	return nil
}

// completeCommand offers earlier commands with the same beginning, then completions of the last
// word: a program where a shell expects a command, else a file.
func (f *jobForms) completeCommand(form *prompt.Form, before string, offer func([]string) tea.Cmd) tea.Cmd {
	if strings.TrimSpace(before) == "" {
		return offer(nil)
	}
	var offers []string
	_, line := form.Field()
	atEnd := line.Value() == before
	if atEnd {
		for _, c := range f.commands() {
			if complete.Extends(c, before) && len(offers) < mostEarlier {
				offers = append(offers, c)
			}
		}
	}
	word := complete.LastWord(before)
	if word.Text == "" || strings.TrimSpace(form.Value(fieldHost)) != "" {
		return offer(offers)
	}
	home, base := f.opts.home, f.untilde(strings.TrimSpace(form.Value(fieldDir)))
	return f.tasks.async(func(ctx context.Context) func() tea.Cmd {
		var found []string
		if complete.IsCommand(before[:word.Start], word.Text) {
			found = complete.Programs(ctx, word.Text, filepath.SplitList(os.Getenv("PATH")))
		} else {
			found = complete.Paths(ctx, word.Text, base, home, false)
		}
		for _, text := range found {
			text = before[:word.Start] + complete.Spell(word, text)
			if len(found) == 1 && atEnd && !strings.HasSuffix(text, "/") {
				text += " " // as in a shell: the next word follows
			}
			if !slices.Contains(offers, text) {
				offers = append(offers, text)
			}
		}
		return func() tea.Cmd { return offer(offers) }
	})
}

// offered shows completions of the text before the cursor. If there are none, Tab moves to the
// next field. If the text has changed since, they are dropped.
func (f *jobForms) offered(form *prompt.Form, field, before string, offers []string) tea.Cmd {
	if !f.modal.shows(form) { // closed meanwhile
		return nil
	}
	name, line := form.Field()
	if name != field || line.Before() != before {
		return nil
	}
	if len(offers) == 0 {
		form.Move(1)
		return nil
	}
	form.Offer(offers)
	return nil
}

// mostEarlier is the maximum number of earlier commands offered.
const mostEarlier = 10
