package recipe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Holder is a program hob-holder on a host that can be run: only the user and root decide what it is.
type Holder struct {
	Program string // its path on the host
	Build   string // of hob; empty: unknown
	Launch  int    // version of the configuration that it takes
	System  string // as Go names it: linux/amd64
}

// Programs are the programs hob-holder on a host.
type Programs struct {
	Holders []Holder
	Unfit   []string // why an installed one cannot be used: its path, and the reason
}

func (h *Programs) take(word, rest string) {
	switch word {
	case "holder":
		if p, ok := parseHolder(rest); ok {
			h.Holders = append(h.Holders, p)
		}
	case "unfit":
		h.Unfit = append(h.Unfit, rest)
	}
}

// parseHolder reads what a holder says of itself, and its path behind that.
func parseHolder(s string) (Holder, bool) {
	f := strings.SplitN(s, " ", 4)
	if len(f) < 4 || !strings.HasPrefix(f[3], "/") {
		return Holder{}, false
	}
	launch, err := strconv.Atoi(f[1])
	return Holder{
		Program: f[3],
		Build:   strings.Trim(f[0], "-"),
		Launch:  launch,
		System:  f[2],
	}, err == nil
}

// Settings asks for the settings of hob on the host. If the answer is a failure, it has the reason.
func Settings() string { return "settings" }

// Program is a file hob-holder that is to be installed.
type Program struct {
	Name string // of its directory: the build
	Size int64
	Sum  string // SHA-256, in hexadecimal
}

func (p Program) words() string {
	return fmt.Sprintf("%s %d %s", Quote(OneWord(p.Name)), p.Size, p.Sum)
}

// ListPrograms asks for the programs hob-holder on the host; [ParseHello] reads the answer.
func ListPrograms() string { return "programs" }

// Installed asks whether a program is installed; see [ParseInstalled].
func Installed(p Program) string { return "installed " + p.words() }

// Install installs the program p, which follows on standard input. nonce is a new one each time. See
// [ParseInstalled].
func Install(p Program, nonce string) string { return "install_from_input " + p.words() + " " + nonce }

// ParseInstalled reads the answer to [Installed] and [Install]: the program, or why it is not there. The
// word is home, unsafe, mkdir, write, cut, tool, sum or run; it is empty if the program is only absent.
func ParseInstalled(out []byte) (h Holder, word, text string) {
	line := strings.TrimSpace(string(out))
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "holder":
		h, _ := parseHolder(rest)
		return h, "", ""
	case "absent":
		return Holder{}, "", ""
	case "ERR":
		word, text, _ = strings.Cut(rest, " ")
		return Holder{}, word, text
	}
	return Holder{}, "answer", line
}

// ProgramUsers asks how many processes run each installed program; see [ParseProgramUsers].
func ProgramUsers() string { return "program_users" }

// RemovePrograms deletes the installed programs that no process runs; see [ParseProgramUsers].
func RemovePrograms() string { return "remove_programs" }

// ProgramUse is what is known of an installed program.
type ProgramUse struct {
	// What is used, or deleted for a program that is missing while it runs. After [RemovePrograms] it is
	// removed, kept, or failed.
	What    string
	Running int    // processes that run it
	Program string // its path; for failed with the reason
}

// ParseProgramUsers reads the answer to [ProgramUsers] and [RemovePrograms]. unsafe is why nothing was
// removed: an element of the path, and who controls it.
func ParseProgramUsers(out []byte) (uses []ProgramUse, unsafe string) {
	for line := range strings.Lines(string(out)) {
		word, rest, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		switch word {
		case "used", "kept", "removed", "failed":
			n, program, _ := strings.Cut(rest, " ")
			running, _ := strconv.Atoi(n)
			uses = append(uses, ProgramUse{What: word, Running: running, Program: program})
		case "deleted":
			use := ProgramUse{What: word, Program: rest}
			if !slices.Contains(uses, use) { // there is a line for each job
				uses = append(uses, use)
			}
		case "ERR":
			_, unsafe, _ = strings.Cut(rest, " ")
		}
	}
	return uses, unsafe
}
