package engine

import (
	"testing"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
)

func TestKindAndSizeOfRunningJob(t *testing.T) {
	size := record.Size{Cols: 100, Rows: 30}
	tests := []struct {
		name  string
		meta  jobdir.Meta
		state record.State
		kind  Kind
		size  Size
	}{
		{"a terminal", jobdir.Meta{Request: record.Request{Kind: "pty", Stdin: "pty", InitialSize: size}}, record.State{Size: record.Size{Cols: 90, Rows: 20}}, KindPTY, Size{Cols: 90, Rows: 20}},
		{"one that could not be had", jobdir.Meta{Request: record.Request{Kind: "pty", Stdin: "pty", InitialSize: size}}, record.State{NoTerminal: true}, KindFile, Size{}},
		{"one for input", jobdir.Meta{Request: record.Request{Kind: "file", Stdin: "tty", InitialSize: size}}, record.State{Size: size}, KindFile, size},
		{"one for input that could not be had", jobdir.Meta{Request: record.Request{Kind: "file", Stdin: "tty", InitialSize: size}}, record.State{NoTerminal: true}, KindFile, Size{}},
		{"files", jobdir.Meta{Request: record.Request{Kind: "file", Stdin: "null", InitialSize: size}}, record.State{Size: size}, KindFile, Size{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.meta.ID = "job-22222"
			asked := jobdir.Record{ID: string(tt.meta.ID), Meta: tt.meta}
			runs := asked
			runs.Started, runs.State = true, tt.state
			if j := jobOf(&runs, "/x"); j.Kind != tt.kind || j.Size != tt.size {
				t.Errorf("from its records: %q, %v, want %q, %v", j.Kind, j.Size, tt.kind, tt.size)
			}
			o := State{Status: Running, Size: tt.state.Size, NoTerminal: tt.state.NoTerminal}
			if j := observed(jobOf(&asked, "/x"), o); j.Kind != tt.kind || j.Size != tt.size {
				t.Errorf("as it is seen to start: %q, %v, want %q, %v", j.Kind, j.Size, tt.kind, tt.size)
			}
		})
	}
}
