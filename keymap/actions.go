package keymap

import (
	"reflect"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"

	"github.com/hobjobs/hob/internal/spelling"
)

// Action describes an action, a field of a [Map].
type Action struct {
	Section     string // "panes", "jobs", "list" …: the name used in configuration
	Name        string // kebab-case and stable: "clear-finished"
	Title       string // short title for the footer
	Description string // a sentence without a period
	Binding     key.Binding
	Where       []string // the contexts in which its keys work
}

// ID returns the qualified name, which is unique: "log.search".
func (a Action) ID() string { return a.Section + "." + a.Name }

// Keys returns the labels of the action's keys: "Ctrl+B", "↑". It is empty if the action is only in
// the palette.
func (a Action) Keys() []string {
	if !a.Binding.Enabled() {
		return nil
	}
	labels := make([]string, 0, len(a.Binding.Keys()))
	for _, k := range a.Binding.Keys() {
		labels = append(labels, Label(k))
	}
	return labels
}

// Context is a part of the UI that handles keys, with its active sections.
type Context struct {
	Name     string
	Title    string
	Sections []string
	Beneath  []string // sections whose keys work where Sections leave them free
}

// Contexts returns all contexts in the order of help.
func Contexts() []Context {
	return []Context{
		{Name: "list", Title: "Job list", Sections: []string{"jobs", "list", "panes"}},
		{Name: "detail", Title: "Detail", Sections: []string{"jobs", "detail", "panes"}},
		{Name: "log", Title: "Log", Sections: []string{"log", "panes"}, Beneath: []string{"jobs"}},
		{Name: "terminal", Title: "Attached", Sections: []string{"terminal"}},
		{Name: "ended", Title: "Ended while attached", Sections: []string{"ended"}},
		{Name: "replay", Title: "Replay", Sections: []string{"player"}},
		{Name: "dialog", Title: "Dialogs and menus", Sections: []string{"dialog"}},
		{Name: "input", Title: "Prompts", Sections: []string{"input", "edit"}},
		{Name: "palette", Title: "Palette and pickers", Sections: []string{"picker", "edit"}},
		{Name: "help", Title: "Help", Sections: []string{"help-page"}},
	}
}

// Section describes a section of a [Map].
type Section struct {
	Name  string // "panes": the name used in configuration
	Title string // "In every pane"
}

// Sections returns all sections in the order of [Map]'s fields.
func Sections() []Section {
	var all []Section
	for f := range reflect.TypeFor[Map]().Fields() {
		all = append(all, Section{Name: sectionName(f), Title: f.Tag.Get("title")})
	}
	return all
}

// Actions returns all actions in the order of the fields, including those without keys.
func (m Map) Actions() []Action {
	all := m.unplaced()
	type name struct{ section, action string }
	places := make(map[name][]string, len(all))
	for _, c := range Contexts() {
		for _, a := range c.actions(all) {
			n := name{a.Section, a.Name}
			places[n] = append(places[n], c.Name)
		}
	}
	for i, a := range all {
		all[i].Where = slices.Clip(places[name{a.Section, a.Name}])
	}
	return all
}

// unplaced returns all actions without the contexts in which they work.
func (m Map) unplaced() []Action {
	var actions []Action
	for _, f := range m.fields() {
		actions = append(actions, Action{
			Section:     f.section,
			Name:        f.name,
			Title:       f.binding.Help().Desc,
			Description: f.doc,
			Binding:     *f.binding,
		})
	}
	return actions
}

// ByContext returns the actions of each context by its name, in the order of the context's sections. Those of
// sections beneath follow, with the keys that are left for them.
func (m Map) ByContext() map[string][]Action {
	all := m.Actions()
	found := map[string][]Action{}
	for _, c := range Contexts() {
		found[c.Name] = c.actions(all)
	}
	return found
}

// actions returns those of all actions that work in the context.
func (c Context) actions(all []Action) []Action {
	var found []Action
	for _, section := range c.Sections {
		for _, a := range all {
			if a.Section == section {
				found = append(found, a)
			}
		}
	}
	if len(c.Beneath) == 0 {
		return found
	}
	used := map[string]bool{}
	for _, a := range found {
		if a.Binding.Enabled() {
			for _, k := range a.Binding.Keys() {
				used[k] = true
			}
		}
	}
	for _, a := range all {
		if !slices.Contains(c.Beneath, a.Section) || !a.Binding.Enabled() {
			continue
		}
		free := slices.DeleteFunc(slices.Clone(a.Binding.Keys()), func(k string) bool { return used[k] })
		if len(free) > 0 {
			a.Binding.SetKeys(free...)
			found = append(found, a)
		}
	}
	return found
}

// field refers to an action's field in a map, so that its binding can be set.
type field struct {
	section, name string
	keys          []string
	help, doc     string
	binding       *key.Binding
}

// fields walks the sections of m in declaration order.
func (m *Map) fields() []field {
	var all []field
	for f, v := range reflect.ValueOf(m).Elem().Fields() {
		section := sectionName(f)
		for f, v := range v.Fields() {
			if f.Anonymous { // a shared group such as Move
				for f, v := range v.Fields() {
					all = append(all, newField(section, f, v))
				}
				continue
			}
			all = append(all, newField(section, f, v))
		}
	}
	return all
}

func newField(section string, f reflect.StructField, v reflect.Value) field {
	return field{
		section: section,
		name:    spelling.Separate(f.Name, '-'),
		keys:    strings.Fields(f.Tag.Get("keys")),
		help:    f.Tag.Get("help"),
		doc:     f.Tag.Get("doc"),
		binding: v.Addr().Interface().(*key.Binding),
	}
}

func sectionName(f reflect.StructField) string {
	if name, ok := f.Tag.Lookup("name"); ok {
		return name
	}
	return spelling.Separate(f.Name, '-')
}

// setKeys sets the keys of a binding, or disables it if there are none, and sets the label for help
// to the first one.
func setKeys(b *key.Binding, keys []string) {
	desc := b.Help().Desc
	if len(keys) == 0 {
		b.SetKeys()
		b.SetHelp("", desc)
		b.SetEnabled(false)
		return
	}
	b.SetKeys(slices.Clone(keys)...)
	b.SetHelp(Label(keys[0]), desc)
	b.SetEnabled(true)
}
