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

Generated from package keymap by ` + "`go test ./keymap -update`" + `.

While a job is attached, all keys go to the job, except the leave key. Keys match the typed text;
with other alphabets (Cyrillic, Greek) they also match by position on the keyboard.

To change keys, set them in ` + "`~/.config/hob/config.toml`" + ` by the name of the action. A name without a
section applies wherever the action exists; a name with its section takes precedence. An empty string
disables a key:

` + "```toml" + `
[keys]
leave = "ctrl+g"
remove = ["d", "delete"]
log.search = ["/", "ctrl+f"]
suspend = ""
` + "```" + `

If a key has two actions in the same place, hob reports an error with the line. ` + "`hob config`" + ` prints all
effective keys.
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

// titles returns the titles of the contexts in which a section is active, for use within a sentence.
func titles(section string) []string {
	var list []string
	for _, c := range Contexts() {
		title := strings.ToLower(c.Title[:1]) + c.Title[1:]
		switch {
		case slices.Contains(c.Sections, section):
			list = append(list, title)
		case slices.Contains(c.Beneath, section):
			list = append(list, title+" (keys that are free there)")
		}
	}
	return list
}
