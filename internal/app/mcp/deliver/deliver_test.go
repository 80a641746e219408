package deliver

import (
	"errors"
	"io"
	"log/slog"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/mcp/session"
)

// If the server is killed while it writes an answer, the next server finds the state recorded at
// that moment.
func TestDeliveryIsRecordedAroundTheAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		asksAgain     bool
		err           error
		during, after int64
	}{
		"an answer":                       {false, nil, reportBegun, reportSent},
		"an answer that fails":            {false, io.ErrClosedPipe, reportBegun, reportBegun},
		"a result asked for again":        {true, nil, reportSent, reportSent},
		"a result that cannot be written": {true, io.ErrClosedPipe, reportSent, reportBegun},
	} {
		t.Run(name, func(t *testing.T) {
			eng, err := engine.New(engine.WithStateDir(t.TempDir()))
			if err != nil {
				t.Fatal(err)
			}
			defer eng.Close()
			s := &session.Session{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler), Life: t.Context()}
			d, _ := New(s, nil, nil)
			d.Opened(eng, "tester")
			var jobs []engine.ID
			for range 2 {
				x, err := eng.NewExecution(engine.ExecutionSpec{Name: "work"})
				if err != nil {
					t.Fatal(err)
				}
				if err := x.Complete(engine.Exit{}); err != nil {
					t.Fatal(err)
				}
				jobs = append(jobs, x.ID())
			}
			extra := &mcp.RequestExtra{}
			noticed, err := eng.Handle(jobs[1]).Facts(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			d.registerDelivery(extra, &request{repeatable: c.asksAgain, ends: jobs[:1], notices: []notice{{job: noticed}, {text: "of no job"}}}, true)
			check := func(when string, want int64) {
				for _, id := range jobs {
					if got := d.endReport(id); got != want {
						t.Errorf("%s: recorded %d, want %d", when, got, want)
					}
				}
			}
			err = d.Write(extra, func() error {
				check("during the write", c.during)
				return c.err
			})
			if !errors.Is(err, c.err) {
				t.Errorf("%v, want %v", err, c.err)
			}
			check("after it", c.after)
			d.registerDelivery(extra, &request{ends: jobs}, true)
			_ = d.Write(extra, func() error {
				if c.after == reportSent {
					check("while it is reported again", reportSent)
				}
				return nil
			})
		})
	}
}
