package cli

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hobjobs/hob/internal/spelling"
	"github.com/hobjobs/hob/internal/units"
)

// notGiven is the value of a number or a duration whose flag was not given.
const notGiven = -1

// parsedFlag is a flag whose value is parsed by a function. It implements
// [pflag.Value].
type parsedFlag[T any] struct {
	to    *T
	kind  string // placeholder of the value in help
	parse func(string) (T, error)
	text  string // as given
}

// parseInto returns a flag that sets to. If T is string, the current value is the default.
func parseInto[T any](to *T, kind string, parse func(string) (T, error)) *parsedFlag[T] {
	f := &parsedFlag[T]{to: to, kind: kind, parse: parse}
	if s, ok := any(*to).(string); ok {
		f.text = s
	}
	return f
}

func (f *parsedFlag[T]) Set(s string) error {
	v, err := f.parse(s)
	if err == nil {
		*f.to, f.text = v, s
	}
	return err
}

func (f *parsedFlag[T]) String() string { return f.text }
func (f *parsedFlag[T]) Type() string   { return f.kind }

// listFlag is a flag that can be repeated. It implements [pflag.Value].
type listFlag struct {
	to   *[]string
	kind string // placeholder of a value in help
}

func (f listFlag) Set(s string) error {
	*f.to = append(*f.to, s)
	return nil
}

func (listFlag) String() string { return "" } // there is no default
func (f listFlag) Type() string { return f.kind }

// GetSlice makes completion offer the flag again.
func (f listFlag) GetSlice() []string { return *f.to }

func textFlag(to *string, kind string) *parsedFlag[string] {
	return parseInto(to, kind, func(s string) (string, error) { return s, nil })
}

// nonEmptyFlag returns a text flag that refuses "". An empty value usually comes from an
// unset variable of a script, and must not count as a flag that was not given.
func nonEmptyFlag(to *string, kind string) *parsedFlag[string] {
	return parseInto(to, kind, notEmpty)
}

func notEmpty(s string) (string, error) {
	if s == "" {
		return "", errors.New("the value is empty")
	}
	return s, nil
}

// durationFlag returns a flag for a duration such as 90s, 1h30m or 7d.
func durationFlag(to *time.Duration) *parsedFlag[time.Duration] {
	return parseInto(to, "DUR", units.ParseDuration)
}

// countFlag returns a flag for a number that is not negative.
func countFlag(to *int64) *parsedFlag[int64] {
	return parseInto(to, "N", func(s string) (int64, error) {
		n, err := strconv.ParseInt(s, 10, 64)
		switch {
		case errors.Is(err, strconv.ErrRange) && n > 0: // the maximum has the same effect
		case err != nil:
			return 0, fmt.Errorf("%q is not a number", s)
		case n < 0:
			return 0, errors.New("it must not be negative")
		}
		return n, nil
	})
}

// environment parses the values of -e: NAME=VALUE, or NAME for hob's own value of it.
func environment(pairs []string) (map[string]string, error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	env := make(map[string]string, len(pairs))
	for _, p := range pairs {
		k, v, ok := strings.Cut(p, "=")
		if k == "" || strings.ContainsRune(p, 0) {
			return nil, usagef("use -e NAME=VALUE, or -e NAME to pass NAME through", "invalid variable %q", p)
		}
		if !ok {
			if v, ok = os.LookupEnv(k); !ok {
				return nil, usagef("use -e "+k+"=VALUE", "variable %s is not set", k)
			}
		}
		env[k] = v
	}
	return env, nil
}

// sinceTime parses a point in time: a duration before now, RFC 3339, or a date with or
// without a time of day in the local time zone.
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
	return time.Time{}, usagef("use 2h, 7d, 2026-01-31 or 2026-01-31 09:00", "invalid time %q", s)
}

// usualFlags maps the flags that other programs have to hob's for the same purpose, in the commands
// that have it.
var usualFlags = map[string]string{
	"tail": "limit", "lines": "limit", "count": "limit",
	"detach": "background", "bg": "background", "d": "background",
	"cwd": "dir", "workdir": "dir", "directory": "dir", "w": "dir",
	"tty": "pty", "t": "pty", "host": "on", "grep": "filter",
}

func flagError(cmd *cobra.Command, err error) error {
	see := "See: " + strings.TrimSpace("hob help "+commandName(cmd))
	if v, ok := errors.AsType[*pflag.InvalidValueError](err); ok && v.GetFlag().Value.Type() == "bool" {
		return usagef("for example --"+v.GetFlag().Name, "--%s must be true or false, not %q", v.GetFlag().Name, v.GetValue())
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return usagef(see, "%w", err)
	}
	given, name := "--"+unknown.GetSpecifiedName(), unknown.GetSpecifiedName()
	if letters := unknown.GetSpecifiedShortnames(); letters != "" {
		given, name = "-"+letters, letters // -tail may be meant as --tail
	}
	if other := otherFlag(cmd.Name(), name); other != "" {
		return usagef(other, "unknown flag %s", given)
	}
	if similar := similarFlags(cmd.Flags(), name); len(similar) > 0 {
		see = "Did you mean: " + strings.Join(similar, " or ") + "? " + see
	}
	return usagef(see, "unknown flag %s", given)
}

// similarFlags returns the flags that were probably meant by name, with the placeholders of their
// values. A single letter may stand for any flag that begins with it.
func similarFlags(flags *pflag.FlagSet, name string) []string {
	var names, similar []string
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		names = append(names, f.Name)
		if len(name) == 1 && strings.HasPrefix(f.Name, name) {
			similar = append(similar, "--"+withValue(f))
		}
	})
	if f := flags.Lookup(usualFlags[name]); f != nil {
		return []string{"--" + withValue(f)}
	}
	if f := flags.Lookup(spelling.Nearest(name, names)); f != nil && len(name) > 1 {
		return []string{"--" + withValue(f)}
	}
	return similar
}
