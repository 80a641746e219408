//go:build !linux && !darwin

package queue

import (
	"context"
	"errors"

	"github.com/hobjobs/hob/engine/record"
)

// Set fails on this system.
func Set(context.Context, string, func(*Settings)) error { return errors.ErrUnsupported }

// First fails on this system.
func First(context.Context, string, []string) error { return errors.ErrUnsupported }

// StartNow fails on this system.
func StartNow(context.Context, string, []string) error { return errors.ErrUnsupported }

// Cancel fails on this system.
func Cancel(context.Context, string, string, record.StopOptions) error { return ErrNotWaiting }

// Background fails on this system.
func Background(context.Context, string, string) error { return ErrNotWaiting }

// Clean does nothing on this system.
func Clean(string) bool { return false }

func lockHolder(string) string { return "" }
