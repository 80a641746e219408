package project

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// readFields returns the names of the fields that the functions in Go files read from a project's file.
func readFields(t *testing.T, files ...string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, file := range files {
		parsed, err := goparser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			method, ok := call.Fun.(*ast.SelectorExpr)
			reads := ok && slices.Contains([]string{"get", "text", "texts", "raw", "number", "truth", "object", "seconds", "plain"}, method.Sel.Name)
			if name, ok := call.Args[0].(*ast.BasicLit); reads && ok {
				text, _ := strconv.Unquote(name.Value)
				names[text] = true
			}
			return true
		})
	}
	return names
}

// The page has a table of the fields that hob uses. It must have those that hob reads, and no others.
func TestTableOfFields(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "project-files.md"))
	if err != nil {
		t.Fatal(err)
	}
	quoted, word := regexp.MustCompile("`([^`]+)`"), regexp.MustCompile(`^[$\w.-]+$`)
	for _, tt := range []struct {
		row   string
		files []string
		// described are the fields that the page describes in other words, or that only lead to those of the table.
		described string
		// notFields are the words of the table that are no fields of an object.
		notFields string
	}{
		{
			row: "`process-compose.yaml`", files: []string{"processcompose.go", "composeprocess.go", "extends.go"},
			described: "processes condition parent_only shell_command shell_argument elevated_shell_command elevated_shell_argument " +
				"schedule cron interval run_on_start " +
				"initial_delay_seconds period_seconds success_threshold failure_threshold host path scheme headers port num_port status_code",
			notFields: ".env --wait exit_on_failure",
		},
		{row: "`mprocs.yaml`", files: []string{"mprocs.go", "mprocsstop.go"}, described: "procs", notFields: "$select"},
		{
			row: "`.vscode/tasks.json`", files: []string{"tasks.go", "inputs.go"},
			described: "version tasks label taskName type script path cwd env shell executable value quoting problemMatcher base background regexp " +
				"id description default password",
			notFields: "shell process npm",
		},
	} {
		t.Run(tt.row, func(t *testing.T) {
			_, row, ok := strings.Cut(string(page), "\n| "+tt.row)
			if !ok {
				t.Fatal("the table has no such row")
			}
			row, _, _ = strings.Cut(row, "\n")
			columns := strings.Split(row, " | ")
			read := readFields(t, tt.files...)
			inTable := map[string]bool{}
			for _, m := range quoted.FindAllStringSubmatch(columns[2], -1) {
				if text, _, _ := strings.Cut(m[1], ":"); word.MatchString(text) {
					inTable[text] = true
				}
			}
			for _, name := range slices.Sorted(maps.Keys(read)) {
				if !inTable[name] && !slices.Contains(strings.Fields(tt.described), name) {
					t.Errorf("hob reads %s, which is not in the table", name)
				}
			}
			for _, name := range slices.Sorted(maps.Keys(inTable)) {
				if !read[name] && !slices.Contains(strings.Fields(tt.notFields), name) {
					t.Errorf("the table has %s, which hob does not read", name)
				}
			}
		})
	}
}
