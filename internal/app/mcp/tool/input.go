package tool

import (
	"context"
	"errors"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/units"
)

// typed calls give, which sends input to a job, and returns the answer about that.
func (t *Tools) typed(ctx context.Context, j engine.Job, doing, what, data string, give func() error) (*Answer, error) {
	var err error
	switch {
	case j.Status.Finished():
		err = engine.ErrNotRunning
	case !j.Stdin.Writable():
		err = engine.ErrNoInput
	default:
		err = give()
	}
	if err != nil {
		return nil, Failed(j, doing, err)
	}
	ans := t.acted(ctx, j, what)
	// The job has had no time yet to read the input and wait for more.
	if ans.WaitingForInput {
		j.Waiting, ans.WaitingForInput = false, false
		ans.Next = next(j)
	}
	// A terminal in line mode truncates long lines.
	for line := range strings.Lines(data) {
		if len(line) > maxCanon && j.Host == "" && j.Size != (engine.Size{}) { // else it is a pipe
			ans.AddNoticef("one line has %d bytes; a terminal passes on at most %d of a line, so the job may get only its beginning. Put long input into a file", len(line), maxCanon-1)
			break
		}
	}
	return ans, nil
}

// maxCanon is the longest line that a terminal in line mode accepts, with its line feed.
const maxCanon = 4096

func (t *Tools) write(ctx context.Context, j engine.Job, in ProcessArgs) (*Answer, error) {
	if in.Data == "" && !in.EOF {
		return nil, Usage("process: write needs data", `give data, for example "y\n", or eof true to end the input`)
	}
	var what []string
	if in.Data != "" {
		what = append(what, units.Count(len(in.Data), "byte")+" written")
	}
	if in.EOF {
		what = append(what, "input ended")
	} else if !strings.HasSuffix(in.Data, "\n") && !strings.HasSuffix(in.Data, "\r") {
		what = append(what, `no line feed at the end: a job that reads lines gets this after the next "\n"`)
	}
	return t.typed(ctx, j, "write to", strings.Join(what, ", "), in.Data, func() error {
		if in.Data != "" {
			if err := t.Eng.Handle(j.ID).Write(ctx, []byte(in.Data)); err != nil {
				return err
			}
		}
		if in.EOF {
			return t.Eng.Handle(j.ID).CloseInput(ctx)
		}
		return nil
	})
}

func (t *Tools) sendKeys(ctx context.Context, j engine.Job, in ProcessArgs) (*Answer, error) {
	if len(in.Keys) == 0 {
		return nil, Usage("process: send-keys needs keys", `give their tmux names, for example ["C-c"] or ["Up","Enter"]`)
	}
	return t.typed(ctx, j, "send keys to", units.Count(len(in.Keys), "key")+" sent", "", func() error {
		return t.Eng.Handle(j.ID).SendKeys(ctx, in.Keys)
	})
}

// submit types a line and presses Enter.
func (t *Tools) submit(ctx context.Context, j engine.Job, in ProcessArgs) (*Answer, error) {
	end := "\n"
	if j.HasTerminal() {
		end = "\r"
	}
	return t.typed(ctx, j, "submit to", units.Count(len(in.Data), "byte")+" and Enter typed", in.Data, func() error {
		return t.Eng.Handle(j.ID).Write(ctx, []byte(in.Data+end))
	})
}

func (t *Tools) paste(ctx context.Context, j engine.Job, in ProcessArgs) (*Answer, error) {
	if in.Data == "" {
		return nil, Usage("process: paste needs data", "give data")
	}
	return t.typed(ctx, j, "paste to", units.Count(len(in.Data), "byte")+" pasted", in.Data, func() error {
		err := t.Eng.Handle(j.ID).Paste(ctx, []byte(in.Data))
		if errors.Is(err, engine.ErrUnsupported) { // no terminal, so nothing to bracket for
			err = t.Eng.Handle(j.ID).Write(ctx, []byte(in.Data))
		}
		return err
	})
}
