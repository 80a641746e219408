//go:build unix

package main_test

import (
	"os"
	"testing"

	"github.com/hobjobs/hob/internal/testtool"
)

func TestMain(m *testing.M) {
	testtool.Prepare()
	os.Exit(m.Run())
}
