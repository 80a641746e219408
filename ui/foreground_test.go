package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
)

// stateNames and eventNames are the headings of the table below.
func stateNames() []string {
	return []string{"detached", "attached", "lost", "failed", "ended", "left", "unsent", "forHost", "sent"}
}

func eventNames() []string {
	return []string{
		"attach", "attachEnded", "leave", "leaveUnsent", "leaveForHost", "close", "key", "timeOver",
		"jobEnded", "endedEmpty", "lost", "openFailed", "openRefused", "notSent",
	}
}

// Each row is a state, each column an event; a dot is an event that changes nothing.
func TestForegroundTable(t *testing.T) {
	const table = `
             attach   attachEnded leave    leaveUnsent leaveForHost close    key      timeOver jobEnded endedEmpty lost     openFailed openRefused notSent
    detached attached ended       .        .           .            .        .        .        .        .          .        .          .           .
    attached attached ended       left     unsent      forHost      .        .        .        ended    detached   lost     failed     detached    .
    lost     attached ended       left     unsent      forHost      detached .        .        ended    .          .        .          .           .
    failed   attached ended       detached detached    detached     detached .        .        ended    .          .        .          .           .
    ended    attached ended       ended    ended       ended        detached .        .        .        detached   .        .          detached    .
    left     attached ended       attached .           .            .        detached detached detached .          detached detached   detached    .
    unsent   attached ended       attached .           .            .        detached detached detached .          detached detached   .           .
    forHost  attached ended       attached .           .            .        detached sent     detached .          detached detached   .           .
    sent     attached ended       attached .           .            .        detached detached detached .          detached detached   .           left
`
	lines := strings.Split(strings.TrimSpace(table), "\n")
	if diff := cmp.Diff(eventNames(), strings.Fields(lines[0])); diff != "" {
		t.Fatal(diff)
	}
	got := map[string][]string{}
	for state, name := range stateNames() {
		for event := range eventNames() {
			cell := "."
			if step, ok := foreSteps()[foreState(state)][foreEvent(event)]; ok {
				cell = stateNames()[step.to]
			}
			got[name] = append(got[name], cell)
		}
	}
	want := map[string][]string{}
	for _, line := range lines[1:] {
		cells := strings.Fields(line)
		want[cells[0]] = cells[1:]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What holds for each transition, whatever its states.
func TestForegroundActions(t *testing.T) {
	leaves := []foreEvent{eventLeave, eventLeaveUnsent, eventLeaveForHost}
	for from, events := range foreSteps() {
		for event, step := range events {
			was, is := foreground{state: from}, foreground{state: step.to}
			does := func(a foreAction) bool { return slices.Contains(step.do, a) }
			unsent := from == foreLeftUnsent || from == foreLeftForHost
			returned := was.isLeft() && event == eventLeave
			attaches := event == eventAttach || event == eventAttachEnded
			over := from != foreDetached && (step.to == foreDetached || attaches)
			for name, rule := range map[string]struct{ got, want bool }{
				"a session closes when its job is given up":                  {does(doClose), over},
				"the leave key is typed when it returns":                     {does(doTypeKey), returned},
				"the job is shown when the leave key returns":                {does(doReturn), returned},
				"the panes are shown when the pane gives up what it shows":   {does(doShowPanes), from != foreDetached && !was.isLeft() && !attaches && (is.isLeft() || step.to == foreDetached)},
				"the wait begins when a job is left":                         {does(doWait), is.isLeft() && event != eventNotSent},
				"the host learns when the user closes a job":                 {does(doReportLeft), event == eventClose || from == foreFailed && slices.Contains(leaves, event)},
				"a job is sent when it is left, at once or when it is final": {does(doSend), step.to == foreLeft && event == eventLeave || unsent && !returned},
				"keys are ignored when the panes appear by themselves":       {does(doIgnoreKeys), event == eventEndedEmpty},
			} {
				if rule.got != rule.want {
					t.Errorf("%s, %s: %s: %v", stateNames()[from], eventNames()[event], name, rule.got)
				}
			}
		}
	}
}

// Every way to leave, from every state that it can lead to.
func TestLeavingForeground(t *testing.T) {
	start := func(t *testing.T, l Leave) *harness {
		eng := three()
		eng.jobs[0].Backgrounded = false
		s := newHarness(t, 100, 24, eng, WithLeave(l))
		s.run(s.pane.Foreground("dev-aaaaa"))
		s.pump()
		return s
	}
	sent := func(s *harness) bool { return slices.Contains(s.eng.did(), "background dev-aaaaa") }
	end := func(s *harness) {
		s.eng.screen.end(engine.Exit{Status: engine.Exited})
		s.pump()
	}
	lose := func(s *harness) {
		_ = s.eng.screen.Close()
		s.pump()
	}
	refuse := func(s *harness) { s.eng.fail["background"] = engine.ErrNotRunning }
	for name, tt := range map[string]struct {
		leave   Leave
		do      func(s *harness)
		state   string
		sent    bool
		leaving engine.ID
		toHost  bool
	}{
		"at once":                 {LeaveAtOnce, func(s *harness) { s.press("ctrl+b") }, "left", true, "dev-aaaaa", false},
		"at once, twice":          {LeaveAtOnce, func(s *harness) { s.press("ctrl+b", "ctrl+b") }, "attached", true, "", false},
		"at once, refused":        {LeaveAtOnce, func(s *harness) { refuse(s); s.press("ctrl+b") }, "left", true, "", false},
		"later":                   {LeaveLater, func(s *harness) { s.press("ctrl+b") }, "unsent", false, "dev-aaaaa", false},
		"later, twice":            {LeaveLater, func(s *harness) { s.press("ctrl+b", "ctrl+b"); s.pass(doubleLeave) }, "attached", false, "", false},
		"later, three times":      {LeaveLater, func(s *harness) { s.press("ctrl+b", "ctrl+b", "ctrl+b") }, "unsent", false, "dev-aaaaa", false},
		"later, another key":      {LeaveLater, func(s *harness) { s.press("ctrl+b", "j") }, "detached", true, "dev-aaaaa", false},
		"later, time over":        {LeaveLater, func(s *harness) { s.press("ctrl+b"); s.pass(doubleLeave) }, "detached", true, "dev-aaaaa", false},
		"later, it ends":          {LeaveLater, func(s *harness) { refuse(s); s.press("ctrl+b"); end(s) }, "detached", true, "", false},
		"later, attached again":   {LeaveLater, func(s *harness) { s.press("ctrl+b", "a") }, "attached", true, "dev-aaaaa", false},
		"to the host":             {LeaveToHost, func(s *harness) { s.press("ctrl+b") }, "forHost", false, "dev-aaaaa", true},
		"to the host, twice":      {LeaveToHost, func(s *harness) { s.press("ctrl+b", "ctrl+b"); s.pass(doubleLeave) }, "attached", false, "", false},
		"to the host, key":        {LeaveToHost, func(s *harness) { s.press("ctrl+b", "x") }, "detached", true, "dev-aaaaa", false},
		"to the host, sent":       {LeaveToHost, func(s *harness) { s.press("ctrl+b"); s.pass(hostLeave) }, "sent", true, "dev-aaaaa", true},
		"to the host, sent twice": {LeaveToHost, func(s *harness) { s.press("ctrl+b"); s.pass(hostLeave); s.press("ctrl+b") }, "attached", true, "", false},
		"to the host, refused":    {LeaveToHost, func(s *harness) { refuse(s); s.press("ctrl+b"); s.pass(hostLeave) }, "left", true, "", false},
		"to the host, time over":  {LeaveToHost, func(s *harness) { s.press("ctrl+b"); s.pass(hostLeave); s.pass(doubleLeave) }, "detached", true, "dev-aaaaa", false},
		"to the host, a box opens": {LeaveToHost, func(s *harness) {
			s.press("ctrl+b")
			s.deliver(AskMsg{Title: "web1", Reply: func(string, bool) {}})
		}, "forHost", false, "dev-aaaaa", false},
		"a lost terminal is left":       {LeaveLater, func(s *harness) { lose(s); s.press("ctrl+b") }, "unsent", false, "dev-aaaaa", false},
		"a lost terminal is closed":     {LeaveLater, func(s *harness) { lose(s); s.press("enter") }, "detached", false, "", false},
		"its terminal is lost meantime": {LeaveLater, func(s *harness) { s.press("ctrl+b"); lose(s) }, "detached", true, "dev-aaaaa", false},
		"an ended job is not left":      {LeaveLater, func(s *harness) { end(s); s.press("ctrl+b") }, "ended", false, "", false},
		"an ended job is closed":        {LeaveLater, func(s *harness) { end(s); s.press("enter") }, "detached", false, "", false},
	} {
		inBubble(t, name, func(t *testing.T) {
			s := start(t, tt.leave)
			tt.do(s)
			if got := stateNames()[s.pane.fore.state]; got != tt.state {
				t.Errorf("it is %s, want %s", got, tt.state)
			}
			if got := sent(s); got != tt.sent {
				t.Errorf("sent to the background: %v", got)
			}
			if id, toHost := s.pane.Leaving(); id != tt.leaving || toHost != tt.toHost {
				t.Errorf("leaving %q, to the host %v", id, toHost)
			}
			if slices.ContainsFunc(s.eng.did(), func(call string) bool { return strings.HasPrefix(call, "stop") }) {
				t.Error("a key reached the panes")
			}
		})
	}
}
