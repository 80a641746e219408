//go:build !linux && !darwin

package proc

import (
	"context"
	"syscall"
)

const startOrders = false

// Stat is not supported here.
func Stat(int) (Process, error) { return Process{}, ErrUnsupported }

// Scanner takes snapshots where that is supported.
type Scanner struct{ reader reader }

// Scan is not supported here.
func (*Scanner) Scan() ([]Process, error) { return nil, ErrUnsupported }

// Close does nothing here.
func (*Scanner) Close() {}

type reader struct{}

func (*reader) hasJobID(int, string) bool { return false }
func (*reader) isHolder(int) bool         { return false }

// Cmdline is not supported here.
func Cmdline(int) ([]string, error) { return nil, ErrUnsupported }

// Terminate is not supported here.
func Terminate(context.Context, JobRef, Options) (Result, error) { return Result{}, ErrUnsupported }

// Signal is not supported here.
func Signal(Identity, syscall.Signal) error { return ErrUnsupported }

// BootID is "": the boot has no name here.
func BootID() string { return "" }

// PIDNamespace is "": there is one space of pids.
func PIDNamespace() string { return "" }

func hardwareID() string { return "" }

// TTYMode is not supported here.
func TTYMode(fd int) (Mode, error) { return Mode{}, ErrUnsupported }

// ForegroundGroup is not supported here.
func ForegroundGroup(fd int) (int, error) { return 0, ErrUnsupported }
