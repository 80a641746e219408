package local

import (
	"context"
	"errors"
	"os"
)

// growth would wait until files are written to; here the clock does.
type growth struct{}

func newGrowth([]*os.File) (*growth, error) { return nil, errors.ErrUnsupported }

func (g *growth) arm() bool { return false }

func (g *growth) wait(context.Context) bool { return false }

func (g *growth) close() {}
