package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hobjobs/hob/internal/notifyevent"
	"github.com/hobjobs/hob/internal/spelling"
	"github.com/hobjobs/hob/internal/units"
)

// setting is a name and the field with its value. The tags of the field describe it: `doc`
// is its description, `default` its default, `env` the variables that set it, of which the
// first that is set is used. `of` lists the valid values, `in` the minimum and the maximum,
// and `unit` is the unit of a duration that is given as a whole number. `zero` allows 0 in
// addition. The name is the field's in snake_case or that in `name`.
type setting struct {
	name   string // "run.grace"
	doc    string
	takes  string // description of the valid values; empty if the type is enough
	value  any    // a pointer to the field
	of     []string
	env    []string
	tag    reflect.StructTag
	origin string // where the value was set: fromDefault, a line of the file, or a variable
	line   int    // the line of the file that set it, 0 if none did
}

const fromDefault = "default"

// settingsOf returns the settings of a section, a pointer to a struct, and sets its fields to
// their defaults.
func settingsOf(prefix string, section any) []*setting {
	var all []*setting
	for f, v := range reflect.ValueOf(section).Elem().Fields() {
		doc, ok := f.Tag.Lookup("doc")
		if !ok {
			continue
		}
		name := f.Tag.Get("name")
		if name == "" {
			name = spelling.Separate(f.Name, '_')
		}
		s := &setting{
			name:   prefix + name,
			doc:    doc,
			value:  v.Addr().Interface(),
			tag:    f.Tag,
			of:     strings.Fields(f.Tag.Get("of")),
			env:    strings.Fields(f.Tag.Get("env")),
			origin: fromDefault,
		}
		s.takes = s.values()
		if value := f.Tag.Get("default"); value != "" {
			if err := s.fromText(value); err != nil {
				panic(fmt.Sprintf("config: the default of %s: %v", s.name, err))
			}
		}
		all = append(all, s)
	}
	return all
}

func (s *setting) values() string {
	switch s.value.(type) {
	case *string:
		return strings.Join(s.of, ", ")
	case *Size:
		return fmt.Sprintf("1x1 to %[1]dx%[1]d", maxCells)
	case *Means:
		return "any of bell, osc, title"
	case *[]notifyevent.Event:
		return "any of " + notifyevent.Names()
	case *[]string:
		return "a shell command, or a list of arguments"
	case *int64:
		return "from " + s.tag.Get("in")
	}
	lo, hi, _ := strings.Cut(s.tag.Get("in"), " ")
	switch {
	case hi == "":
		return ""
	case s.tag.Get("zero") != "":
		return lo + " to " + hi + ", or 0"
	}
	return lo + " to " + hi
}

// fromTOML sets the value from a file. On an error the value stays unchanged.
func (s *setting) fromTOML(v any) error {
	switch p := s.value.(type) {
	case *bool:
		if on, ok := v.(bool); ok {
			*p = on
			return nil
		}
		return fmt.Errorf("must be true or false, not %s", kind(v))
	case *Means, *[]string, *[]notifyevent.Event:
		return s.listFromTOML(v)
	}
	text, isText := v.(string)
	n, isNumber := v.(int64)
	_, isBytes := s.value.(*int64)
	switch {
	case isNumber && (s.counts() || isBytes):
		return s.fromText(strconv.FormatInt(n, 10))
	case s.counts():
		return fmt.Errorf("must be a whole number, not %s", kind(v))
	case !isText:
		return fmt.Errorf("must be a string, not %s", kind(v))
	}
	return s.fromText(text)
}

func (s *setting) listFromTOML(v any) error {
	_, isCommand := s.value.(*[]string)
	if line, ok := v.(string); ok && isCommand {
		return s.fromText(line)
	}
	list, err := stringList(v)
	if err != nil {
		return err
	}
	switch p := s.value.(type) {
	case *Means:
		return p.set(list)
	case *[]notifyevent.Event:
		events, err := notifyevent.Parse(list)
		if err == nil {
			*p = events
		}
		return err
	case *[]string:
		if len(list) > 0 && list[0] == "" {
			return errors.New("the command name is empty")
		}
		*p = list
	}
	return nil
}

// counts reports whether the value is given as a whole number.
func (s *setting) counts() bool {
	_, isInt := s.value.(*int)
	return isInt || s.one() != 0
}

// fromText sets the value from a variable. On an error the value stays unchanged.
func (s *setting) fromText(text string) error {
	switch p := s.value.(type) {
	case *string:
		if len(s.of) > 0 && !slices.Contains(s.of, text) {
			return fmt.Errorf("invalid value %q; use %s", text, strings.Join(s.of, ", "))
		}
		*p = text
	case *bool:
		on, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("invalid value %q; use true or false", text)
		}
		*p = on
	case *int:
		return s.number(text, parseCount, func(n int64) { *p = int(n) })
	case *int64:
		return s.number(text, units.ParseBytes, func(n int64) { *p = n })
	case *time.Duration:
		if one := s.one(); one != 0 {
			return s.number(text, parseCount, func(n int64) { *p = time.Duration(n) * one })
		}
		return s.number(text, parseDuration, func(n int64) { *p = time.Duration(n) })
	case *Size:
		cols, rows, err := units.ParseSize(text)
		if err == nil && max(cols, rows) > maxCells {
			err = fmt.Errorf("size %s is not between 1x1 and %[2]dx%[2]d", text, maxCells)
		}
		if err != nil {
			return err
		}
		*p = Size{Cols: cols, Rows: rows}
	case *Means:
		return p.set(strings.Fields(text))
	case *[]string:
		*p = nil
		if strings.TrimSpace(text) != "" {
			*p = []string{"sh", "-c", text + ` "$@"`, "hob"}
		}
	}
	return nil
}

// number parses a number with its unit and checks its bounds.
func (s *setting) number(text string, parse func(string) (int64, error), keep func(int64)) error {
	text = strings.TrimSpace(text)
	n, err := parse(text)
	if err != nil {
		return err
	}
	from, to, bounded := strings.Cut(s.tag.Get("in"), " ")
	lo, _ := parse(from)
	hi, _ := parse(to)
	zero := s.tag.Get("zero") != ""
	inRange := n >= lo && (n <= hi || !bounded)
	switch {
	case inRange, n == 0 && zero:
		keep(n)
		return nil
	case !bounded:
		return fmt.Errorf("%s is below the minimum of %s", text, from)
	case zero:
		return fmt.Errorf("%s is not between %s and %s, or 0", text, from, to)
	}
	return fmt.Errorf("%s is not between %s and %s", text, from, to)
}

func parseCount(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a whole number", text)
	}
	return n, nil
}

func parseDuration(text string) (int64, error) {
	d, err := units.ParseDuration(text)
	return int64(d), err
}

// one returns the unit of a duration that is given as a whole number, 0 for other values.
func (s *setting) one() time.Duration {
	d, _ := units.ParseDuration("1" + s.tag.Get("unit"))
	return d
}

func (s *setting) toTOML() string {
	switch p := s.value.(type) {
	case *string:
		return quote(*p)
	case *bool:
		return strconv.FormatBool(*p)
	case *int:
		return strconv.Itoa(*p)
	case *int64:
		return quote(units.BytesText(*p))
	case *time.Duration:
		if one := s.one(); one != 0 {
			return strconv.FormatInt(int64(*p/one), 10)
		}
		return quote(units.DurationText(*p))
	case *Size:
		return quote(p.String())
	case *Means:
		return quoteList(p.words())
	case *[]notifyevent.Event:
		return quoteList(*p)
	case *[]string:
		return quoteList(*p)
	}
	return ""
}

func (m *Means) set(words []string) error {
	var all Means
	for _, w := range words {
		switch w {
		case "bell":
			all.Bell = true
		case "osc":
			all.OSC = true
		case "title":
			all.Title = true
		default:
			return fmt.Errorf("invalid value %q; use bell, osc, title", w)
		}
	}
	*m = all
	return nil
}

func (m *Means) words() []string {
	list := []string{}
	if m.Bell {
		list = append(list, "bell")
	}
	if m.OSC {
		list = append(list, "osc")
	}
	if m.Title {
		list = append(list, "title")
	}
	return list
}

// maxCells limits a terminal's width and height, so that a screen fits in memory.
const maxCells = 1000

func (s Size) String() string { return fmt.Sprintf("%dx%d", s.Cols, s.Rows) }
