package agents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// protocol is how a hook's answer makes a background command a job.
type protocol string

const (
	// rewrites replaces the arguments of the tool. The answer has no permission decision, so
	// the agent asks for permission as usual.
	rewrites protocol = "rewrites"
	// rewritesInput does the same under another name.
	rewritesInput protocol = "rewrites input"
	// refuses names hob's tool instead. By default Codex runs commands in a sandbox, where hob
	// cannot write its records, but its MCP servers outside of it.
	refuses protocol = "refuses"
)

// event is what an agent reports to a hook.
type event struct {
	Name      string                     `json:"hook_event_name"`
	CrushName string                     `json:"event"`
	Dir       string                     `json:"cwd"`
	Tool      string                     `json:"tool_name"`
	Input     map[string]json.RawMessage `json:"tool_input"`
}

// answer is the answer to an event. Fields that do not apply are absent.
type answer struct {
	Specific struct {
		Event    string                     `json:"hookEventName"`
		Decision string                     `json:"permissionDecision,omitempty"`
		Reason   string                     `json:"permissionDecisionReason,omitempty"`
		Updated  map[string]json.RawMessage `json:"updatedInput,omitempty"`
		Input    map[string]json.RawMessage `json:"tool_input,omitempty"`
		Context  string                     `json:"additionalContext,omitempty"`
	} `json:"hookSpecificOutput"`
}

// Answer returns the answer of the hook to an event, or nil if there is nothing to change.
// running describes the running jobs of the project of a directory; empty if there are none.
func (a Agent) Answer(data []byte, running func(dir string) (string, error)) ([]byte, error) {
	var ev event
	if err := json.Unmarshal(data, &ev); err != nil {
		return nil, fmt.Errorf("cannot read the event: %w", err)
	}
	var ans answer
	ans.Specific.Event = ev.Name
	switch {
	case ev.Name == "SessionStart":
		text, err := running(ev.Dir)
		if err != nil || text == "" {
			return nil, err
		}
		ans.Specific.Context = text
		return encode(ans)
	case ev.Tool != a.shell:
		return nil, nil
	}
	var command string
	if err := json.Unmarshal(ev.Input["command"], &command); err != nil {
		return nil, nil //nolint:nilerr // not a command; the agent reports what is wrong
	}
	job, ok := detach(command, isTrue(ev.Input["run_in_background"]) || isTrue(ev.Input["is_background"]))
	if !ok {
		return nil, nil
	}
	if ev.Name == "" {
		ans.Specific.Event = ev.CrushName
	}
	if a.protocol == refuses {
		ans.Specific.Decision = "deny"
		ans.Specific.Reason = refusal(job.script)
		return encode(ans)
	}
	line, err := encode(a.runLine(job))
	if err != nil {
		return nil, err
	}
	input := maps.Clone(ev.Input)
	input["command"] = line
	if a.protocol == rewritesInput {
		ans.Specific.Input = input
	} else {
		ans.Specific.Updated = input
	}
	return encode(ans)
}

func isTrue(value json.RawMessage) bool { return string(value) == "true" }

// encode leaves characters such as & as they are: the user is asked about the command.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// runLine returns the command that runs job. If the agent waits for it, the command prints the
// output and ends with the job.
func (a Agent) runLine(job detached) string {
	flags := "-b "
	if job.waits {
		flags = ""
	}
	line := job.before + "hob run " + flags + "--agent " + a.Name + " -- " + shellName() + " -c " + quote(job.script)
	if job.after != "" {
		line += "; " + job.after
	}
	return line
}

// shellName returns the shell that understands the commands of the agent.
func shellName() string {
	switch name := filepath.Base(os.Getenv("SHELL")); name {
	case "bash", "zsh":
		return name
	}
	return "sh"
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func refusal(script string) string {
	arguments, _ := encode(map[string]any{"command": script, "background": true}) // strings and booleans
	return "Background commands run as jobs of hob here, where they survive this session. Call the tool bash of the MCP server hob instead: " +
		strings.TrimSpace(string(arguments)) + ". If that tool is missing, ask the user to start the command"
}
