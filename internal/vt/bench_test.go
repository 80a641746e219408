package vt

import (
	"fmt"
	"testing"

	"github.com/hobjobs/hob/internal/vt/sample"
)

func BenchmarkWrite(b *testing.B) {
	for _, size := range [][2]int{{80, 24}, {200, 50}} {
		for _, kind := range sample.Kinds() {
			b.Run(fmt.Sprintf("%s/%dx%d", kind, size[0], size[1]), func(b *testing.B) {
				stream := sample.Stream(kind, size[0], size[1])
				t := New(size[0], size[1], WithScrollback(1<<20))
				t.Write(stream)
				t.Write(stream)
				b.SetBytes(int64(len(stream)))
				b.ReportAllocs()
				for b.Loop() {
					for p := stream; len(p) > 0; { // like reads from a PTY
						n := min(4096, len(p))
						t.Write(p[:n])
						p = p[n:]
					}
				}
			})
		}
	}
}
