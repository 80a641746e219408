package main_test

import (
	"fmt"
	"go/types"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A program that embeds hob cannot name a type of an internal package, nor read its documentation. So
// the exported API of a public package mentions none: neither in a signature, nor in an exported or
// embedded field, nor behind an alias.
func TestPublicPackagesShowNoInternalTypes(t *testing.T) {
	packages := publicPackages(t)
	if len(packages) < 10 {
		t.Fatalf("found only %d packages: the test does not see the tree", len(packages))
	}
	for _, p := range packages {
		for _, found := range internalTypesOf(p) {
			t.Error(found)
		}
	}
}

// internalTypesOf describes where the exported API of a package mentions a type of an internal package.
func internalTypesOf(p *types.Package) []string {
	walk := apiWalk{of: p, visited: map[types.Type]bool{}}
	for _, name := range p.Scope().Names() {
		if object := p.Scope().Lookup(name); object.Exported() {
			walk.object(p.Path()+"."+name, object)
		}
	}
	return walk.found
}

// apiWalk visits the types that the exported API of a package mentions.
type apiWalk struct {
	of      *types.Package
	visited map[types.Type]bool
	found   []string
}

func (w *apiWalk) object(where string, object types.Object) {
	name, isType := object.(*types.TypeName)
	switch {
	case isType && name.IsAlias():
		w.mentioned(where, types.Unalias(name.Type()))
	case isType:
		w.declared(where, name.Type())
	default:
		w.mentioned(where, object.Type())
	}
}

// declared visits what a type of the package itself shows: its fields or underlying type, and its
// methods, also those of embedded fields.
func (w *apiWalk) declared(where string, t types.Type) {
	if w.visited[t] {
		return
	}
	w.visited[t] = true
	w.mentioned(where, t.Underlying())
	if types.IsInterface(t) {
		return // its methods are in the underlying type
	}
	methods := types.NewMethodSet(types.NewPointer(t))
	for method := range methods.Methods() {
		if method.Obj().Exported() {
			w.mentioned(where+"."+method.Obj().Name(), method.Type())
		}
	}
}

// mentioned visits a type that is part of a declaration.
func (w *apiWalk) mentioned(where string, t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		w.mentioned(where, types.Unalias(t))
	case *types.Named:
		w.named(where, t)
	case *types.Struct:
		for field := range t.Fields() {
			if field.Exported() || field.Embedded() {
				w.mentioned(where+"."+field.Name(), field.Type())
			}
		}
	case *types.Interface:
		for method := range t.Methods() {
			if method.Exported() {
				w.mentioned(where+"."+method.Name(), method.Type())
			}
		}
	case *types.Signature:
		w.mentioned(where, t.Params())
		w.mentioned(where, t.Results())
		for parameter := range t.TypeParams().TypeParams() {
			w.mentioned(where, parameter.Constraint())
		}
	case *types.Tuple:
		for variable := range t.Variables() {
			w.mentioned(where, variable.Type())
		}
	case *types.Union:
		for term := range t.Terms() {
			w.mentioned(where, term.Type())
		}
	case *types.Map:
		w.mentioned(where, t.Key())
		w.mentioned(where, t.Elem())
	case interface{ Elem() types.Type }: // pointer, slice, array, channel
		w.mentioned(where, t.Elem())
	}
}

func (w *apiWalk) named(where string, t *types.Named) {
	for argument := range t.TypeArgs().Types() {
		w.mentioned(where, argument)
	}
	for parameter := range t.TypeParams().TypeParams() {
		w.mentioned(where, parameter.Constraint())
	}
	p := t.Obj().Pkg()
	switch {
	case p == nil: // error, comparable
	case p == w.of && !t.Obj().Exported():
		w.declared(where, t) // what it shows is documented nowhere else
	case isInternal(p.Path()):
		w.found = append(w.found, fmt.Sprintf("%s shows %s, a type of an internal package", where, t))
	}
}

// publicPackages returns the packages of this module that other programs can import.
func publicPackages(t *testing.T) (packages []*types.Package) {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", "{{if .GoFiles}}{{.ImportPath}} {{.Name}}{{end}}", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	imports := importsOf(t, "./...")
	for line := range strings.Lines(string(out)) {
		path, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "" || name == "main" || isInternal(path) { // "": it has only tests
			continue
		}
		p, err := imports.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
	return packages
}

// isInternal reports whether a package of this module is hidden from other programs.
func isInternal(path string) bool {
	return strings.HasPrefix(path, module+"/") && slices.Contains(strings.Split(path, "/"), "internal")
}
