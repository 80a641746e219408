package engine

import (
	"testing"

	"github.com/hobjobs/hob/internal/jobdir"
)

func TestKindAndSizeAreThoseOfTheJobAsItRuns(t *testing.T) {
	size := jobdir.Size{Cols: 100, Rows: 30}
	tests := []struct {
		name  string
		meta  jobdir.Meta
		state jobdir.State
		kind  Kind
		size  Size
	}{
		{"a terminal", jobdir.Meta{Kind: "pty", Stdin: "pty", Size: size}, jobdir.State{Size: jobdir.Size{Cols: 90, Rows: 20}}, KindPTY, Size{90, 20}},
		{"one that could not be had", jobdir.Meta{Kind: "pty", Stdin: "pty", Size: size}, jobdir.State{NoTerminal: true}, KindFile, Size{}},
		{"one for input", jobdir.Meta{Kind: "file", Stdin: "tty", Size: size}, jobdir.State{Size: size}, KindFile, Size(size)},
		{"one for input that could not be had", jobdir.Meta{Kind: "file", Stdin: "tty", Size: size}, jobdir.State{NoTerminal: true}, KindFile, Size{}},
		{"files", jobdir.Meta{Kind: "file", Stdin: "null", Size: size}, jobdir.State{Size: size}, KindFile, Size{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.meta.ID = "job-22222"
			asked := jobdir.Record{ID: tt.meta.ID, Meta: tt.meta}
			runs := asked
			runs.Started, runs.State = true, tt.state
			if j := jobOf(&runs, "/x"); j.Kind != tt.kind || j.Size != tt.size {
				t.Errorf("from its records: %q, %v, want %q, %v", j.Kind, j.Size, tt.kind, tt.size)
			}
			o := Observation{Status: Running, Size: Size(tt.state.Size), NoTerminal: tt.state.NoTerminal}
			if j := observed(jobOf(&asked, "/x"), o); j.Kind != tt.kind || j.Size != tt.size {
				t.Errorf("as it is seen to start: %q, %v, want %q, %v", j.Kind, j.Size, tt.kind, tt.size)
			}
		})
	}
}
