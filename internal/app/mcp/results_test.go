//go:build unix

package mcp_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

// resultSchemas has the output schema of each tool that a server lists. Each forbids properties that it
// does not declare, which clients are not asked to do.
func resultSchemas(list *sdk.ListToolsResult) (map[string]*jsonschema.Resolved, error) {
	schemas := map[string]*jsonschema.Resolved{}
	for _, tool := range list.Tools {
		data, err := json.Marshal(tool.OutputSchema)
		if err != nil {
			return nil, err
		}
		schema := &jsonschema.Schema{}
		if err := json.Unmarshal(data, schema); err != nil {
			return nil, err
		}
		if schema.Type != "object" {
			return nil, fmt.Errorf("the results of %s are of type %q", tool.Name, schema.Type)
		}
		forbidOthers(schema)
		if schemas[tool.Name], err = schema.Resolve(nil); err != nil {
			return nil, err
		}
	}
	return schemas, nil
}

// stopHolder stops the holder of a job and returns its pid. A signal stops a process once that is scheduled, which
// may be late on a busy machine.
func (h *home) stopHolder(id string) int {
	h.t.Helper()
	st, err := jobdir.ReadState(filepath.Join(h.state, "jobs", id))
	if err != nil {
		h.t.Fatal(err)
	}
	if err := syscall.Kill(st.Holder.PID, syscall.SIGSTOP); err != nil {
		h.t.Fatal(err)
	}
	for late := time.Now().Add(patience); !proc.Stopped(st.Holder); time.Sleep(time.Millisecond) {
		if time.Now().After(late) {
			h.t.Fatal("the holder does not stop")
		}
	}
	return st.Holder.PID
}

func forbidOthers(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Properties) > 0 {
		s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	}
	for _, property := range s.Properties {
		forbidOthers(property)
	}
	forbidOthers(s.Items)
}

// checkResult checks the structured content of a result against the output schema of its tool.
func (p *peer) checkResult(tool string, data []byte) error {
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		return err
	}
	schema := p.schemas[tool]
	if schema == nil { // a call of a tool that does not exist has no result
		return fmt.Errorf("a result of %q, which is not listed", tool)
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("the result of %s does not fit its schema: %w: %s", tool, err, data)
	}
	return nil
}

// Every call of a test checks its result (see [peer.checkResult]). This one calls every tool with every
// action, successfully and not, and for every field of the schemas a result has it.
func TestResultsFitTheirSchemas(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.agent("tester", "HOB_CONFIG="+aliasConfig(t))
	seen := map[string]bool{}
	called := map[string]bool{}
	call := func(tool string, args params) reply {
		t.Helper()
		r := p.call(tool, args)
		called[tool] = true
		if action, ok := args["action"].(string); ok && r.Error == nil {
			called[tool+" "+action] = true
		}
		var value any
		if err := json.Unmarshal([]byte(r.json), &value); err != nil {
			t.Fatal(err)
		}
		noteFields(seen, "", value)
		return r
	}
	run := func(command string, more params) string {
		t.Helper()
		args := params{"command": command, "background": true}
		maps.Copy(args, more)
		return call("bash", args).SessionID
	}
	act := func(action, id string, more params) reply {
		t.Helper()
		args := params{"action": action, "sessionId": id}
		maps.Copy(args, more)
		return call("process", args)
	}

	// What becomes of a command.
	call("bash", params{"command": "echo fine"})
	call("bash", params{"command": "echo Error: it broke >&2; exit 3"})
	h.ended(run("kill -9 $$", nil))
	call("bash", params{"command": "sleep 1000", "timeout": 0.1})
	call("bash", params{"command": "true", "workdir": "/nonexistent"})
	h.ended(run("echo out; echo err >&2", params{"split": true}))
	call("bash", params{"command": "printf %0300000d 0"})
	call("bash", params{"command": `printf '\000\001\002\003'`})
	call("bash", params{"command": "sleep 1000 >/dev/null 2>&1 & echo started", "stdin": "none"})
	call("bash", params{})
	call("bash", params{"command": "true", "colour": "red"})

	// What is done with a job.
	asks := run(`printf '\033]0;asks\007Name? '; read -r name; sleep 1000`, params{"pty": true})
	for late := time.Now().Add(patience); !act("poll", asks, nil).WaitingForInput; {
		if time.Now().After(late) {
			t.Fatal("the job is not reported to wait for input")
		}
		time.Sleep(20 * time.Millisecond) // agents call
	}
	act("screen", asks, nil)
	act("paste", asks, params{"data": "A"})
	act("send-keys", asks, params{"keys": []string{"n"}})
	act("submit", asks, params{"data": "n"})
	piped := run("cat; echo late; sleep 1000", nil)
	act("write", piped, params{"data": "x\n", "eof": true})
	act("wait", piped, params{"until": "^la", "timeout": 60000})
	act("wait", piped, params{"until": "never", "timeout": 1})
	act("log", piped, nil)
	act("screen", piped, nil) // it has none
	act("log", run("true", params{"queue": "default", "after": []string{piped}}), nil)
	call("process", params{"action": "list"})
	act("restart", piped, nil)
	act("kill", piped, nil)
	act("wait", piped, params{"until": "never"})
	act("write", piped, params{"data": "x"}) // it has ended
	act("clear", piped, nil)
	act("remove", asks, nil)
	act("poll", "nothing-xxxxx", nil)
	call("process", params{"action": "list", "all": true, "limit": 3})
	cut := h.startFor(run("sleep 1000", nil), engine.Spec{Script: "for n in 1 2 3 4 5; do printf %01000000d 0; done", LogLimit: 2 << 20})
	h.ended(cut)
	act("poll", cut, nil)

	// A job whose holder is stopped.
	silent := run("sleep 1000", nil)
	holder := h.stopHolder(silent)
	act("poll", silent, nil)
	call("process", params{"action": "list"})
	if err := syscall.Kill(holder, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}

	// The aliases.
	id := run("sleep 1000", nil)
	call("bash_output", params{"process_id": id})
	call("bash_output", params{"process_id": "nothing-xxxxx"})
	call("bash_background_list", params{})
	call("bash_background_terminate", params{"process_id": id})
	call("bash_background_terminate", params{})

	for _, field := range unseenFields(seen, "", p.schemas["process"].Schema()) { // all tools have the same
		t.Errorf("no result has the field %s", field)
	}
	want := slices.Collect(maps.Keys(p.schemas))
	for _, action := range p.actions() {
		want = append(want, "process "+action)
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(want)), slices.Sorted(maps.Keys(called))); diff != "" {
		t.Errorf("what was called (-want +got):\n%s", diff)
	}
}

// aliasConfig returns a settings file that turns the aliases on.
func aliasConfig(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(file, []byte("[agent]\naliases = true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// fieldsOfHosts are the fields that only a result about a job on a host has; the tests of those see them.
var fieldsOfHosts = []string{".host", ".jobs[].host"}

// noteFields adds the paths of all fields of a JSON value to seen.
func noteFields(seen map[string]bool, path string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, field := range value {
			seen[path+"."+name] = true
			noteFields(seen, path+"."+name, field)
		}
	case []any:
		for _, item := range value {
			noteFields(seen, path+"[]", item)
		}
	}
}

// unseenFields returns the paths of the properties of a schema that are not in seen.
func unseenFields(seen map[string]bool, path string, s *jsonschema.Schema) (fields []string) {
	for name, property := range s.Properties {
		field := path + "." + name
		if !seen[field] && !slices.Contains(fieldsOfHosts, field) {
			fields = append(fields, field)
		}
		fields = append(fields, unseenFields(seen, field, property)...)
	}
	if s.Items != nil {
		fields = append(fields, unseenFields(seen, path+"[]", s.Items)...)
	}
	return fields
}

// actions returns the actions of process.
func (p *peer) actions() (names []string) {
	p.t.Helper()
	list, err := p.session.ListTools(p.t.Context(), nil)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if tool.Name != "process" {
			continue
		}
		data, err := json.Marshal(tool.InputSchema)
		if err != nil {
			p.t.Fatal(err)
		}
		var schema struct {
			Properties struct{ Action struct{ Enum []string } }
		}
		if err := json.Unmarshal(data, &schema); err != nil {
			p.t.Fatal(err)
		}
		names = schema.Properties.Action.Enum
	}
	return names
}
