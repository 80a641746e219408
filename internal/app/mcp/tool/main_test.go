package tool

import (
	"os"
	"testing"

	"github.com/hobjobs/hob/internal/testtool"
)

func TestMain(m *testing.M) { os.Exit(testtool.RunWithoutLeaks(m)) }
