//go:build unix

package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// suite is the conformance suite, which scenarios abbreviate to "suite".
const suite = "engine/local.TestConformance"

// TestScenarios checks testdata/scenarios.txt: each line must name existing tests or give a
// reason why it does not apply, and no name may occur twice in a section.
func TestScenarios(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "scenarios.txt"))
	if err != nil {
		t.Fatal(err)
	}
	tests := testsOf(t)
	seen := map[string]int{}
	section := ""
	for i, line := range strings.Split(string(text), "\n") {
		n := i + 1
		if title, ok := strings.CutPrefix(line, "## "); ok {
			section = title + ": "
		}
		if line == "" || line[0] == '#' {
			continue
		}
		name, proof, ok := strings.Cut(line, " -> ")
		if !ok || name == "" || strings.TrimSpace(proof) == "" {
			t.Errorf("line %d is not of the form \"name -> tests\"", n)
			continue
		}
		if first := seen[section+name]; first > 0 {
			t.Errorf("line %d: %q is also on line %d", n, name, first)
		}
		seen[section+name] = n
		if why, void := strings.CutPrefix(proof, "void: "); void {
			if len(strings.Fields(why)) < 4 {
				t.Errorf("line %d: %q does not explain why", n, why)
			}
			continue
		}
		for _, ref := range strings.Fields(proof) {
			if problem := tests.find(ref); problem != "" {
				t.Errorf("line %d: %s: %s", n, ref, problem)
			}
		}
	}
	if len(seen) < 150 {
		t.Errorf("only %d scenarios, want at least 150", len(seen))
	}
}

// TestSecurityPage checks that the tests named in docs/security.md exist: in internal/security,
// or in the package named before them.
func TestSecurityPage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	tests := testsOf(t)
	named := 0
	for i, line := range strings.Split(string(text), "\n") {
		cells := strings.Split(strings.Trim(line, "| "), "|")
		if len(cells) != 3 || strings.HasPrefix(cells[0], "-") || strings.TrimSpace(cells[2]) == "tried by" {
			continue
		}
		for group := range strings.SplitSeq(cells[2], ";") {
			dir := "internal/security"
			for _, word := range strings.Fields(strings.ReplaceAll(group, ",", " ")) {
				if strings.HasPrefix(word, "Test") {
					if problem := tests.find(dir + "." + word); problem != "" {
						t.Errorf("line %d: %s in %s: %s", i+1, word, dir, problem)
					}
				} else if dir = word; len(tests.funcs[dir]) == 0 {
					t.Errorf("line %d: %s has no tests", i+1, dir)
				}
				named++
			}
		}
	}
	if named < 20 {
		t.Errorf("only %d tests and packages are named, want at least 20", named)
	}
}

// testIndex has the test functions of each package directory, and all string literals of its
// tests: subtest names are among them.
type testIndex struct {
	funcs, texts map[string]map[string]bool
}

// storiesOf has the directory of the stories that are subtests of a test.
var storiesOf = map[string]string{"TestScripts": "script", "TestHostScripts": "hosts"}

// find returns what is wrong with a reference, or "" if the test exists.
func (x testIndex) find(ref string) string {
	if part, ok := strings.CutPrefix(ref, "suite/"); ok {
		ref = suite + "/" + part
	}
	at := max(strings.Index(ref, ".Test"), strings.Index(ref, ".Fuzz"))
	if at < 0 {
		return "is not of the form package.TestName"
	}
	dir := ref[:at]
	name, part, hasPart := strings.Cut(ref[at+1:], "/")
	switch {
	case !x.funcs[dir][name]:
		return "no such test"
	case !hasPart:
		return ""
	case storiesOf[name] != "":
		if _, err := os.Stat(filepath.Join(dir, "testdata", storiesOf[name], part+".txtar")); err != nil {
			return "no such story"
		}
		return ""
	case x.texts[dir][part], name == "TestConformance" && x.texts["engine/enginetest"][part]:
		return ""
	}
	return "no such subtest"
}

// testsOf indexes the test files of the repository, and the conformance suite.
func testsOf(t *testing.T) testIndex {
	t.Helper()
	x := testIndex{map[string]map[string]bool{}, map[string]map[string]bool{}}
	err := filepath.WalkDir(".", func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if name := e.Name(); name == "testdata" || len(name) > 1 && name[0] == '.' {
				return fs.SkipDir
			}
			return nil
		}
		dir := path.Dir(filepath.ToSlash(file))
		if !strings.HasSuffix(file, "_test.go") && (dir != "engine/enginetest" || !strings.HasSuffix(file, ".go")) {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		x.add(dir, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func (x testIndex) add(dir string, f *ast.File) {
	if x.funcs[dir] == nil {
		x.funcs[dir], x.texts[dir] = map[string]bool{}, map[string]bool{}
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
			x.funcs[dir][fn.Name.Name] = true
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				x.texts[dir][strings.ReplaceAll(text, " ", "_")] = true // as go test writes subtest names
			}
		}
		return true
	})
}
