package logfile

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// benchLog writes a log of mib MiB with lines like those of a build or a server, and one
// rare line in the middle.
func benchLog(b *testing.B, mib int, format string) *File {
	b.Helper()
	path := filepath.Join(b.TempDir(), "output.log")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	out := bufio.NewWriterSize(f, 1<<20)
	for n, i := 0, 0; n < mib<<20; i++ {
		m, _ := fmt.Fprintf(out, format, i%60, i)
		n += m
		if i == mib<<20/200 {
			m, _ = out.WriteString("a rare needle stands here\r\n")
			n += m
		}
	}
	if err := out.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	log, err := Open(path, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { log.Close() })
	return log
}

const (
	plainLines   = "2026-01-02 15:04:%02d INFO  server: request %d done in 12ms, 200 OK, user=anonymous\r\n"
	coloredLines = "\x1b[2m15:04:%02d\x1b[0m \x1b[32mINFO\x1b[0m server: request \x1b[1m%d\x1b[0m done in 12ms\r\n"
)

func benchRead(b *testing.B, mib int, format string, read func(ctx context.Context, f *File, size int64) error) {
	b.Helper()
	f := benchLog(b, mib, format)
	size, _ := f.Size(b.Context())
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if err := read(b.Context(), f, size); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	patterns := []struct {
		name string
		p    *Pattern
	}{
		{"exact", literal("no such needle")},
		{"smart", anyCase("no such needle")},
		{"common bytes", anyCase("serves")},
		{"regexp", expression(`(?i:needle \d+ here)`)},
	}
	for _, format := range []struct{ name, format string }{{"plain", plainLines}, {"colored", coloredLines}} {
		for _, p := range patterns {
			b.Run(format.name+"/"+p.name, func(b *testing.B) {
				benchRead(b, 256, format.format, func(ctx context.Context, f *File, _ int64) error {
					_, found, err := nextMatch(ctx, f, p.p, 0)
					if found {
						return fmt.Errorf("found what is not there")
					}
					return err
				})
			})
		}
		b.Run(format.name+"/backward", func(b *testing.B) {
			benchRead(b, 256, format.format, func(ctx context.Context, f *File, _ int64) error {
				return Tail(ctx, f, Query{Limit: 1, Filter: patterns[1].p}, func(Line) error { return nil })
			})
		})
	}
}

func BenchmarkCount(b *testing.B) {
	benchRead(b, 256, plainLines, func(ctx context.Context, f *File, _ int64) error {
		_, err := Count(ctx, f)
		return err
	})
}

func BenchmarkIndex(b *testing.B) {
	benchRead(b, 256, plainLines, func(ctx context.Context, f *File, _ int64) error {
		_, err := NewIndex().Extend(ctx, f, 0)
		return err
	})
}

func BenchmarkTail(b *testing.B) {
	benchRead(b, 256, plainLines, func(ctx context.Context, f *File, _ int64) error {
		return Tail(ctx, f, Query{Limit: 200}, func(Line) error { return nil })
	})
}

func BenchmarkAllLines(b *testing.B) {
	for _, format := range []struct{ name, format string }{{"plain", plainLines}, {"colored", coloredLines}} {
		b.Run(format.name, func(b *testing.B) {
			benchRead(b, 64, format.format, func(ctx context.Context, f *File, _ int64) error {
				return From(ctx, f, 0, Query{}, func(Line) error { return nil })
			})
		})
	}
}
