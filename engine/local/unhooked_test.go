//go:build linux || darwin

package local_test

import (
	"os"
	"strings"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/proc"
)

// A program that does not begin with IsHolder runs as the holder of its own job: it would start the
// job again, in a holder that does the same, endlessly.
func TestHolderStartsNoHolders(t *testing.T) {
	own := os.Args[0]
	defer func() { os.Args[0] = own }()
	for _, tt := range []struct {
		name   string
		option local.Option
		starts bool
	}{
		{"of this program", local.ForUser(), false},
		{"of another program", local.WithHolderCommand(own), true},
		{"in process", local.InProcess(), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t, tt.option)
			l, err := p.make(engine.Spec{Command: []string{"true"}})
			if err != nil {
				t.Fatal(err)
			}
			os.Args[0] = proc.HolderName
			_, err = p.b.Start(t.Context(), l)
			os.Args[0] = own
			if !tt.starts {
				if err == nil || !strings.Contains(err.Error(), "local.IsHolder") {
					t.Errorf("the error is %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			run, err := p.b.Open(t.Context(), l.Record)
			if err != nil {
				t.Fatal(err)
			}
			if exit, err := exitOf(t.Context(), run); err != nil || exit.Status != engine.Exited {
				t.Errorf("%+v, %v", exit, err)
			}
		})
	}
}
