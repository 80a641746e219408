package cli

import (
	"context"

	"charm.land/fang/v2"
	"github.com/spf13/cobra"
)

// help shows a verb's help in fang's dress. Fang stays off every other path: to
// choose its colours it asks the terminal for its background and waits for the
// answer, on errors too.
func (a *app) help(cmd *cobra.Command, _ []string) {
	root := (&app{stdin: a.stdin, stdout: a.stdout, stderr: a.stderr, color: "auto"}).newRoot()
	path := []string{"--help"}
	for c := cmd; c.HasParent(); c = c.Parent() {
		path = append([]string{c.Name()}, path...)
	}
	root.SetArgs(path)
	// Showing help fails only when nobody reads it.
	_ = fang.Execute(context.Background(), root,
		fang.WithVersion(version()), fang.WithoutManpage(), fang.WithColorSchemeFunc(fang.AnsiColorScheme))
}
