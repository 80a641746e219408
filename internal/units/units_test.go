package units

import (
	"strings"
	"testing"
	"time"
)

func TestParseDuration(t *testing.T) {
	for in, want := range map[string]time.Duration{
		"0": 0, "0s": 0, "5s": 5 * time.Second, "300ms": 300 * time.Millisecond,
		"1h30m": 90 * time.Minute, "7d": 7 * day, "2w": 2 * week, "1d12h": 36 * time.Hour,
		"1.5h": 90 * time.Minute, " 10m ": 10 * time.Minute, "5 min": 5 * time.Minute, "250us": 250 * time.Microsecond,
	} {
		t.Run(in, func(t *testing.T) {
			got, err := ParseDuration(in)
			if err != nil || got != want {
				t.Errorf("got %v, %v; want %v", got, err, want)
			}
		})
	}
}

func TestParseDurationRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"": "empty", "30": "needs a unit", "1h30": "needs a unit", "-5s": "invalid duration", "5y": `unknown unit "y"`,
		"soon": "invalid duration", "1.2.3s": "invalid duration", "300000w": "too long", ".": "invalid duration", "5s!": "unknown unit",
	} {
		t.Run(in, func(t *testing.T) {
			got, err := ParseDuration(in)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, %v; want an error with %q", got, err, want)
			}
		})
	}
}

func TestFormatDuration(t *testing.T) {
	for want, in := range map[string]time.Duration{
		"0s": 999 * time.Millisecond, "12s": 12 * time.Second, "59s": 59*time.Second + 999*time.Millisecond,
		"1m00s": time.Minute, "3m04s": 3*time.Minute + 4*time.Second, "59m59s": time.Hour - 1,
		"1h0m": time.Hour, "6h2m": 6*time.Hour + 2*time.Minute, "23h59m": day - 1, "2d4h": 2*day + 4*time.Hour, "400d0h": 400 * day,
	} {
		if got := FormatDuration(in); got != want {
			t.Errorf("FormatDuration(%v) = %q, want %q", in, got, want)
		}
	}
	if got := FormatDuration(-time.Second); got != "0s" {
		t.Errorf("FormatDuration(-1s) = %q, want \"0s\"", got)
	}
}

func TestFormatAgo(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s ago", 59 * time.Second: "59s ago", 61 * time.Second: "1m ago",
		25 * time.Hour: "1d ago", 23*time.Hour + 59*time.Minute: "23h ago",
	} {
		if got := FormatAgo(d); got != want {
			t.Errorf("%s is %q, want %q", d, got, want)
		}
	}
}

func TestParseBytes(t *testing.T) {
	for in, want := range map[string]int64{
		"0": 0, "512": 512, "512B": 512, "64KiB": 64 * KiB, "64k": 64 * KiB, "10GiB": 10 * GiB, "10G": 10 * GiB,
		"1.5 GiB": 3 * GiB / 2, "2MB": 2_000_000, "3T": 3 * TiB, "9223372036854775807": 1<<63 - 1, ".5k": 512,
	} {
		t.Run(in, func(t *testing.T) {
			got, err := ParseBytes(in)
			if err != nil || got != want {
				t.Errorf("got %d, %v; want %d", got, err, want)
			}
		})
	}
}

func TestParseBytesRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"": "empty", "GiB": "invalid size", "-1": "invalid size", "1XiB": `unknown unit "XiB"`, "1.2.3M": "invalid size",
		"9223372036854775808": "too large", "99999999T": "too large",
	} {
		t.Run(in, func(t *testing.T) {
			got, err := ParseBytes(in)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, %v; want an error with %q", got, err, want)
			}
		})
	}
}

func TestFormatBytes(t *testing.T) {
	for want, in := range map[string]int64{
		"0 B": 0, "1023 B": 1023, "1.0 KiB": KiB, "84 KiB": 84*KiB + 100, "9.9 MiB": 99 * MiB / 10, "10 MiB": 10*MiB - 1,
		"212 MiB": 212 * MiB, "1.0 GiB": GiB - 1, "3.2 GiB": 32 * GiB / 10, "8.0 EiB": 1<<63 - 1,
	} {
		if got := FormatBytes(in); got != want {
			t.Errorf("FormatBytes(%d) = %q, want %q", in, got, want)
		}
	}
}

// Parsing an exact form returns the original value.
func FuzzTextRoundTrip(f *testing.F) {
	for _, n := range []int64{0, 1, 1536, int64(7 * day), int64(1500 * time.Millisecond), 1<<63 - 1, GiB} {
		f.Add(n)
	}
	f.Fuzz(func(t *testing.T, n int64) {
		if n < 0 {
			n = -(n + 1)
		}
		if got, err := ParseBytes(BytesText(n)); err != nil || got != n {
			t.Errorf("size %d: %q reads as %d, %v", n, BytesText(n), got, err)
		}
		if got, err := ParseDuration(DurationText(time.Duration(n))); err != nil || got != time.Duration(n) {
			t.Errorf("duration %d: %q reads as %d, %v", n, DurationText(time.Duration(n)), got, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"7d", "1h30m", "10GiB", "1.5 k", "..", "9e9s", "1d-1h"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if d, err := ParseDuration(s); err == nil && d < 0 {
			t.Errorf("ParseDuration(%q) = %d", s, d)
		}
		if n, err := ParseBytes(s); err == nil && n < 0 {
			t.Errorf("ParseBytes(%q) = %d", s, n)
		}
	})
}

func TestFormatTook(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ms", 120*time.Millisecond + 900*time.Microsecond: "120 ms", 1240 * time.Millisecond: "1.2 s", 3*time.Minute + 4*time.Second: "3m04s",
	} {
		if got := FormatTook(d); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}

func TestFormatMinutes(t *testing.T) {
	for d, want := range map[time.Duration]string{
		59 * time.Second: "0s", 3*time.Minute + 4*time.Second: "3m", 62*time.Minute + 5*time.Second: "1h2m", 25 * time.Hour: "1d1h",
	} {
		if got := FormatMinutes(d); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}

func TestParsePort(t *testing.T) {
	for text, want := range map[string]int{"3000": 3000, "65535": 65535, "0": 0, "-1": 0, "65536": 0, "web": 0, "auto": 0, "": 0} {
		if got, err := ParsePort(text); got != want || (err == nil) != (want != 0) {
			t.Errorf("%q is %d, %v, want %d", text, got, err, want)
		}
	}
}
