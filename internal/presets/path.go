package presets

import (
	"os"
	"path/filepath"
)

// Path is where the settings are: $HOB_CONFIG, else $XDG_CONFIG_HOME/hob/config.toml,
// else ~/.config/hob/config.toml; "" if there is not even a home directory. env looks a
// variable up, as os.LookupEnv does.
func Path(env func(name string) (string, bool)) string {
	if p, _ := env("HOB_CONFIG"); p != "" {
		return p
	}
	// The specification says that a relative path there is to be ignored.
	if dir, _ := env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "hob", "config.toml")
	}
	home, _ := env("HOME")
	if home == "" {
		home, _ = os.UserHomeDir()
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, ".config", "hob", "config.toml")
}
