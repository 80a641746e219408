package holder

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/vt"
)

// carryOut carries out one instruction. The result is sent as JSON.
func (c *conn) carryOut(f Frame) (any, error) {
	h := c.h
	switch f.Type {
	case TypeStop:
		return c.kill(Kill{By: "stop"})
	case TypeKill:
		var k Kill
		if err := decode(f.Payload, &k); err != nil {
			return nil, err
		}
		return c.kill(k)
	case TypeSignal:
		return nil, decoded(f, c.signal)
	case TypeAttach:
		return nil, decoded(f, c.attach)
	case TypeTakeControl:
		return nil, c.takeControl()
	case TypeTerminal:
		return nil, decoded(f, c.terminalFacts)
	case TypeSubscribe:
		if len(f.Payload) == 0 {
			return nil, c.subscribe(Subscribe{})
		}
		return nil, decoded(f, c.subscribe)
	case TypeStatus:
		return c.status(), nil
	case TypeBackground:
		h.Background()
		return nil, nil
	case TypeScreen:
		// A client may have read a line in the log that the emulator has not processed yet.
		h.outputMu.Lock()
		defer h.outputMu.Unlock()
		return h.Screen()
	case TypeResize:
		return nil, decoded(f, c.resize)
	case TypeInput, TypeKeys, TypePaste, TypeEOF:
		return nil, c.input(f)
	}
	return nil, &Failure{Code: CodeUnknown, Message: "unknown instruction; the job's holder is of another version of hob"}
}

func decode(p []byte, v any) error {
	if err := json.Unmarshal(p, v); err != nil {
		return &Failure{Code: CodeInvalid, Message: "invalid instruction: " + err.Error()}
	}
	return nil
}

// decoded carries out an instruction with its payload, which is JSON.
func decoded[T any](f Frame, carryOut func(T) error) error {
	var request T
	if err := decode(f.Payload, &request); err != nil {
		return err
	}
	return carryOut(request)
}

func unsupported(what string) error {
	return &Failure{Code: CodeUnsupported, Message: "the job does not support " + what}
}

func (c *conn) kill(k Kill) (any, error) {
	if c.h.cfg.Hooks.Stop == nil {
		return nil, unsupported("being stopped")
	}
	report, err := c.h.cfg.Hooks.Stop(c.h.ctx, k.options())
	if err != nil {
		return nil, err
	}
	return reportOf(report), nil
}

func (c *conn) signal(s Signal) error {
	h := c.h
	if h.cfg.Hooks.Signal == nil {
		return unsupported("signals")
	}
	return h.cfg.Hooks.Signal(h.ctx, s.Name, clip(s.By))
}

func (c *conn) subscribe(s Subscribe) error {
	h := c.h
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.mayStream(c); err != nil {
		return err
	}
	c.shows = s.Shows
	c.pace = min(max(time.Duration(s.PaceMS)*time.Millisecond, factsPause), factsRest)
	if !c.subscribed {
		c.subscribed, c.due, c.stateDue, c.urgent = true, true, true, true
	}
	c.startPump()
	return nil
}

func (c *conn) status() Facts {
	h := c.h
	h.mu.Lock()
	defer h.mu.Unlock()
	st := h.stateLocked()
	return Facts{
		Output:     h.outputLocked(),
		Dropped:    st.Dropped,
		Bells:      h.bells,
		State:      &st,
		Unrecorded: h.unrecorded,
		DiskSince:  h.diskSince(),
	}
}

// attach begins a terminal session. Before this the connection has no effect on others.
func (c *conn) attach(a Attach) error {
	h := c.h
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.term == nil {
		return &Failure{Code: CodeUnsupported, Message: "the job has no terminal"}
	}
	if c.view != nil {
		return &Failure{Code: CodeInvalid, Message: "this connection is attached already"}
	}
	if err := h.mayStream(c); err != nil {
		return err
	}
	a.Client = clip(a.Client)
	a.Scrollback = min(max(a.Scrollback, 0), maxHistory)
	c.view = &view{attach: a, last: -1, desynced: true, fresh: true}
	if a.From != nil && *a.From == h.offset {
		c.view.desynced, c.view.fresh = false, false
	}
	if a.Control && (h.controller == nil || a.Take) {
		c.control()
	}
	if !c.view.desynced {
		c.view.control(encodeJSON(h.controlFor(c)))
	}
	c.startPump()
	return nil
}

// control makes c the controlling client; h.mu is held.
func (c *conn) control() {
	h := c.h
	h.controller = c
	a := c.view.attach
	h.setTerminalFacts(a.Facts, c.view.reported || a.Facts != TerminalFacts{})
	_ = h.resizeLocked(c, a.Size) // a job that cannot be resized is shown in its current size
	h.controlChanged()
}

func (c *conn) takeControl() error {
	h := c.h
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.view == nil {
		return &Failure{Code: CodeInvalid, Message: "only an attached client can take control"}
	}
	if h.controller != c {
		c.control()
	}
	return nil
}

// terminalFacts replaces the facts of the client's terminal, and answers the job's queries with
// them while the client has control.
func (c *conn) terminalFacts(f TerminalFacts) error {
	h := c.h
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.view == nil {
		return &Failure{Code: CodeInvalid, Message: "only an attached client can report its terminal"}
	}
	c.view.attach.Facts, c.view.reported = f, true
	if h.controller == c {
		h.setTerminalFacts(f, true)
	}
	return nil
}

func (c *conn) resize(size record.Size) error {
	h := c.h
	h.mu.Lock()
	if c.view == nil {
		h.mu.Unlock()
		return h.Resize(h.ctx, size)
	}
	defer h.mu.Unlock()
	// Stored for when this client takes control.
	c.view.attach.Size = size
	if h.controller != c {
		return nil
	}
	return h.resizeLocked(c, size)
}

// input types the keys or text of f.
func (c *conn) input(f Frame) error {
	h := c.h
	h.mu.Lock()
	attached, controls, ended := c.view != nil, h.controller == c, h.state.Exit.Known()
	h.mu.Unlock()
	switch {
	case ended:
		return &Failure{Code: CodeEnded, Message: "the job has ended"}
	case attached && !controls:
		return &Failure{Code: CodeNotControl, Message: "another client has the keyboard"}
	}
	var p []byte
	switch f.Type {
	case TypeEOF:
		if h.cfg.Hooks.CloseInput == nil {
			return &Failure{Code: CodeNoInput, Message: "the job takes no input"}
		}
		return h.cfg.Hooks.CloseInput(h.ctx)
	case TypeKeys:
		var names []string
		if err := decode(f.Payload, &names); err != nil {
			return err
		}
		var err error
		if p, err = h.EncodeKeys(names); err != nil {
			return err
		}
	case TypePaste:
		p = h.EncodePaste(f.Payload)
	default:
		p = slices.Clone(f.Payload)
	}
	if h.cfg.Hooks.Input == nil {
		return &Failure{Code: CodeNoInput, Message: "the job takes no input"}
	}
	return h.cfg.Hooks.Input(h.ctx, p)
}

// emulator returns the job's emulator, or for a job without a screen one in its initial state.
func (h *Holder) emulator() *vt.Terminal {
	if h.term != nil {
		return h.term
	}
	return vt.New(1, 1)
}
