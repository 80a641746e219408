package units

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

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
