package main_test

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/hobjobs/hob"

// mayImport lists the packages of this module that a package may import. The first rule whose
// place matches applies. A trailing /... covers everything below.
var mayImport = []struct {
	place   string
	allowed []string
}{
	{"", []string{"..."}},
	{"internal/app/mcp/plain", []string{"internal/cells", "internal/logfile"}},
	{"internal/app/mcp/params", []string{"engine"}},
	{"internal/app/mcp/session", []string{"engine", "internal/app/mcp/plain", "internal/config", "internal/notes"}},
	{"internal/app/mcp/tool", []string{"engine", "engine/joblog", "internal/app/mcp/params", "internal/app/mcp/plain", "internal/app/mcp/session", "internal/app/within", "internal/cells", "internal/logfile", "internal/units"}},
	{"internal/app/mcp/deliver", []string{"engine", "internal/app/mcp/plain", "internal/app/mcp/session", "internal/app/mcp/tool", "internal/logfile", "internal/notes", "internal/units"}},
	{"internal/app/...", []string{"..."}}, // the programs; the other packages of internal do not import them
	{"examples/...", []string{"engine/...", "ui", "keymap", "themes"}},
	{"bench/...", []string{"..."}},
	{"ui/program", []string{"engine", "ui", "ui/components/later", "ui/components/toast", "themes", "internal/termenv", "internal/termstatus", "internal/cells"}},
	{"ui", []string{"engine", "engine/grouplog", "engine/joblog", "engine/replay", "ui/components/...", "ui/internal/...", "keymap", "themes", "internal/vt", "internal/shellword", "internal/units", "internal/cells", "internal/termenv", "internal/termstatus"}},
	{"ui/components/...", []string{"engine", "engine/joblog", "engine/replay", "keymap", "themes", "internal/vt", "internal/shellword", "internal/units", "internal/cells", "ui/components/border", "ui/components/statusbadge", "ui/components/later", "ui/components/listbox", "ui/components/selection", "ui/components/prompt"}},
	{"ui/internal/...", []string{"engine", "engine/joblog", "internal/shellword", "internal/vt"}},
	{"ui/...", []string{"engine", "ui/components/...", "keymap", "themes", "internal/vt", "internal/shellword", "internal/units", "internal/cells", "internal/termenv"}},
	{"keymap", []string{"internal/spelling"}},
	{"themes", []string{"internal/spelling"}},
	{"engine/record", nil},
	{"engine", []string{"engine/joblog", "engine/record", "internal/..."}},
	{"engine/joblog", []string{"engine/record", "internal/..."}},
	{"engine/enginetest", []string{"engine", "engine/grouplog", "engine/joblog", "engine/record", "internal/..."}},
	{"engine/ssh/internal/conn", []string{"engine/ssh/internal/recipe", "engine/ssh/internal/shell", "engine/ssh/internal/slurm"}},
	{"engine/ssh/internal/judge", []string{"engine", "engine/record", "engine/ssh/internal/recipe", "engine/ssh/internal/slurm", "internal/hostjob", "internal/jobdir", "internal/proc", "internal/queue"}},
	{"engine/ssh/internal/hosttest", []string{"engine", "engine/enginetest", "engine/ssh", "internal/..."}},
	{"engine/ssh/...", []string{"engine", "engine/enginetest", "engine/record", "engine/ssh/internal/...", "internal/..."}},
	{"engine/...", []string{"engine", "engine/joblog", "engine/enginetest", "engine/record", "internal/..."}},
	{"internal/storytest", []string{"..."}}, // runs hob
	{"internal/vt", nil},
	{"internal/programstatus", []string{"engine/record", "internal/vt"}},
	{"internal/termstatus", []string{"engine/record"}},
	{"internal/proc", []string{"engine/record"}},
	{"internal/shellword", nil},
	{"internal/units", nil},
	{"internal/diskspace", []string{"internal/units"}},
	{"internal/notes", []string{"internal/atomicfile", "internal/jobdir", "internal/plainfile"}},
	{"internal/cells", []string{"internal/vt"}},
	{"internal/atomicfile", nil},
	{"internal/build", nil},
	{"internal/plainfile", nil},
	{"internal/spelling", nil},
	{"internal/notifyevent", nil},
	{"internal/notify", []string{"engine/record", "internal/jobdir", "internal/notifyevent", "internal/shellrun", "internal/units"}},
	{"internal/shellrun", nil},
	{"internal/termenv", nil},
	{"internal/cause", nil},
	{"internal/watch", nil},
	{"internal/readahead", nil},
	{"internal/ending", []string{"engine/record", "internal/units"}},
	{"internal/queue", []string{"engine/record", "internal/atomicfile", "internal/plainfile", "internal/jobdir"}},
	{"cmd/hob-holder", []string{"internal/hostjob", "internal/localjob"}},
	{"internal/hostjob", []string{"engine/record", "internal/atomicfile", "internal/freeport", "internal/holder", "internal/jobdir", "internal/localclient", "internal/logfile", "internal/plainfile", "internal/proc", "internal/queue"}},
	{"internal/logfile", []string{"internal/atomicfile", "internal/plainfile", "internal/vt", "internal/units", "internal/cells"}},
	{"internal/jobdir", []string{"engine/record", "internal/atomicfile", "internal/plainfile", "internal/proc", "internal/units", "internal/logfile"}},
	{"internal/statedir", []string{"engine/record", "internal/atomicfile", "internal/diskspace", "internal/plainfile", "internal/jobdir", "internal/queue"}},
	// What a holder links costs memory for each job.
	{"internal/holder", []string{"engine/record", "internal/atomicfile", "internal/cause", "internal/plainfile", "internal/proc", "internal/programstatus", "internal/vt", "internal/logfile", "internal/jobdir"}},
	{"internal/localjob", []string{"engine/record", "internal/build", "internal/ending", "internal/plainfile", "internal/proc", "internal/termenv", "internal/units", "internal/httpget", "internal/logfile", "internal/jobdir", "internal/notify", "internal/notifyevent", "internal/queue", "internal/holder", "internal/shellrun"}},
	{"internal/localclient", []string{"engine/record", "internal/atomicfile", "internal/build", "internal/holder", "internal/jobdir", "internal/localjob", "internal/plainfile", "internal/proc", "internal/queue", "internal/watch"}},
	{"internal/config", []string{"internal/spelling", "internal/units", "internal/atomicfile", "internal/plainfile", "internal/build", "internal/notifyevent", "keymap", "themes"}},
	{"internal/...", []string{"engine/record", "internal/..."}},
}

// mustNotImport lists packages that packages below a place must not import, whatever mayImport
// allows. Those outside of this module are listed nowhere else.
var mustNotImport = []struct {
	place     string
	forbidden []string
}{
	{"engine", []string{"charm.land/", "github.com/charmbracelet/", "github.com/creack/pty", "golang.org/x/crypto", "github.com/spf13/"}},
	{"engine/...", []string{"charm.land/", "github.com/spf13/"}},
	{"engine/ssh/internal/judge", []string{"os", "net", "os/exec", "golang.org/x/crypto"}},
	{"internal/holder", []string{"charm.land/", "github.com/spf13/"}},
	{"internal/localjob", []string{"charm.land/", "github.com/spf13/"}},
	{"internal/localclient", []string{"charm.land/", "github.com/spf13/"}},
	{"internal/vt", []string{"charm.land/", "golang.org/x/sys"}},
	{"ui", []string{"os/exec", "net"}},
	{"ui/components/...", []string{"os/exec", "net", "os"}},
	{"ui/internal/...", []string{"os/exec", "net"}},
	{"keymap", []string{"os/exec", "net"}},
	{"themes", []string{"os/exec", "net"}},
	// The engine and package notes know where the files of jobs are.
	{"internal/app/...", []string{module + "/internal/jobdir", module + "/internal/statedir"}},
}

const maxFileLines = 500

// A condition with many parts gets a name: at most maxOperators && and || on a line, and maxDensity in
// 1,000 lines of the code that users run. maxDensity may only be lowered.
const (
	maxOperators = 2
	maxDensity   = 38
)

// A type with very many methods is a ball of everything: at most maxMethods, promoted ones of the same package
// included. The types to which everything could be added have a bound of their own.
const maxMethods = 200

var (
	maxMethodsOf = map[string]int{"engine.Engine": 90}
	maxFieldsOf  = map[string]int{"ui.Pane": 45}
)

// maxDoors is how many exported functions and methods of exported types package engine has at most: as many as
// go doc -all lists, and as many as its user can find the right one among.
const maxDoors = 100

type sourceFile struct {
	path, dir string
	ast       *ast.File
	fset      *token.FileSet
	lines     int
	code      int // lines that are neither empty nor only a comment
	test      bool
}

func TestLayout(t *testing.T) {
	files := parseTree(t)
	if len(files) < 20 {
		t.Fatalf("found only %d files: the test does not see the tree", len(files))
	}
	t.Run("imports", func(t *testing.T) { checkImports(t, files) })
	t.Run("package comments", func(t *testing.T) { checkPackageComments(t, files) })
	t.Run("no init functions", func(t *testing.T) { checkNoInit(t, files) })
	t.Run("file size", func(t *testing.T) {
		for _, f := range files {
			if f.lines > maxFileLines {
				t.Errorf("%s has %d lines, more than %d: split it by idea", f.path, f.lines, maxFileLines)
			}
		}
	})
	t.Run("long conditions", func(t *testing.T) { checkConditions(t, files) })
	t.Run("one field a line", func(t *testing.T) { checkFields(t, files) })
	t.Run("doors of the engine", func(t *testing.T) { checkDoors(t, files) })
	t.Run("size of types", func(t *testing.T) { checkTypes(t, files) })
	t.Run("package names", func(t *testing.T) {
		for _, f := range files {
			switch strings.TrimSuffix(f.ast.Name.Name, "_test") {
			case "utils", "util", "common", "helpers", "types", "pkg", "misc":
				t.Errorf("%s: package %s is not named for its purpose", f.path, f.ast.Name.Name)
			}
		}
	})
}

// checkConditions counts && and || on each line, and in all code.
func checkConditions(t *testing.T, files []sourceFile) {
	all, code := 0, 0
	for _, f := range files {
		if f.test {
			continue
		}
		operators := map[int]int{} // by line
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if b, ok := n.(*ast.BinaryExpr); ok && (b.Op == token.LAND || b.Op == token.LOR) {
				operators[f.fset.Position(b.OpPos).Line]++
			}
			return true
		})
		for _, line := range slices.Sorted(maps.Keys(operators)) {
			if operators[line] > maxOperators {
				t.Errorf("%s:%d has a condition with %d operators, more than %d: give its parts names", f.path, line, operators[line], maxOperators)
			}
		}
		if covers("bench/...", f.dir) || covers("examples/...", f.dir) {
			continue
		}
		code += f.code
		for _, n := range operators {
			all += n
		}
	}
	if all*1000 > maxDensity*code {
		t.Errorf("%d && and || in %d lines of code are %.1f in 1,000, more than %d: see CONTRIBUTING.md", all, code, float64(all)*1000/float64(code), maxDensity)
	}
	t.Logf("%d && and || in %d lines of code: %.1f in 1,000", all, code, float64(all)*1000/float64(code))
}

// tables are the packages whose literals are tables: many values of one kind, several on a line.
var tables = []string{"themes", "internal/cause"}

// checkFields wants each field of a literal on its own line once the literal takes more than one: then a new
// field has an obvious place.
func checkFields(t *testing.T, files []sourceFile) {
	for _, f := range files {
		if f.test || slices.Contains(tables, f.dir) {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			literal, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			fields := map[int]int{} // by line
			for _, e := range literal.Elts {
				if value, ok := e.(*ast.KeyValueExpr); ok && isName(value.Key) {
					fields[f.fset.Position(e.Pos()).Line]++
				}
			}
			if len(fields) > 1 && slices.Max(slices.Collect(maps.Values(fields))) > 1 {
				t.Errorf("%s:%d has several fields on one line of a literal: give each a line", f.path, f.fset.Position(literal.Pos()).Line)
			}
			return true
		})
	}
}

func isName(e ast.Expr) bool {
	_, ok := e.(*ast.Ident)
	return ok
}

// codeLines counts the lines that are neither empty nor only a comment.
func codeLines(src []byte) int {
	n := 0
	for line := range bytes.Lines(src) {
		if line = bytes.TrimSpace(line); len(line) > 0 && !bytes.HasPrefix(line, []byte("//")) {
			n++
		}
	}
	return n
}

// checkDoors counts what a user of package engine can call.
func checkDoors(t *testing.T, files []sourceFile) {
	doors := map[string]bool{} // by receiver and name: a function for each system is one
	for _, f := range files {
		if f.dir != "engine" || f.test {
			continue
		}
		for _, decl := range f.ast.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() {
				continue
			}
			receiver := ""
			if fn.Recv != nil {
				receiver = typeName(fn.Recv.List[0].Type)
			}
			if receiver == "" || ast.IsExported(receiver) {
				doors[receiver+"."+fn.Name.Name] = true
			}
		}
	}
	if len(doors) > maxDoors {
		t.Errorf("package engine exports %d functions and methods, more than %d: unexport those without a caller in other packages, or merge two", len(doors), maxDoors)
	}
	t.Logf("package engine exports %d functions and methods", len(doors))
}

// typeSize is what a type consists of. Promoted methods are those of the embedded types.
type typeSize struct {
	methods  map[string]bool // by name: a method for each system is one
	fields   int
	embedded []string
}

// checkTypes counts the methods and fields of each type.
func checkTypes(t *testing.T, files []sourceFile) {
	types := map[string]*typeSize{} // by place and name
	of := func(f sourceFile, name string) *typeSize {
		key := strings.TrimPrefix(f.dir+"."+name, ".")
		if types[key] == nil {
			types[key] = &typeSize{methods: map[string]bool{}}
		}
		return types[key]
	}
	for _, f := range files {
		if f.test {
			continue
		}
		for _, decl := range f.ast.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv != nil {
				of(f, typeName(fn.Recv.List[0].Type)).methods[fn.Name.Name] = true
			}
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			s, ok := spec.Type.(*ast.StructType)
			if !ok {
				return true
			}
			size := of(f, spec.Name.Name)
			for _, field := range s.Fields.List {
				size.fields += max(1, len(field.Names))
				if name := typeName(field.Type); len(field.Names) == 0 && name != "" {
					size.embedded = append(size.embedded, strings.TrimPrefix(f.dir+"."+name, "."))
				}
			}
			return true
		})
	}
	var methods func(key string) int
	methods = func(key string) int {
		size := types[key]
		if size == nil { // an interface
			return 0
		}
		n := len(size.methods)
		for _, embedded := range size.embedded {
			n += methods(embedded)
		}
		return n
	}
	for key, size := range types {
		if n, most := methods(key), cmp.Or(maxMethodsOf[key], maxMethods); n > most {
			t.Errorf("%s has %d methods, more than %d: give what belongs together a type of its own", key, n, most)
		}
		if most, ok := maxFieldsOf[key]; ok && size.fields > most {
			t.Errorf("%s has %d fields, more than %d: give what belongs together a type of its own", key, size.fields, most)
		}
	}
	for _, key := range slices.Concat(slices.Collect(maps.Keys(maxMethodsOf)), slices.Collect(maps.Keys(maxFieldsOf))) {
		if types[key] == nil {
			t.Errorf("there is no type %s", key)
		}
	}
}

// typeName returns the name of a type of the same package, without pointers and type parameters, or "".
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

func checkImports(t *testing.T, files []sourceFile) {
	for _, f := range files {
		if f.test {
			continue
		}
		for _, spec := range f.ast.Imports {
			imported := strings.Trim(spec.Path.Value, `"`)
			if ours, ok := strings.CutPrefix(imported, module+"/"); ok && !allowed(f.dir, ours) {
				t.Errorf("%s imports %s: not allowed for package %s (see docs/architecture.md)", f.path, ours, orRoot(f.dir))
			}
			for _, rule := range mustNotImport {
				if !covers(rule.place, f.dir) {
					continue
				}
				for _, bad := range rule.forbidden {
					if imported == bad || strings.HasSuffix(bad, "/") && strings.HasPrefix(imported, bad) || strings.HasPrefix(imported, bad+"/") {
						t.Errorf("%s imports %s: not allowed in %s", f.path, imported, orRoot(f.dir))
					}
				}
			}
		}
	}
}

func allowed(dir, imported string) bool {
	for _, rule := range mayImport {
		if covers(rule.place, dir) {
			return slices.ContainsFunc(rule.allowed, func(pattern string) bool { return covers(pattern, imported) })
		}
	}
	return false
}

// covers reports whether the place pattern ("ui", "ui/...", "...") covers dir.
func covers(pattern, dir string) bool {
	if pattern == "..." {
		return true
	}
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		return dir == base || strings.HasPrefix(dir, base+"/")
	}
	return pattern == dir
}

func checkPackageComments(t *testing.T, files []sourceFile) {
	comments := map[string][]string{}
	for _, f := range files {
		if f.test {
			continue
		}
		if f.ast.Doc != nil {
			comments[f.dir] = append(comments[f.dir], f.path)
		} else if _, ok := comments[f.dir]; !ok {
			comments[f.dir] = nil
		}
	}
	for dir, docs := range comments {
		if len(docs) != 1 {
			t.Errorf("package %s has %d package comments %v, want one", orRoot(dir), len(docs), docs)
		}
	}
}

func checkNoInit(t *testing.T, files []sourceFile) {
	for _, f := range files {
		for _, decl := range f.ast.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				t.Errorf("%s: init functions run at every start of hob; call it where it is needed", f.fset.Position(fn.Pos()))
			}
		}
	}
}

func parseTree(t *testing.T) []sourceFile {
	t.Helper()
	var files []sourceFile
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "testdata" || name == "vendor" || len(name) > 1 && strings.HasPrefix(name, ".") {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(p) != ".go" {
			return nil
		}
		src, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, p, src, parser.ParseComments)
		if err != nil {
			return err
		}
		dir := path.Dir(filepath.ToSlash(p))
		if dir == "." {
			dir = ""
		}
		files = append(files, sourceFile{
			path:  filepath.ToSlash(p),
			dir:   dir,
			ast:   parsed,
			fset:  fset,
			lines: bytes.Count(src, []byte("\n")),
			code:  codeLines(src),
			test:  strings.HasSuffix(p, "_test.go"),
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func orRoot(dir string) string {
	if dir == "" {
		return "main"
	}
	return dir
}
