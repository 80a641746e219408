package localjob

import (
	"cmp"
	"fmt"
	"runtime"

	"github.com/hobjobs/hob/internal/build"
)

// Identity is what hob-holder says of itself, a line without its end: its build ("-": unknown), the
// version of the configuration that it takes, and its system.
func Identity() string {
	return fmt.Sprintf("hob-holder %s %d %s/%s", cmp.Or(build.Version(), "-"), Version, runtime.GOOS, runtime.GOARCH)
}
