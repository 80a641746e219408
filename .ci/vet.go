// Vet looks for the mistakes that go vet finds. For a system other than this one it takes a tenth of the time:
// it reads the packages that a package imports, where go vet compiles them.
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"
	"golang.org/x/tools/go/analysis/suite/vet"
)

func main() { multichecker.Main(vet.Suite...) }
