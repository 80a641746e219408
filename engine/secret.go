package engine

import (
	"regexp"
	"sync"
)

// secretPrompt matches prompts for secrets. It is compiled on first use, to keep starts fast.
var secretPrompt = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(pass(word|phrase|code)|\b(pin|secret|token|verification code))(\b.*:|\s*\?)\s*$`)
})

// AsksSecret reports whether a line of output is a prompt for a password or another secret, as far
// as its text shows. [Job.Entry] is more reliable for programs that switch the echo off; this is for
// those that do not, and for jobs whose terminal cannot be checked.
func AsksSecret(line string) bool { return secretPrompt().MatchString(line) }
