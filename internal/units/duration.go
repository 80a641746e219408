// Package units parses and formats durations and sizes as users write them: "7d", "1h30m",
// "10GiB", "3.2 GiB".
package units

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

const (
	day  = 24 * time.Hour
	week = 7 * day
)

// ParseDuration parses a duration such as "300ms", "5s", "1h30m", "7d" or "2w". A day has 24
// hours. Every number except 0 needs a unit, because a bare number could mean seconds or
// milliseconds. Negative durations are an error.
func ParseDuration(s string) (time.Duration, error) {
	rest := strings.TrimSpace(s)
	if rest == "0" {
		return 0, nil
	}
	if rest == "" {
		return 0, errors.New("empty duration; use for example 30s, 5m or 7d")
	}
	var total time.Duration
	for rest != "" {
		n := numberLength(rest)
		if n == 0 {
			return 0, fmt.Errorf("invalid duration %q; use for example 30s, 5m or 7d", s)
		}
		number, err := strconv.ParseFloat(rest[:n], 64)
		if err != nil {
			return 0, fmt.Errorf("invalid duration %q; use for example 30s, 5m or 7d", s)
		}
		rest = rest[n:]
		u := strings.IndexAny(rest, "0123456789.")
		if u < 0 {
			u = len(rest)
		}
		if u == 0 {
			return 0, fmt.Errorf("duration %q needs a unit: ms, s, m, h, d or w", s)
		}
		unit, ok := durationUnit(strings.TrimSpace(rest[:u]))
		if !ok {
			return 0, fmt.Errorf("unknown unit %q in duration %q; use ms, s, m, h, d or w", rest[:u], s)
		}
		rest = rest[u:]
		part := math.Round(number * float64(unit))
		if part >= math.MaxInt64-float64(total) {
			return 0, fmt.Errorf("duration %q is too long", s)
		}
		total += time.Duration(part)
	}
	return total, nil
}

func durationUnit(s string) (time.Duration, bool) {
	switch s {
	case "ns":
		return time.Nanosecond, true
	case "us", "µs":
		return time.Microsecond, true
	case "ms":
		return time.Millisecond, true
	case "s", "sec":
		return time.Second, true
	case "m", "min":
		return time.Minute, true
	case "h":
		return time.Hour, true
	case "d":
		return day, true
	case "w":
		return week, true
	}
	return 0, false
}

// numberLength returns the length of the decimal number at the beginning of s.
func numberLength(s string) int {
	n := strings.IndexFunc(s, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if n < 0 {
		return len(s)
	}
	return n
}

// FormatDuration returns a duration for a narrow column, truncated to at most two units:
// "12s", "3m04s", "6h2m", "2d4h".
func FormatDuration(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	case d < day:
		return fmt.Sprintf("%dh%dm", d/time.Hour, d%time.Hour/time.Minute)
	}
	return fmt.Sprintf("%dd%dh", d/day, d%day/time.Hour)
}

// FormatBrief returns a duration in its largest unit: "3m".
func FormatBrief(d time.Duration) string {
	text := FormatDuration(d)
	if i := strings.IndexAny(text, "mhd"); i >= 0 {
		text = text[:i+1]
	}
	return text
}

// FormatMinutes returns a duration without its seconds: "3m", "6h2m".
func FormatMinutes(d time.Duration) string {
	return strings.TrimSuffix(FormatDuration(d.Truncate(time.Minute)), "00s")
}

// FormatAgo returns how long ago something was, in the largest unit: "3m ago".
func FormatAgo(d time.Duration) string { return FormatBrief(d) + " ago" }

// DurationText returns a duration exactly, in the syntax of [ParseDuration]: "7d", "1h30m",
// "1s500ms".
func DurationText(d time.Duration) string {
	if d == 0 {
		return "0s"
	}
	var b strings.Builder
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{day, "d"}, {time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "us"}, {1, "ns"}} {
		if n := d / u.unit; n > 0 {
			fmt.Fprintf(&b, "%d%s", n, u.name)
			d -= n * u.unit
		}
	}
	return b.String()
}
