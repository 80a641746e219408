package cli

import (
	"bytes"
	"fmt"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/internal/config"
)

func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "config",
		GroupID: groupRead,
		Short:   "Prints the settings and keys in effect, and what is wrong with them",
		Long: "Prints every setting and key in effect as a configuration file that could be\n" +
			"used as it is. Ends with 1 if something is wrong with the one there is.",
		Args:              words(0, 0, ""),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(*cobra.Command, []string) error { return a.config() },
	}
	a.jsonFlag(cmd)
	return cmd
}

// configJSON is the JSON form of the settings.
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

// settings loads the configuration for a verb that goes on whatever is wrong
// with it, and reports what is: a slip in a theme must not keep a job from running.
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
		a.reportf("     what is wrong there is not in effect; hob config shows what is")
	}
	return c
}

// settingsOrError is settings for a verb before which the file can be corrected.
func settingsOrError() (*config.Config, error) {
	c := config.Load()
	if len(c.Problems) == 0 {
		return c, nil
	}
	return nil, &failure{
		exit: exitFailed, code: "config", err: c.Problems[0],
		hint: fmt.Sprintf("hob config shows the settings in effect and all that is wrong (%d)", len(c.Problems)),
	}
}
