// Vet runs the analyzers of go vet. For another operating system it takes a tenth of the time of go vet, because
// it reads the source of imported packages instead of compiling them.
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"
	"golang.org/x/tools/go/analysis/suite/vet"
)

func main() { multichecker.Main(vet.Suite...) }
