package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/ui/components/detail"
)

// showOrigin returns what runs after each message: follow, then showing where the directory comes from.
func (f *jobForm) showOrigin(follow func()) func() {
	show := func() { f.SetOrigin(fieldDir, f.dirOrigin(f.Value(fieldDir))) }
	show()
	return func() {
		follow()
		show()
	}
}

// dirOrigin returns where a suggested directory comes from. It is empty if there is only one.
func (f *jobForm) dirOrigin(dir string) string {
	switch {
	case f.otherDir(dir) == "":
		return ""
	case dir == f.asked.dir:
		return "(as " + f.from + ")"
	}
	return "(current directory)"
}

// otherDir returns the current directory for that of the selected job, and the other way round. It is
// empty if they are the same, or for another directory.
func (f *jobForm) otherDir(dir string) string {
	current := detail.Tilde(f.opts.dir, f.opts.home)
	if f.from == "" || current == "" || current == f.asked.dir {
		return ""
	}
	switch dir {
	case current:
		return f.asked.dir
	case f.asked.dir:
		return current
	}
	return ""
}

// completeField offers the other directory while the suggested one is unchanged, else completions.
func (f *jobForm) completeField() tea.Cmd {
	name, line := f.Field()
	dir := line.Before()
	if other := f.otherDir(dir); name == fieldDir && other != "" && dir == line.Value() {
		f.Offer([]string{other, dir})
		return nil
	}
	return f.complete(f.Form)
}
