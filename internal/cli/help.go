package cli

import (
	"context"
	"io"

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
	out := &keptError{w: a.stdout}
	if !isTerminal(a.stdout) { // fang wants the terminal itself
		root.SetOut(out)
	}
	// Besides, showing help cannot fail.
	_ = fang.Execute(context.Background(), root,
		fang.WithVersion(version()), fang.WithoutManpage(), fang.WithColorSchemeFunc(fang.AnsiColorScheme))
	a.unsaid = out.err
}

// keptError keeps the first error of writing to w.
type keptError struct {
	w   io.Writer
	err error
}

func (k *keptError) Write(p []byte) (int, error) {
	n, err := k.w.Write(p)
	if k.err == nil {
		k.err = err
	}
	return n, err
}
