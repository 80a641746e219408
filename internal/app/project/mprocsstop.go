package project

import (
	"strings"

	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/shellword"
)

// signal returns a signal of a file, by its name or number; "" for the default, SIGTERM.
func (p *parser) signal(v *value, at string) string {
	text := p.text(v, at)
	if text == "" {
		return ""
	}
	sig, err := proc.ParseSignal(text)
	if err != nil {
		p.note(v.line, "%s is not supported (%v); the process gets SIGTERM", at, err)
		return ""
	}
	if name := proc.SignalName(sig); name != "SIGTERM" {
		return name
	}
	return ""
}

// mprocsStop returns how mprocs ends a process: by a signal, or by keys.
func (p *parser) mprocsStop(v *value, at string) Shutdown {
	switch {
	case v == nil:
	case v.kind == textValue && v.text == "hard-kill":
		return Shutdown{Signal: "SIGKILL"}
	case v.kind == textValue:
		return Shutdown{Signal: p.signal(v, at)}
	case v.get("send-keys") != nil:
		return p.stopKeys(v.get("send-keys"), at+".send-keys")
	default:
		p.note(v.line, "%s is not supported; the process gets SIGTERM", at)
	}
	return Shutdown{}
}

// stopKeys returns how to end a process with keys. Ctrl+C is a signal, so that it also reaches a process
// that has changed the modes of its terminal.
func (p *parser) stopKeys(v *value, at string) Shutdown {
	command := []string{"hob", "write", "--keys"}
	var keys []string
	for _, key := range p.texts(v, at) {
		name := tmuxKey(key)
		if name == "" {
			p.note(v.line, "%s: the key %s is not known; the process gets SIGTERM", at, key)
			return Shutdown{}
		}
		keys = append(keys, name)
	}
	switch {
	case len(keys) == 0:
		return Shutdown{}
	case len(keys) == 1 && keys[0] == "C-c":
		return Shutdown{Signal: "SIGINT"}
	}
	return Shutdown{Command: shellword.Join(command) + ` "$HOB_JOB_ID" ` + shellword.Join(keys)}
}

// keyNames are the keys of mprocs that tmux, and so hob write --keys, calls something else.
var keyNames = map[string]string{
	"CR": "Enter", "Return": "Enter", "Esc": "Escape", "BS": "BSpace", "Backspace": "BSpace", "Del": "Delete", "Ins": "Insert",
	"PageUp": "PPage", "PageDown": "NPage", "LT": "<",
}

// plainKeys are the keys that have the same name there.
const plainKeys = " Enter Tab Space Up Down Left Right Home End F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12 "

// tmuxKey returns the name that tmux has for a key of mprocs, such as <C-c>, <M-Up> or q; "" if there is none.
func tmuxKey(key string) string {
	name, inBrackets := strings.CutPrefix(key, "<")
	if name == "" || !inBrackets {
		return key
	}
	name, closed := strings.CutSuffix(name, ">")
	if !closed {
		return ""
	}
	modifiers := ""
	for {
		modifier, rest, found := strings.Cut(name, "-")
		if !found || rest == "" {
			break
		}
		switch strings.ToUpper(modifier) {
		case "C":
			modifiers += "C-"
		case "A", "M":
			modifiers += "M-"
		case "S":
			modifiers += "S-"
		default:
			return ""
		}
		name = rest
	}
	other, renamed := keyNames[name]
	isOne := len([]rune(name)) == 1
	switch {
	case renamed:
		return modifiers + other
	case isOne, strings.Contains(plainKeys, " "+name+" "):
		return modifiers + name
	}
	return ""
}
