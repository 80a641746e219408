package keymap

import (
	"fmt"
	"slices"
	"strings"
)

// markdown returns the page of all keys and actions, docs/keys.md.
func (m Map) markdown() string {
	var b strings.Builder
	b.WriteString(markdownHead)
	var written []string
	for _, c := range Contexts() {
		for _, section := range c.Sections {
			if slices.Contains(written, section) {
				continue
			}
			written = append(written, section)
			m.writeSection(&b, section)
		}
	}
	return b.String()
}

const markdownHead = `# Keys

Generated from package keymap; ` + "`go test ./keymap -update`" + ` writes it anew.

While a job owns the keyboard every key is the job's, but for the one that leaves.
Keys match the text typed; for other alphabets (Cyrillic, Greek) also the place of the key.

Other keys are set in ` + "`~/.config/hob/config.toml`" + ` by the name of the action. A bare name holds wherever
the action exists, one with its section wins, an empty string disables:

` + "```toml" + `
[keys]
leave = "ctrl+g"
remove = ["d", "delete"]
log.search = ["/", "ctrl+f"]
suspend = ""
` + "```" + `

A key bound twice in one place is an error that names the line. ` + "`hob config`" + ` prints the keys in effect.
`

func (m Map) writeSection(b *strings.Builder, section string) {
	fmt.Fprintf(b, "\n## `%s`\n\nWorks in: %s.\n\n", section, strings.Join(titles(section), ", "))
	b.WriteString("| keys | action | what it does |\n|---|---|---|\n")
	for _, a := range m.Actions() {
		if a.Section != section {
			continue
		}
		keys := "by name, through the palette"
		if labels := a.Keys(); labels != nil {
			keys = "`" + strings.Join(labels, "` `") + "`"
		}
		fmt.Fprintf(b, "| %s | `%s` | %s |\n", keys, a.Name, a.Description)
	}
}

// titles returns the titles of the contexts in which a section is in play, in
// the middle of a sentence.
func titles(section string) []string {
	var list []string
	for _, c := range Contexts() {
		if slices.Contains(c.Sections, section) {
			list = append(list, strings.ToLower(c.Title[:1])+c.Title[1:])
		}
	}
	return list
}
