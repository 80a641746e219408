package program

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/internal/termstatus"
	"github.com/hobjobs/hob/ui/components/later"
)

// written returns what the commands of the program write to the terminal, once the timers that it has set have fired.
func written(w *window, cmd tea.Cmd) string {
	if cmd == nil {
		return ""
	}
	switch msg := cmd().(type) {
	case tea.RawMsg:
		return fmt.Sprint(msg.Msg)
	case later.Msg:
		return written(w, w.update(msg))
	case tea.BatchMsg:
		all := ""
		for _, cmd := range msg {
			all += written(w, cmd)
		}
		return all
	}
	return ""
}

func TestNothingIsReportedToTerminalThatDoesNotAnswer(t *testing.T) {
	w := windowOf(t, Options{})
	if w.reportSoon(true) != nil {
		t.Error("reports are due")
	}
	if got := w.lastReport() + w.withdraw(); got != "" {
		t.Errorf("it withdraws reports: %q", got)
	}
}

func TestSettingTurnsReportsOff(t *testing.T) {
	w := windowOf(t, Options{NoStatus: true})
	if w.askForStatus() != nil {
		t.Error("it asks the terminal")
	}
	if w.update(tea.ProgramStatusSupportMsg{}) != nil {
		t.Error("an answer that it has not asked for makes it report")
	}
}

func TestReportsAreWrittenAtMostFourTimesASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := windowOf(t, Options{})
		first := w.update(tea.ProgramStatusSupportMsg{})
		if w.reportSoon(true) != nil {
			t.Error("another report is due before the first one was written")
		}
		begun := time.Now()
		if got, want := written(w, first), "\x1b]7501;state=clear\a\x1b]7501;state=idle:app=hob:title=aG9i\a"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if took := time.Since(begun); took != termstatus.Every {
			t.Errorf("written after %v", took)
		}
		if got := written(w, w.reportSoon(true)); got != "" {
			t.Errorf("without a change it writes %q", got)
		}
		if got, want := w.withdraw(), "\x1b]7501;state=clear\a"; got != want {
			t.Errorf("it withdraws reports with %q, want %q", got, want)
		}
		if w.reportSoon(true) != nil {
			t.Error("reports are due while another program has the terminal")
		}
	})
}

func TestProgressIsWrittenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := windowOf(t, Options{})
		if w.repeatProgress() != nil {
			t.Error("without a progress it waits")
		}
		w.shown.ProgressBar = tea.NewProgressBar(tea.ProgressBarError, 40)
		begun := time.Now()
		cmd := w.repeatProgress()
		if w.repeatProgress() != nil {
			t.Error("it waits twice")
		}
		if got, want := written(w, cmd), "\x1b]9;4;2;40\a"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if took := time.Since(begun); took != repeatEvery {
			t.Errorf("written after %v", took)
		}
		if w.repeatProgress() == nil {
			t.Error("it does not go on")
		}
	})
}
