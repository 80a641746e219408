// Package cli is the command line of hob: one file a verb, thin over package
// engine.
//
// Standard output carries data and nothing else; what hob says about it goes to
// standard error. Failures are one line that says what happened and one that
// says what to do, or, with --json, one object on standard output. Whatever a
// job or a person put into a name, a title or a command is escaped before it
// reaches a terminal.
//
// The short verbs (list, prompt, status) are run by prompts and status lines
// many times a minute: they read job directories and load neither configuration
// nor UI.
package cli
