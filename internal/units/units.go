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
	case "sec":
		return time.Second, true
	case "min":
		return time.Minute, true
	case "d":
		return day, true
	case "w":
		return week, true
	}
	unit, err := time.ParseDuration("1" + s)
	return unit, err == nil
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

// FormatTook returns how long something took that a user waited for: "120 ms", "1.2 s", "3m04s".
func FormatTook(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return FormatDuration(d)
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

// The binary units.
const (
	KiB int64 = 1 << 10
	MiB int64 = 1 << 20
	GiB int64 = 1 << 30
	TiB int64 = 1 << 40
)

// ParseBytes parses a size: "512", "64KiB", "1.5 GiB", "10G". K, M, G and T alone are binary
// units; KB, MB, GB and TB are powers of 1000. Case is ignored.
func ParseBytes(s string) (int64, error) {
	t := strings.TrimSpace(s)
	if t == "" {
		return 0, errors.New("empty size; use for example 64KiB or 1GiB")
	}
	n := numberLength(t)
	number, err := strconv.ParseFloat(t[:n], 64)
	if err != nil {
		return 0, fmt.Errorf("invalid size %q; use for example 64KiB or 1GiB", s)
	}
	unit, ok := byteUnit(strings.ToLower(strings.TrimSpace(t[n:])))
	if !ok {
		return 0, fmt.Errorf("unknown unit %q in size %q; use B, KiB, MiB, GiB or TiB", strings.TrimSpace(t[n:]), s)
	}
	if whole, err := strconv.ParseInt(t[:n], 10, 64); err == nil && whole <= math.MaxInt64/unit {
		return whole * unit, nil
	}
	size := math.Round(number * float64(unit))
	if size >= math.MaxInt64 {
		return 0, fmt.Errorf("size %q is too large", s)
	}
	return int64(size), nil
}

func byteUnit(s string) (int64, bool) {
	switch s {
	case "", "b":
		return 1, true
	case "k", "kib":
		return KiB, true
	case "m", "mib":
		return MiB, true
	case "g", "gib":
		return GiB, true
	case "t", "tib":
		return TiB, true
	case "kb":
		return 1e3, true
	case "mb":
		return 1e6, true
	case "gb":
		return 1e9, true
	case "tb":
		return 1e12, true
	}
	return 0, false
}

// FormatBytes returns a size rounded for display: "512 B", "84 KiB", "3.2 GiB".
func FormatBytes(n int64) string {
	n = max(n, 0)
	if n < KiB {
		return fmt.Sprintf("%d B", n)
	}
	size := float64(n)
	for _, unit := range []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"} {
		size /= 1024
		switch {
		case size < 9.95:
			return fmt.Sprintf("%.1f %s", size, unit)
		case size < 1023.5:
			return fmt.Sprintf("%.0f %s", size, unit)
		}
	}
	return fmt.Sprintf("%d B", n)
}

// BytesText returns a size exactly, in the syntax of [ParseBytes]: "10GiB", "1536KiB",
// "1000B".
func BytesText(n int64) string {
	for _, u := range []struct {
		unit int64
		name string
	}{{TiB, "TiB"}, {GiB, "GiB"}, {MiB, "MiB"}, {KiB, "KiB"}} {
		if n >= u.unit && n%u.unit == 0 {
			return strconv.FormatInt(n/u.unit, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10) + "B"
}

// Count returns a number with its noun: "1 job", "2 jobs".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// maxCells is the largest width or height that the kernel's window size can hold.
const maxCells = 1<<16 - 1

// ParseSize parses a terminal size such as "120x40".
func ParseSize(s string) (cols, rows int, err error) {
	c, r, ok := strings.Cut(strings.ToLower(s), "x")
	cols, err1 := strconv.Atoi(strings.TrimSpace(c))
	rows, err2 := strconv.Atoi(strings.TrimSpace(r))
	inRange := min(cols, rows) >= 1 && max(cols, rows) <= maxCells
	if !ok || errors.Join(err1, err2) != nil || !inRange {
		return 0, 0, fmt.Errorf("invalid size %q; use COLSxROWS, for example 120x40", s)
	}
	return cols, rows, nil
}

// ParsePort parses the number of a TCP port.
func ParsePort(s string) (int, error) {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("invalid port %q (1–65535)", s)
	}
	return int(n), nil
}
