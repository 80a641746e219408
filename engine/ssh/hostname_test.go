package ssh

import (
	"errors"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
)

// The name of the login node that is this machine ends with a colon itself.
func TestErrorsNameTheHostOnce(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{"slurm:": "slurm: ", "slurm:box": "slurm:box: ", "box": "box: "} {
		err := &HostError{Host: host, Err: errors.New("no answer")}
		if got := err.Error(); got != want+"no answer" {
			t.Errorf("%s: %q", host, got)
		}
		j := engine.Job{Request: engine.Request{Host: host}, State: engine.State{LinkError: err.Error()}}
		if got := j.LinkReason(); got != "no answer" {
			t.Errorf("%s: the reason is %q", host, got)
		}
		if got := refusal(host, recipe.Spawned{Error: "slurm", Text: "x"}).Error(); got != want+"Slurm does not accept the job: x" {
			t.Errorf("%s: %q", host, got)
		}
	}
}
