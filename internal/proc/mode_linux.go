package proc

import "golang.org/x/sys/unix"

const getAttributes = unix.TCGETS
