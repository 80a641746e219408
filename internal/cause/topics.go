package cause

import "strings"

// topic is a kind of cause that a text names with a phrase of the system or of a language's library.
type topic struct {
	kind  Kind
	words []string // one of them is in the text; words in lower case match any case
	// subject finds what the text is about, in its first group, by its last match; empty: it is not
	// searched.
	subject pattern
}

// topics are the kinds that say more than that a program failed, the most specific first.
var topics = []topic{
	{DiskFull, []string{"no space left on device", "ENOSPC", "disk quota exceeded", "database or disk is full"}, ""},
	{
		PortInUse,
		[]string{"address already in use", "EADDRINUSE", "port is already allocated", "address in use", "only one usage of each socket address", "port is already in use", "connection in use"},
		`(?:[\s\w.:\]*]:|[Pp]ort:? |', )([1-9]\d{1,4})\b`,
	},
	{
		OutOfMemory,
		[]string{
			"out of memory", "outofmemory", "cannot allocate memory", "memoryerror", "std::bad_alloc", "ENOMEM", "allocation failed",
			"memory exhausted", "allowed memory size of", "not enough memory", "oom_kill event",
		}, "",
	},
	{TooManyFiles, []string{"too many open files", "EMFILE"}, ""},
	{
		MissingLibrary,
		[]string{"error while loading shared libraries", "library not loaded", "cannot open shared object file"},
		`(?:libraries: |loaded: )([^\s:]+)`,
	},
	{
		MissingModule,
		[]string{
			"no module named", "cannot find module", "modulenotfounderror", "cannot find package", "cannot load such file", "classnotfoundexception",
			"noclassdeffounderror", "could not find or load main class", "in @inc", "cannot find module providing package", "no required module provides package",
			"unresolved import", "module not found", "err_module_not_found", "no matching package named",
		},
		`(?:[Nn]o module named |Cannot find (?:module|package) |such file -- |Exception: |main class |Can't locate |package named |providing package |provides package )['"` + "`" + `]?([^\s'"` + "`" + `;:]+)`,
	},
	{ConnectionRefused, []string{"connection refused", "ECONNREFUSED", "couldn't connect to server"}, ""},
	{
		HostNotFound,
		[]string{
			"name or service not known", "could not resolve host", "ENOTFOUND", "temporary failure in name resolution", "EAI_AGAIN",
			"no such host", "nodename nor servname", "unknownhostexception", "getaddrinfo failed",
		},
		`(?:ENOTFOUND |EAI_AGAIN |[Rr]esolve host(?:name)?:? |lookup |UnknownHostException: |hostname |Resolving )['"]?([\w.-]+\w)`,
	},
	{Permission, []string{"permission denied", "EACCES", "operation not permitted", "EPERM", "access is denied", "permissionerror"}, ""},
	{MissingFile, []string{"no such file or directory", "ENOENT", "filenotfound", "kind: notfound", "cannot find the file", "unable to access jarfile"}, ""},
	{Timeout, []string{"timed out", "timeouterror", "deadline exceeded", "ETIMEDOUT", "timeout exceeded"}, ""},
	{Interrupted, []string{"keyboardinterrupt"}, ""},
	{Assertion, []string{"assertionerror", "assertion failed", "assertion `", "assert!"}, ""},
	{Deadlock, []string{"deadlock"}, ""},
}

// refine replaces an unspecific kind of a cause by the kind that its text indicates.
func refine(c *Cause) {
	t, ok := topicOf(c.Text)
	switch c.Kind {
	case Unknown, Exception, Panic:
	case CompileError:
		ok = ok && t.kind == MissingModule
	default:
		return
	}
	if !ok {
		return
	}
	c.Kind = t.kind
	if m := t.find(c.Text); m != "" {
		c.Subject = m
	}
}

// topicOf returns the topic that a text names.
func topicOf(text string) (topic, bool) {
	lower := strings.ToLower(text)
	for _, t := range topics {
		for _, word := range t.words {
			if strings.Contains(lower, word) || strings.Contains(text, word) {
				return t, true
			}
		}
	}
	return topic{}, false
}

// clockTime is the time of a log line, which is no port.
var clockTime pattern = `\b\d\d:\d\d:\d\d\b`

func (t topic) find(text string) string {
	if t.subject == "" {
		return ""
	}
	text = clockTime.regexp().ReplaceAllString(text, "")
	all := t.subject.regexp().FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1][1]
}
