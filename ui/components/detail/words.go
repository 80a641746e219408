package detail

import "strings"

// The clients of hob that a person uses, as records name them. Other names are those of
// programs.
const clientCLI, clientUI = "cli", "ui"

// CommandLine writes an argument vector as a person would type it: quoted for
// sh where that is needed.
func CommandLine(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = quote(arg)
	}
	return strings.Join(quoted, " ")
}

func quote(s string) string {
	plain := s != "" && strings.IndexFunc(s, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("-_./:=@%+,", r)
	}) < 0
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
