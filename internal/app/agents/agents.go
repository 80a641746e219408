// Package agents describes the AI agents that hob can be added to: where their settings are, what
// hob writes there, and how it answers their hooks.
//
// [Agent.Plan] computes what `hob setup` changes without changing anything, and [Plan.Apply]
// writes it. Nothing is recorded elsewhere: an entry is hob's if it is exactly what hob writes,
// and everything else in a file belongs to the user.
//
// [Agent.Answer] is the hook: it answers one event that an agent reports on standard input.
package agents

import (
	"cmp"
	_ "embed"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Agent is an AI agent that can use hob.
type Agent struct {
	Name    string // in commands: "claude"
	Title   string // "Claude Code"
	Program string // the agent's executable
	Client  string // the name under which it connects to MCP servers; its jobs carry it
	Next    string // what the user does after a setup; may be empty

	shell     string // the name of its shell tool
	protocol  protocol
	locations func(home string) []part
}

// dirIn returns the directory in an environment variable, or else the one with these parts.
func dirIn(variable string, parts ...string) string {
	return cmp.Or(os.Getenv(variable), filepath.Join(parts...))
}

// configDir returns a program's directory by the XDG rules, which these agents follow on every system.
func configDir(home, program string) string {
	return filepath.Join(dirIn("XDG_CONFIG_HOME", home, ".config"), program)
}

//go:embed skill.md
var skill string

//go:embed opencode.js
var plugin string

// All returns the agents in the order of documentation.
func All() []Agent {
	return []Agent{
		{
			Name:      "claude",
			Title:     "Claude Code",
			Program:   "claude",
			Client:    "claude-code",
			shell:     "Bash",
			protocol:  rewrites,
			locations: claude,
		},
		{
			Name:      "codex",
			Title:     "Codex",
			Program:   "codex",
			Client:    "codex-mcp-client",
			Next:      "Codex runs a new hook only after you have reviewed it: run /hooks in Codex",
			shell:     "Bash",
			protocol:  refuses,
			locations: codex,
		},
		{
			Name:      "gemini",
			Title:     "Gemini CLI",
			Program:   "gemini",
			Client:    "gemini-cli-mcp-client",
			shell:     "run_shell_command",
			protocol:  rewritesInput,
			locations: gemini,
		},
		{
			Name:      "opencode",
			Title:     "OpenCode",
			Program:   "opencode",
			Client:    "opencode",
			shell:     "bash",
			protocol:  rewrites,
			locations: opencode,
		},
		{
			Name:      "crush",
			Title:     "Crush",
			Program:   "crush",
			Client:    "crush",
			shell:     "bash",
			protocol:  rewrites,
			locations: crush,
		},
	}
}

// Names returns the names of all agents.
func Names() []string {
	var names []string
	for _, a := range All() {
		names = append(names, a.Name)
	}
	return names
}

// Find returns the agent with that name.
func Find(name string) (Agent, bool) {
	all := All()
	i := slices.IndexFunc(all, func(a Agent) bool { return a.Name == name })
	if i < 0 {
		return Agent{}, false
	}
	return all[i], true
}

const server = `{"command": "hob", "args": ["mcp"]}`

func claude(home string) []part {
	dir := dirIn("CLAUDE_CONFIG_DIR", home, ".claude")
	state := filepath.Join(dirIn("CLAUDE_CONFIG_DIR", home), ".claude.json")
	settings := filepath.Join(dir, "settings.json")
	return []part{
		jsonPart{file: state, what: "MCP server", at: []string{"mcpServers", "hob"}, value: `{"type": "stdio", "command": "hob", "args": ["mcp"]}`},
		hook(settings, "PreToolUse", `{"matcher": "Bash", "hooks": [{"type": "command", "command": "hob hook claude", "timeout": 10}]}`),
		hook(settings, "SessionStart", `{"hooks": [{"type": "command", "command": "hob hook claude", "timeout": 10}]}`),
		skillIn(filepath.Join(dir, "skills")),
	}
}

func codex(home string) []part {
	dir := dirIn("CODEX_HOME", home, ".codex")
	hooks := filepath.Join(dir, "hooks.json")
	return []part{
		tomlPart{file: filepath.Join(dir, "config.toml"), what: "MCP server", at: []string{"mcp_servers", "hob"}, text: "[mcp_servers.hob]\n" +
			"command = \"hob\"\n" +
			"args = [\"mcp\"]\n" +
			"tool_timeout_sec = 660\n"}, // the longest wait is 600
		hook(hooks, "PreToolUse", `{"matcher": "Bash", "hooks": [{"type": "command", "command": "hob hook codex", "timeout": 10}]}`),
		hook(hooks, "SessionStart", `{"hooks": [{"type": "command", "command": "hob hook codex", "timeout": 10}]}`),
		skillIn(filepath.Join(dir, "skills")),
	}
}

func gemini(home string) []part {
	dir := filepath.Join(dirIn("GEMINI_CLI_HOME", home), ".gemini")
	settings := filepath.Join(dir, "settings.json")
	return []part{
		jsonPart{file: settings, what: "MCP server", at: []string{"mcpServers", "hob"}, value: server},
		// Here the timeout is in milliseconds.
		hook(settings, "BeforeTool", `{"matcher": "run_shell_command", "hooks": [{"type": "command", "name": "hob", "command": "hob hook gemini", "timeout": 10000}]}`),
		hook(settings, "SessionStart", `{"hooks": [{"type": "command", "name": "hob", "command": "hob hook gemini", "timeout": 10000}]}`),
		skillIn(filepath.Join(dir, "skills")),
	}
}

func opencode(home string) []part {
	dir := configDir(home, "opencode")
	settings := filepath.Join(dir, "opencode.json")
	if jsonc := filepath.Join(dir, "opencode.jsonc"); exists(jsonc) { // it wins over opencode.json
		settings = jsonc
	}
	return []part{
		jsonPart{file: settings, what: "MCP server", at: []string{"mcp", "hob"}, value: `{"type": "local", "command": ["hob", "mcp"]}`},
		ownFile{file: filepath.Join(dir, "plugins", "hob.js"), what: "plugin", text: plugin, comment: [2]string{"// ", ""}},
		skillIn(filepath.Join(dir, "skills")),
	}
}

func crush(home string) []part {
	settings := filepath.Join(dirIn("CRUSH_GLOBAL_CONFIG", configDir(home, "crush")), "crush.json")
	skills := dirIn("CRUSH_SKILLS_DIR", configDir(home, "crush"), "skills")
	return []part{
		jsonPart{file: settings, what: "MCP server", at: []string{"mcp", "hob"}, value: `{"type": "stdio", "command": "hob", "args": ["mcp"]}`},
		hook(settings, "PreToolUse", `{"name": "hob", "matcher": "^bash$", "command": "hob hook crush", "timeout": 10}`),
		skillIn(skills),
	}
}

// hook is an element of the list of an event's hooks. Its command is the mark by which it is
// found again.
func hook(file, event, value string) part {
	_, mark, _ := strings.Cut(value, `"command": "hob `)
	mark, _, _ = strings.Cut(mark, `"`)
	return jsonPart{file: file, what: "hook for " + event, at: []string{"hooks", event}, value: value, mark: "hob " + mark}
}

func skillIn(dir string) part {
	return ownFile{file: filepath.Join(dir, "hob", "SKILL.md"), what: "skill", text: skill, comment: [2]string{"<!-- ", " -->"}}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
