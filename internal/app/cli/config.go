package cli

import (
	"bytes"
	"path/filepath"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/internal/config"
	"github.com/hobjobs/hob/internal/units"
)

func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "config",
		GroupID: groupSetup,
		Short:   "Show effective settings and any problems",
		Long: "Print all effective settings and keys as a valid configuration file. Exits with 1\n" +
			"if the current file has problems.",
		RunE: func(*cobra.Command, []string) error { return a.config() },
	}
	a.jsonFlag(cmd)
	return cmd
}

type configJSON struct {
	Path     string         `json:"path"`
	Found    bool           `json:"found"`
	Settings map[string]any `json:"settings"`
	Problems []string       `json:"problems"`
}

func (a *app) config() error {
	c := config.Load()
	var text bytes.Buffer
	if err := c.WriteTOML(&text); err != nil {
		return err
	}
	problems := append(c.Problems, c.Warnings...)
	if a.json {
		v := configJSON{Path: c.Path, Found: c.Found, Problems: []string{}}
		if err := toml.Unmarshal(text.Bytes(), &v.Settings); err != nil {
			return err
		}
		for _, p := range problems {
			v.Problems = append(v.Problems, p.Error())
		}
		if err := a.printJSON(v); err != nil {
			return err
		}
	} else if _, err := text.WriteTo(a.stdout); err != nil {
		return err
	}
	if len(problems) == 0 {
		return nil
	}
	for _, p := range problems {
		a.reportf("%s %s", a.paintErr("hob:", styleBad), escape(p.Error()))
	}
	return exitStatus(exitFailed)
}

// settings loads the configuration for a command that works in spite of mistakes in it,
// and reports them: a typo in a theme must not keep a job from running.
func (a *app) settings() *config.Config {
	if a.loaded != nil {
		return a.loaded
	}
	c := config.Load()
	a.loaded = c
	for _, p := range append(c.Problems, c.Warnings...) {
		a.reportf("%s %s", a.paintErr("hob:", styleWarn), escape(p.Error()))
	}
	if len(c.Problems) > 0 {
		a.reportf("     these settings are ignored. See: hob config")
	}
	return c
}

// settingsWarning is the message about mistakes in the settings for a user who sees no stderr; "" if there are none.
func settingsWarning(c *config.Config) string {
	n := len(c.Problems)
	if n == 0 {
		return ""
	}
	first := c.Problems[0]
	first.File = filepath.Base(first.File)
	text := first.Error()
	if n > 1 {
		text += "; " + units.Count(n-1, "further problem")
	}
	return text + ". See: hob config"
}
