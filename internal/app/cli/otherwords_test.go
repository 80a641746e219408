package cli

import (
	"strings"
	"testing"
)

// Every answer names commands and flags that exist, and no word is one of hob's own.
func TestOtherWordsNameExistingCommands(t *testing.T) {
	root := (&app{}).newRoot()
	words := strings.Fields(`start launch spawn exec new bg background nohup disown detach daemonize add enqueue submit schedule rerun
		retry again redo reload prune clean cleanup purge gc tail follow watch monitor cat output print view less grep search show info
		inspect describe details stat get jobs history all running finished dir top htop ui tui dashboard open menu fg foreground
		connect join enter send input type echo paste send-keys delete del end terminate quit cancel killall pkill abort shutdown
		signal pause suspend resume continue unpause undo restore undelete port ports lsof ssh remote host machines servers agent
		agents install skill settings set edit init preferences doctor check diagnose update upgrade self-update uninstall manual
		docs usage`)
	for _, word := range words {
		answer := otherWord(word)
		if answer == "" {
			t.Errorf("%s has no answer", word)
		}
		if cmd, _, err := root.Find([]string{word}); err == nil && cmd != root {
			t.Errorf("%s is a command of hob", word)
		}
		for _, part := range strings.Split(answer, "hob ")[1:] {
			first, _, _ := strings.Cut(strings.Fields(part)[0], ",")
			if first == "with" || first == "to" || first == "for" || first == "is" { // a sentence
				continue
			}
			part = strings.NewReplacer(",", " ", ";", " ", ")", " ", "(", " ").Replace(part)
			if _, problem := checkCommand(root, " "+part); problem != "" {
				t.Errorf("%s: %q: %s", word, answer, problem)
			}
		}
	}
	for _, command := range []string{"hob", "kill", "wait", "clear", "remove", "status", "log"} {
		for _, part := range strings.Split(allHint(command), "hob ")[1:] {
			if _, problem := checkCommand(root, " "+strings.TrimRight(part, ")")); problem != "" && !strings.Contains(part, "takes one job") {
				t.Errorf("all of %s: %q: %s", command, part, problem)
			}
		}
	}
}
