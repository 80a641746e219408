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

// givenFlag is a word that says nothing when it is empty, as an unset variable of
// a script makes it: that is refused rather than taken for a flag not given.
type givenFlag string

// Set implements pflag.Value.
func (f *givenFlag) Set(s string) error {
	if s == "" {
		return errors.New("it is empty")
	}
	*f = givenFlag(s)
	return nil
}

// String implements pflag.Value.
func (f *givenFlag) String() string { return string(*f) }

// Type implements pflag.Value.
func (*givenFlag) Type() string { return "string" }

// countFlag is a number from 0 on; -1 is one that was not given.
type countFlag int64

// Set implements pflag.Value.
func (f *countFlag) Set(s string) error {
	n, err := strconv.ParseInt(s, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) && n > 0: // as far as there is anything
	case err != nil:
		return fmt.Errorf("%q is no number", s)
	case n < 0:
		return errors.New("it counts from 0")
	}
	*f = countFlag(n)
	return nil
}

// String implements pflag.Value.
func (f *countFlag) String() string {
	if *f < 0 {
		return ""
	}
	return strconv.FormatInt(int64(*f), 10)
}

// Type implements pflag.Value.
func (*countFlag) Type() string { return "N" }

// durationFlag is a duration with the units of people: 90s, 1h30m, 7d.
type durationFlag struct {
	d   time.Duration
	set bool
}

// Set implements pflag.Value.
func (f *durationFlag) Set(s string) (err error) {
	f.d, err = units.ParseDuration(s)
	f.set = err == nil
	return err
}

// String implements pflag.Value.
func (f *durationFlag) String() string {
	if f.d == 0 {
		return ""
	}
	return units.DurationText(f.d)
}

// Type implements pflag.Value.
func (*durationFlag) Type() string { return "DUR" }

// bytesFlag is a number of bytes: 512, 64KiB, 2G.
type bytesFlag struct {
	n   int64
	set bool
}

// Set implements pflag.Value.
func (f *bytesFlag) Set(s string) error {
	n, err := units.ParseBytes(s)
	f.n, f.set = n, true
	return err
}

// String implements pflag.Value.
func (f *bytesFlag) String() string {
	if !f.set {
		return ""
	}
	return units.BytesText(f.n)
}

// Type implements pflag.Value.
func (*bytesFlag) Type() string { return "BYTES" }

// sizeFlag is a terminal size: 120x40.
type sizeFlag engine.Size

// maxCells bounds either side of a terminal: what the kernel's window size can
// say.
const maxCells = 1<<16 - 1

// Set implements pflag.Value.
func (f *sizeFlag) Set(s string) error {
	c, r, ok := strings.Cut(strings.ToLower(s), "x")
	cols, err1 := strconv.Atoi(c)
	rows, err2 := strconv.Atoi(r)
	if !ok || err1 != nil || err2 != nil || cols < 1 || rows < 1 || cols > maxCells || rows > maxCells {
		return fmt.Errorf("%q is no size; say COLSxROWS, for example 120x40", s)
	}
	*f = sizeFlag{Cols: cols, Rows: rows}
	return nil
}

// String implements pflag.Value.
func (f *sizeFlag) String() string {
	if f.Cols == 0 {
		return ""
	}
	return fmt.Sprintf("%dx%d", f.Cols, f.Rows)
}

// Type implements pflag.Value.
func (*sizeFlag) Type() string { return "COLSxROWS" }

// portFlag is a port's number.
type portFlag int

// Set implements pflag.Value.
func (f *portFlag) Set(s string) error {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil || n == 0 {
		return fmt.Errorf("%q is no port: it is a number from 1 to 65535", s)
	}
	*f = portFlag(n)
	return nil
}

// String implements pflag.Value.
func (f *portFlag) String() string {
	if *f == 0 {
		return ""
	}
	return strconv.Itoa(int(*f))
}

// Type implements pflag.Value.
func (*portFlag) Type() string { return "N" }

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
