package agents

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func nothingRuns(string) (string, error) { return "", nil }

// An answer that approves a command would bypass the rules of the user.
func TestHookNeverApproves(t *testing.T) {
	for _, a := range All() {
		for _, command := range []string{"make &", "nohup make &", "make", "rm -rf / &"} {
			for _, flags := range []string{"", `,"run_in_background":true`, `,"is_background":true`} {
				for _, ev := range []string{`"hook_event_name":"PreToolUse"`, `"hook_event_name":"BeforeTool"`, `"event":"PreToolUse"`} {
					in := `{` + ev + `,"tool_name":"` + a.shell + `","tool_input":{"command":"` + command + `"` + flags + `}}`
					got, err := a.Answer([]byte(in), nothingRuns)
					if err != nil || strings.Contains(string(got), "allow") {
						t.Errorf("%s: %s: %s, %v", a.Name, in, got, err)
					}
				}
			}
		}
	}
}

func TestAnswers(t *testing.T) {
	t.Setenv("SHELL", "/usr/bin/zsh")
	for name, c := range map[string]struct{ agent, event, want string }{
		"Claude Code, in its background": {
			"claude", `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"echo 'a' > b","timeout":5,"run_in_background":true}}`,
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"hob run --agent claude -- zsh -c 'echo '\\''a'\\'' > b'","run_in_background":true,"timeout":5}}}`,
		},
		"Claude Code, &": {
			"claude", `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"cd x; make & sleep 1"}}`,
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"cd x; hob run -b --agent claude -- zsh -c 'make'; sleep 1"}}}`,
		},
		"Gemini CLI": {
			"gemini", `{"hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"make","is_background":true}}`,
			`{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"command":"hob run --agent gemini -- zsh -c 'make'","is_background":true}}}`,
		},
		"Crush": {
			"crush", `{"event":"PreToolUse","tool_name":"bash","tool_input":{"command":"make &"}}`,
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"hob run -b --agent crush -- zsh -c 'make'"}}}`,
		},
		"Codex": {
			"codex", `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"make &"}}`,
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"` + strings.ReplaceAll(refusal("make"), `"`, `\"`) + `"}}`,
		},
		"session": {
			"codex", `{"hook_event_name":"SessionStart","cwd":"/srv","source":"startup"}`,
			`{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"jobs of /srv"}}`,
		},
		"other tool":      {"claude", `{"hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"command":"make &"}}`, ""},
		"another shape":   {"claude", `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":["make","&"]}}`, ""},
		"without command": {"claude", `{"hook_event_name":"PreToolUse","tool_name":"Bash"}`, ""},
		"unknown event":   {"claude", `{"hook_event_name":"Stop"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a, _ := Find(c.agent)
			got, err := a.Answer([]byte(c.event), func(dir string) (string, error) { return "jobs of " + dir, nil })
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, strings.TrimSpace(string(got))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSessionWithoutJobsGetsNoAnswer(t *testing.T) {
	a, _ := Find("claude")
	start := []byte(`{"hook_event_name":"SessionStart"}`)
	if got, err := a.Answer(start, nothingRuns); err != nil || got != nil {
		t.Errorf("%s, %v", got, err)
	}
	broken := errors.New("no jobs")
	if _, err := a.Answer(start, func(string) (string, error) { return "", broken }); !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
	if _, err := a.Answer([]byte("{"), nothingRuns); err == nil {
		t.Error("a broken event is no error")
	}
}
