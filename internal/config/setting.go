package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/hobjobs/hob/internal/units"
)

// setting is one name and the field that holds its value. The tags of the field
// are its table: `doc` is what it is for, `default` its value without file and
// environment, `env` the variables that set it, the first that is set counting.
// `of` are the words to choose from, `in` the smallest and the largest value, and
// `unit` is what a duration counts that is a whole number; `zero` allows 0, too.
// The name is that of the field in snake_case, unless `name` says otherwise.
type setting struct {
	name  string // "run.grace"
	doc   string
	takes string // the values there are; empty where the kind of value says it
	value any    // a pointer to the field
	of    []string
	env   []string
	tag   reflect.StructTag

	origin Origin
}

// settingsOf returns the settings of a section, a pointer to a struct, and gives
// its fields their defaults.
func settingsOf(prefix string, section any) []*setting {
	var all []*setting
	for f, v := range reflect.ValueOf(section).Elem().Fields() {
		doc, ok := f.Tag.Lookup("doc")
		if !ok {
			continue
		}
		name := f.Tag.Get("name")
		if name == "" {
			name = snake(f.Name)
		}
		s := &setting{
			name: prefix + name, doc: doc, value: v.Addr().Interface(), tag: f.Tag,
			of: strings.Fields(f.Tag.Get("of")), env: strings.Fields(f.Tag.Get("env")), origin: Origin{Source: FromDefault},
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

// snake turns a field's name into a setting's: AfterBackground, after_background.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// values describes the values there are.
func (s *setting) values() string {
	switch s.value.(type) {
	case *string:
		return strings.Join(s.of, ", ")
	case *Size:
		return fmt.Sprintf("1x1 to %[1]dx%[1]d", maxCells)
	case *Means:
		return "any of bell, osc, title"
	case *[]string:
		return "a line for sh, or a list of words"
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

// fromTOML sets the value to what a file has; an error leaves it alone.
func (s *setting) fromTOML(v any) error {
	switch p := s.value.(type) {
	case *bool:
		if on, ok := v.(bool); ok {
			*p = on
			return nil
		}
		return fmt.Errorf("must be true or false, not %s", kind(v))
	case *Means, *[]string:
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
	command, isCommand := s.value.(*[]string)
	if line, ok := v.(string); ok && isCommand {
		return s.fromText(line)
	}
	list, err := stringList(v)
	switch {
	case err != nil:
		return err
	case !isCommand:
		return s.value.(*Means).set(list)
	case len(list) > 0 && list[0] == "":
		return errors.New("begins with an empty word")
	}
	*command = list
	return nil
}

// counts reports whether the value is a whole number.
func (s *setting) counts() bool {
	_, isInt := s.value.(*int)
	return isInt || s.one() != 0
}

// fromText sets the value to that of a variable; an error leaves it alone.
func (s *setting) fromText(text string) error {
	switch p := s.value.(type) {
	case *string:
		if len(s.of) > 0 && !slices.Contains(s.of, text) {
			return fmt.Errorf("%q is none of %s", text, strings.Join(s.of, ", "))
		}
		*p = text
	case *bool:
		on, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", text)
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
		size, err := ParseSize(text)
		if err != nil {
			return err
		}
		*p = size
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

// number reads a number with its unit and keeps it if it is within the bounds.
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
	switch {
	case n >= lo && (n <= hi || !bounded), n == 0 && zero:
		keep(n)
		return nil
	case !bounded:
		return fmt.Errorf("%s is less than %s", text, from)
	case zero:
		return fmt.Errorf("%s is outside %s to %s, and not 0", text, from, to)
	}
	return fmt.Errorf("%s is outside %s to %s", text, from, to)
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

// one is what a duration that is a whole number counts; 0 for other values.
func (s *setting) one() time.Duration {
	d, _ := units.ParseDuration("1" + s.tag.Get("unit"))
	return d
}

// toTOML returns the value as a file has it.
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
			return fmt.Errorf("%q is none of bell, osc, title", w)
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

// ParseSize reads a terminal's size, "120x40".
func ParseSize(s string) (Size, error) {
	cols, rows, ok := strings.Cut(strings.ToLower(s), "x")
	c, err1 := strconv.Atoi(strings.TrimSpace(cols))
	r, err2 := strconv.Atoi(strings.TrimSpace(rows))
	if !ok || err1 != nil || err2 != nil {
		return Size{}, fmt.Errorf("bad size %q; write COLUMNSxROWS, for example 120x40", s)
	}
	if c < 1 || r < 1 || c > maxCells || r > maxCells {
		return Size{}, fmt.Errorf("size %s is outside 1x1 to %dx%d", s, maxCells, maxCells)
	}
	return Size{Cols: c, Rows: r}, nil
}

// maxCells bounds a terminal's width and height: a screen of that size still
// fits in memory.
const maxCells = 1000

func (s Size) String() string { return fmt.Sprintf("%dx%d", s.Cols, s.Rows) }
