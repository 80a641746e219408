package localjob

import (
	"cmp"
	"fmt"
	"runtime"

	"github.com/hobjobs/hob/internal/build"
)

// Identity is the line with which hob-holder describes itself, without a line feed: its build ("-": unknown), the
// version of the configuration that it accepts, and its system.
func Identity() string {
	return fmt.Sprintf("hob-holder %s %d %s/%s", cmp.Or(build.Version(), "-"), Version, runtime.GOOS, runtime.GOARCH)
}
