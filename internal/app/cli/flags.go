package cli

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/units"
)

// notGiven is the value of a number or a duration whose flag was not given.
const notGiven = -1

// parsedFlag is a flag whose value a function makes of a word. It implements
// [pflag.Value].
type parsedFlag[T any] struct {
	to    *T
	kind  string // what stands for the value in help
	parse func(string) (T, error)
	text  string // as it was given
}

// parseInto makes a flag that sets to. A string may have a default.
func parseInto[T any](to *T, kind string, parse func(string) (T, error)) *parsedFlag[T] {
	f := &parsedFlag[T]{to: to, kind: kind, parse: parse}
	if s, ok := any(*to).(string); ok {
		f.text = s
	}
	return f
}

// Set implements pflag.Value.
func (f *parsedFlag[T]) Set(s string) error {
	v, err := f.parse(s)
	if err == nil {
		*f.to, f.text = v, s
	}
	return err
}

// String implements pflag.Value.
func (f *parsedFlag[T]) String() string { return f.text }

// Type implements pflag.Value.
func (f *parsedFlag[T]) Type() string { return f.kind }

// wordFlag is a word that is not empty: an empty one comes from an unset variable of a
// script, and is refused rather than taken for a flag not given.
func wordFlag(to *string) *parsedFlag[string] {
	return parseInto(to, "string", func(s string) (string, error) {
		if s == "" {
			return "", errors.New("it is empty")
		}
		return s, nil
	})
}

// durationFlag is a duration with the units of people: 90s, 1h30m, 7d.
func durationFlag(to *time.Duration) *parsedFlag[time.Duration] {
	return parseInto(to, "DUR", units.ParseDuration)
}

// countFlag is a number from 0 on.
func countFlag(to *int64) *parsedFlag[int64] {
	return parseInto(to, "N", func(s string) (int64, error) {
		n, err := strconv.ParseInt(s, 10, 64)
		switch {
		case errors.Is(err, strconv.ErrRange) && n > 0: // as far as there is anything
		case err != nil:
			return 0, fmt.Errorf("%q is no number", s)
		case n < 0:
			return 0, errors.New("it counts from 0")
		}
		return n, nil
	})
}

// parsePort reads the number of a port.
func parsePort(s string) (int, error) {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%q is no port: it is a number from 1 to 65535", s)
	}
	return int(n), nil
}

// maxCells bounds either side of a terminal: what the kernel's window size can
// hold.
const maxCells = 1<<16 - 1

// parseSize reads a terminal size: 120x40.
func parseSize(s string) (engine.Size, error) {
	c, r, ok := strings.Cut(strings.ToLower(s), "x")
	cols, err1 := strconv.Atoi(c)
	rows, err2 := strconv.Atoi(r)
	if !ok || err1 != nil || err2 != nil || cols < 1 || rows < 1 || cols > maxCells || rows > maxCells {
		return engine.Size{}, fmt.Errorf("%q is no size; say COLSxROWS, for example 120x40", s)
	}
	return engine.Size{Cols: cols, Rows: rows}, nil
}

// environment reads the values of -e: K=V, or K to pass on what K is here.
func environment(pairs []string) (map[string]string, error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	env := make(map[string]string, len(pairs))
	for _, p := range pairs {
		k, v, ok := strings.Cut(p, "=")
		if k == "" || strings.ContainsRune(p, 0) {
			return nil, usagef("say -e NAME=VALUE, or -e NAME to pass on what it is here", "%q is no variable", p)
		}
		if !ok {
			if v, ok = os.LookupEnv(k); !ok {
				return nil, usagef("set it, or say -e "+k+"=VALUE", "variable %s is not set here", k)
			}
		}
		env[k] = v
	}
	return env, nil
}

// sinceTime reads a moment: a duration ago, RFC 3339, or a day, or a day and a
// time of day, in the time zone of here.
func sinceTime(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if d, err := units.ParseDuration(s); err == nil {
		return now.Add(-d), nil
	}
	for _, form := range []string{time.RFC3339, time.DateTime, "2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02T15:04:05", time.DateOnly} {
		if at, err := time.ParseInLocation(form, s, now.Location()); err == nil {
			return at, nil
		}
	}
	return time.Time{}, usagef("say how long ago (2h, 7d) or a time (2026-01-31, 2026-01-31 09:00)", "%q is no time", s)
}
