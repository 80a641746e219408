package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hobjobs/hob/internal/units"
)

// setting is one name and where its value lives. The table of them
// (settings.go) drives reading, checking and printing.
type setting struct {
	name  string // "run.grace"
	doc   string
	takes string   // the values there are; empty where the kind of value says it
	env   []string // the first that is set counts

	fromTOML func(any) error    // leaves the value alone on an error
	fromText func(string) error // the same from a variable
	toTOML   func() string

	origin Origin
}

// in adds the variables that a setting is read from.
func (s *setting) in(env ...string) *setting {
	s.env = env
	return s
}

// taking says which values there are.
func (s *setting) taking(values string) *setting {
	s.takes = values
	return s
}

// textual makes a setting that is a string in TOML.
func textual(name, doc string, parse func(string) error, show func() string) *setting {
	return &setting{
		name: name, doc: doc, fromText: parse, toTOML: func() string { return quote(show()) },
		fromTOML: func(v any) error {
			s, ok := v.(string)
			if !ok {
				return fmt.Errorf("must be a string, not %s", kind(v))
			}
			return parse(s)
		},
	}
}

func text(name string, p *string, doc string) *setting {
	return textual(name, doc, func(s string) error { *p = s; return nil }, func() string { return *p })
}

func choice(name string, p *string, doc string, of ...string) *setting {
	return textual(name, doc, func(s string) error {
		if !slices.Contains(of, s) {
			return fmt.Errorf("%q is none of %s", s, strings.Join(of, ", "))
		}
		*p = s
		return nil
	}, func() string { return *p }).taking(strings.Join(of, ", "))
}

func duration(name string, p *time.Duration, lo, hi time.Duration, doc string) *setting {
	return textual(name, doc, func(s string) error {
		d, err := units.ParseDuration(s)
		if err != nil {
			return err
		}
		if d < lo || d > hi {
			return fmt.Errorf("%s is outside %s to %s", s, units.DurationText(lo), units.DurationText(hi))
		}
		*p = d
		return nil
	}, func() string { return units.DurationText(*p) }).taking(units.DurationText(lo) + " to " + units.DurationText(hi))
}

func size(name string, p *int64, lo int64, doc string) *setting {
	s := textual(name, doc, func(s string) error {
		n, err := units.ParseBytes(s)
		if err != nil {
			return err
		}
		if n < lo {
			return fmt.Errorf("%s is less than %s", s, units.BytesText(lo))
		}
		*p = n
		return nil
	}, func() string { return units.BytesText(*p) }).taking("from " + units.BytesText(lo))
	parse := s.fromTOML
	s.fromTOML = func(v any) error {
		if n, ok := v.(int64); ok { // bytes
			return s.fromText(strconv.FormatInt(n, 10))
		}
		return parse(v)
	}
	return s
}

func cells(name string, p *Size, doc string) *setting {
	return textual(name, doc, func(s string) error {
		size, err := ParseSize(s)
		if err != nil {
			return err
		}
		*p = size
		return nil
	}, func() string { return p.String() }).taking(fmt.Sprintf("1x1 to %[1]dx%[1]d", maxCells))
}

func flag(name string, p *bool, doc string) *setting {
	return &setting{
		name: name, doc: doc,
		toTOML: func() string { return strconv.FormatBool(*p) },
		fromTOML: func(v any) error {
			b, ok := v.(bool)
			if !ok {
				return fmt.Errorf("must be true or false, not %s", kind(v))
			}
			*p = b
			return nil
		},
		fromText: func(s string) error {
			b, err := strconv.ParseBool(s)
			if err != nil {
				return fmt.Errorf("%q is neither true nor false", s)
			}
			*p = b
			return nil
		},
	}
}

// integer makes a setting that is a whole number; keep stores it.
func integer(name, doc string, in bounds, keep func(int64), show func() int64) *setting {
	set := func(n int64) error {
		if err := in.check(n); err != nil {
			return err
		}
		keep(n)
		return nil
	}
	return &setting{
		name: name, doc: doc, takes: in.String(),
		toTOML: func() string { return strconv.FormatInt(show(), 10) },
		fromTOML: func(v any) error {
			n, ok := v.(int64)
			if !ok {
				return fmt.Errorf("must be a whole number, not %s", kind(v))
			}
			return set(n)
		},
		fromText: func(s string) error {
			n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
			if err != nil {
				return fmt.Errorf("%q is not a whole number", s)
			}
			return set(n)
		},
	}
}

func count(name string, p *int, in bounds, doc string) *setting {
	return integer(name, doc, in, func(n int64) { *p = int(n) }, func() int64 { return int64(*p) })
}

// ticks makes a duration that is a number of a fixed unit, as its name says.
func ticks(name string, p *time.Duration, unit time.Duration, in bounds, doc string) *setting {
	return integer(name, doc, in, func(n int64) { *p = time.Duration(n) * unit }, func() int64 { return int64(*p / unit) })
}

// bounds are the numbers from lo to hi, and 0 with orZero.
type bounds struct {
	lo, hi int64
	orZero bool
}

func (b bounds) check(n int64) error {
	switch {
	case n >= b.lo && n <= b.hi, n == 0 && b.orZero:
		return nil
	case b.orZero:
		return fmt.Errorf("%d is outside %d to %d, and not 0", n, b.lo, b.hi)
	}
	return fmt.Errorf("%d is outside %d to %d", n, b.lo, b.hi)
}

func (b bounds) String() string {
	text := fmt.Sprintf("%d to %d", b.lo, b.hi)
	if b.orZero {
		text += ", or 0"
	}
	return text
}

// words makes a setting that is a list of strings.
func words(name, doc string, keep func([]string) error, show func() []string) *setting {
	return &setting{
		name: name, doc: doc,
		toTOML:   func() string { return quoteList(show()) },
		fromText: func(s string) error { return keep(strings.Fields(strings.ReplaceAll(s, ",", " "))) },
		fromTOML: func(v any) error {
			list, err := stringList(v)
			if err != nil {
				return err
			}
			return keep(list)
		},
	}
}

func means(name string, p *Means, doc string) *setting {
	return words(name, doc, func(list []string) error {
		var m Means
		for _, w := range list {
			switch w {
			case "bell":
				m.Bell = true
			case "osc":
				m.OSC = true
			case "title":
				m.Title = true
			default:
				return fmt.Errorf("%q is none of bell, osc, title", w)
			}
		}
		*p = m
		return nil
	}, p.words).taking("any of bell, osc, title")
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

// command makes a setting that is an argument vector, or a line for sh.
func command(name string, p *[]string, doc string) *setting {
	s := words(name, doc, func(list []string) error {
		if len(list) > 0 && list[0] == "" {
			return errors.New("begins with an empty word")
		}
		*p = list
		return nil
	}, func() []string { return *p })
	argv := s.fromTOML
	s.fromTOML = func(v any) error {
		line, ok := v.(string)
		if !ok {
			return argv(v)
		}
		return s.fromText(line)
	}
	s.fromText = func(line string) error {
		*p = nil
		if strings.TrimSpace(line) != "" {
			*p = []string{"sh", "-c", line + ` "$@"`, "hob"}
		}
		return nil
	}
	return s
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
