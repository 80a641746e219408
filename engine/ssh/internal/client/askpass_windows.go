package client

import (
	"context"
	"errors"
)

// askpass is not there: OpenSSH has no control sockets on Windows.
type askpass struct{ script string }

func newAskpass(context.Context, string, asker) (*askpass, error) {
	return nil, errors.New("the ssh program serves no control sockets on Windows")
}

func (*askpass) refusal() error { return nil }

func (*askpass) close() {}
