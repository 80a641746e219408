package cli

import "testing"

func TestUnknownFlagSuggestsOneThatExists(t *testing.T) {
	for _, tt := range []struct {
		name    string
		command string
		args    []string
		message string
		hint    string
	}{
		{"usual in other programs", "log", []string{"--tail", "5"}, "unknown flag --tail", "Did you mean: --limit N? See: hob help log"},
		{"one dash", "log", []string{"-tail", "5"}, "unknown flag -tail", "Did you mean: --limit N? See: hob help log"},
		{"misspelled", "log", []string{"--folow"}, "unknown flag --folow", "Did you mean: --follow? See: hob help log"},
		{"letter of a flag", "log", []string{"-o", "1"}, "unknown flag -o", "Did you mean: --offset N? See: hob help log"},
		{"letter of another program", "run", []string{"-d"}, "unknown flag -d", "Did you mean: --background? See: hob help run"},
		{"nothing similar", "log", []string{"-z"}, "unknown flag -z", "See: hob help log"},
		{"usual, but not here", "wait", []string{"--tail"}, "unknown flag --tail", "See: hob help wait"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cmd, _, err := (&app{}).newRoot().Find([]string{tt.command})
			if err != nil {
				t.Fatal(err)
			}
			err = cmd.ParseFlags(tt.args)
			if err == nil {
				t.Fatal("no error")
			}
			f := explain(cmd.FlagErrorFunc()(cmd, err))
			if f.Error() != tt.message || f.hint != tt.hint || f.exit != exitUsage {
				t.Errorf("%q, hint %q, exit %d; want %q, hint %q", f.Error(), f.hint, f.exit, tt.message, tt.hint)
			}
		})
	}
}
