package ssh

import (
	"os"
	"testing"

	"github.com/hobjobs/hob/internal/testtool"
)

func TestMain(m *testing.M) {
	testtool.InParallel(8) // many wait for timeouts; more at a time would make the others late on a busy machine
	os.Exit(testtool.RunWithoutLeaks(m))
}
