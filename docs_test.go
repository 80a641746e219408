package main_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
)

// snippetHeader comes before every Go snippet of the documents. It has the imports and
// declarations that snippets leave out.
const snippetHeader = `package snippet

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/joblog"
	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/engine/ssh"
	"github.com/hobjobs/hob/ui"
)

var _ = []any{context.Background, errors.As, fmt.Print, log.Print, os.Exit, time.Second, tea.Quit, local.New, ssh.New, ui.CopyMsg{}, joblog.Query{}}

func ask(ctx context.Context, host, text string) (string, error)

type startedMsg struct{ id engine.ID }
type endedMsg struct {
	id   engine.ID
	exit engine.Exit
}
`

const snippetParameters = "ctx context.Context, cancel func(), eng *engine.Engine, program *tea.Program, id engine.ID, script string, values map[string]string, w, h, x, y int, msg tea.Msg"

// TestDocumentedCodeCompiles type-checks the Go code in the documents.
func TestDocumentedCodeCompiles(t *testing.T) {
	imports := importsOf(t, "./ui", "./engine/local", "./engine/ssh", "log")
	for _, name := range []string{filepath.Join("docs", "embedding.md")} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		blocks := strings.Split(string(text), "```go\n")[1:]
		if len(blocks) == 0 {
			t.Errorf("%s has no Go code", name)
		}
		for _, block := range blocks {
			code, _, _ := strings.Cut(block, "```")
			isFile := strings.HasPrefix(code, "package ") // a whole program
			if !isFile && !strings.HasPrefix(code, "func ") {
				code = "func _(" + snippetParameters + ") {\n{\n" + code + "}\n}\n"
			}
			if !isFile {
				code = snippetHeader + code
			}
			for _, err := range typeCheck(code, imports) {
				t.Errorf("%s: %v in\n%s", name, err, code)
			}
		}
	}
}

func TestWrongSnippetsDoNotCompile(t *testing.T) {
	imports := importsOf(t, "./ui", "./engine/local", "./engine/ssh", "log")
	for _, code := range []string{
		"func f(e *engine.Engine) { e.NoSuchMethod() }", "func f() { ui.NewPane(5) }", "func f( {", "var _ = engine.Spec{Wrong: 1}",
	} {
		if len(typeCheck(snippetHeader+code, imports)) == 0 {
			t.Errorf("compiles: %s", code)
		}
	}
}

// typeCheck returns the errors in code. Unused variables are allowed, because a snippet only
// shows what exists.
func typeCheck(code string, imports types.Importer) (mistakes []error) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "snippet.go", code, parser.SkipObjectResolution)
	if err != nil {
		return []error{err}
	}
	conf := types.Config{Importer: imports, Error: func(err error) {
		if !strings.Contains(err.Error(), "declared and not used") {
			mistakes = append(mistakes, err)
		}
	}}
	_, _ = conf.Check("snippet", files, []*ast.File{f}, nil) // conf.Error receives every error
	return mistakes
}

// importsOf returns an importer for packages and what they import, compiled by the go command.
func importsOf(t *testing.T, packages ...string) types.Importer {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: compiles hob")
	}
	list := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}"}
	out, err := exec.Command("go", append(list, packages...)...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	compiled := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		compiled[path] = file
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if compiled[path] == "" {
			return nil, fmt.Errorf("%s is not imported by %s", path, packages)
		}
		return os.Open(compiled[path])
	})
}

var (
	codeBlock   = regexp.MustCompile("(?s)```.*?```")
	link        = regexp.MustCompile(`\]\(([^)\s]+)\)|src(?:set)?="([^"]+)"`)
	heading     = regexp.MustCompile(`(?m)^#+ (.*)$`)
	namedAnchor = regexp.MustCompile(`<a id="([^"]+)">`)
	notInAnchor = regexp.MustCompile(`[^\w\- ]`)
)

// TestLinksResolve checks the links between documents: the target file must exist and have the
// heading that the link names.
func TestLinksResolve(t *testing.T) {
	pages := []string{filepath.Join("bench", "README.md")}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/decisions/*.md", changes} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	for _, page := range pages {
		for _, m := range link.FindAllStringSubmatch(prose(t, page), -1) {
			file, anchor, _ := strings.Cut(m[1]+m[2], "#")
			if strings.Contains(file, "://") {
				continue
			}
			target := page
			if file != "" {
				target = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %v", page, err)
			} else if anchor != "" && !slices.Contains(anchors(prose(t, target)), anchor) {
				t.Errorf("%s: %s has no heading #%s", page, target, anchor)
			}
		}
	}
}

// changes matches the files of changes that users notice.
var changes = filepath.Join("changelog", "*", "*.md")

// TestEveryChangeHasAKind prevents that a change is left out of the text of a release, which .ci/notes collects by kind.
func TestEveryChangeHasAKind(t *testing.T) {
	files, err := filepath.Glob(changes)
	if err != nil || len(files) == 0 {
		t.Fatalf("no changes: %v", err)
	}
	first := regexp.MustCompile(`^# (Feature|Change|Fix|Security): .*\n\n`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !first.Match(text) {
			t.Errorf("%s does not begin as changelog/TEMPLATE.md describes", file)
		}
	}
}

// prose returns the text of a page without its code blocks.
func prose(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return codeBlock.ReplaceAllString(string(text), "")
}

// anchors returns the anchors that GitHub generates from the headings of a page, and those that
// the page defines itself.
func anchors(text string) (names []string) {
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		name := notInAnchor.ReplaceAllString(strings.ToLower(m[1]), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	for _, m := range namedAnchor.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	return names
}

// TestEveryFieldOfAJobIsDocumented compares the JSON of a job with its table in
// docs/scripts.md.
func TestEveryFieldOfAJobIsDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("docs", "scripts.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n## A job\n")
	named := map[string]bool{}
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		for i, name := range strings.Split(cells[1], "`") {
			if i%2 == 1 {
				named[name] = true
			}
		}
	}
	data, err := engine.Job{}.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(fields)), slices.Sorted(maps.Keys(named))); diff != "" {
		t.Errorf("the fields of a job (-actual +documented):\n%s", diff)
	}
}
