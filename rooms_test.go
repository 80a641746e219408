package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The packages of the server for agents are rooms: what one file does is read without most of the
// others. Of all pairs of files in these packages together, at most 35 of 100 may refer to each other.
//
// A file refers to another one if it uses an identifier that the other one declares at the top level, or
// a method that it declares, also of an interface. Fields do not count, nor do tests. A pair counts once,
// whichever of the two refers to the other, and whether they are in one package or in two.
func TestServerForAgentsHasRooms(t *testing.T) {
	const most = 35
	files, pairs := referringPairs(t, serverForAgents...)
	if files < 10 {
		t.Fatalf("found only %d files: the test does not see the packages", files)
	}
	all := files * (files - 1) / 2
	if 100*len(pairs) > most*all {
		t.Errorf("%d of the %d pairs of files refer to each other (%d %%), want at most %d %%", len(pairs), all, 100*len(pairs)/all, most)
	}
	t.Logf("%d of %d pairs, %d files", len(pairs), all, files)
}

// serverForAgents lists the packages, each after those that it imports.
var serverForAgents = []string{
	"internal/app/mcp/plain", "internal/app/mcp/session", "internal/app/mcp/params",
	"internal/app/mcp/tool", "internal/app/mcp/deliver", "internal/app/mcp",
}

// The tools report what they do to the delivery through one small interface, and the delivery reaches the
// server through another.
func TestRoomsOfServerForAgentsHaveSmallDoors(t *testing.T) {
	const most = 6
	imports := importsOf(t, "./internal/app/mcp/...")
	for _, door := range []struct{ dir, name string }{{"internal/app/mcp/tool", "Delivery"}, {"internal/app/mcp/deliver", "Server"}} {
		p, err := imports.Import(path.Join(module, door.dir))
		if err != nil {
			t.Fatal(err)
		}
		of := p.Scope().Lookup(door.name)
		if of == nil || !types.IsInterface(of.Type()) {
			t.Fatalf("%s has no interface %s", door.dir, door.name)
		}
		if n := types.NewMethodSet(of.Type()).Len(); n > most {
			t.Errorf("%s.%s has %d methods, want at most %d", door.dir, door.name, n, most)
		}
	}
}

// pair is two files, the first of which comes first by name.
type pair [2]string

// referringPairs returns the number of files in the directories, each a package that may import those
// before it, and the pairs of files of which one refers to the other.
func referringPairs(t *testing.T, dirs ...string) (files int, pairs map[pair]bool) {
	t.Helper()
	fset := token.NewFileSet()
	checked := checkedImporter{own: map[string]*types.Package{}, others: importsOf(t, "./...")}
	pairs = map[pair]bool{}
	for _, dir := range dirs {
		parsed := parseDir(t, fset, dir)
		files += len(parsed)
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		importing := types.Config{Importer: checked}
		p, err := importing.Check(path.Join(module, dir), fset, parsed, info)
		if err != nil {
			t.Fatal(err)
		}
		checked.own[p.Path()] = p
		for ident, object := range info.Uses {
			from, to := fset.Position(ident.Pos()).Filename, declaredIn(fset, object)
			if to != "" && from != to {
				pairs[pair(slices.Sorted(slices.Values([]string{from, to})))] = true
			}
		}
	}
	return files, pairs
}

// declaredIn returns the file that declares a top-level identifier or a method; empty for fields,
// variables of functions and whatever was not read from source.
func declaredIn(fset *token.FileSet, object types.Object) string {
	if object.Pkg() == nil || !strings.HasPrefix(object.Pkg().Path(), module+"/internal/app/mcp") {
		return ""
	}
	isMethod := false
	if f, ok := object.(*types.Func); ok {
		isMethod = f.Signature().Recv() != nil
	}
	if !isMethod && object.Parent() != object.Pkg().Scope() {
		return ""
	}
	return fset.Position(object.Pos()).Filename
}

// checkedImporter imports packages that were checked from source, and all others from their export data.
type checkedImporter struct {
	own    map[string]*types.Package
	others types.Importer
}

func (i checkedImporter) Import(path string) (*types.Package, error) {
	if p := i.own[path]; p != nil {
		return p, nil
	}
	return i.others.Import(path)
}

// parseDir parses the files of a package, without its tests.
func parseDir(t *testing.T, fset *token.FileSet, dir string) (files []*ast.File) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".go" || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(fset, path.Join(dir, e.Name()), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, parsed)
	}
	return files
}
