package proc

import (
	"bytes"
	"encoding/binary"
)

// hasVariable reports whether env, NAME=VALUE strings terminated by NUL bytes, contains
// exactly name=value.
func hasVariable(env []byte, name, value string) bool {
	want := name + "=" + value
	for kv := range bytes.SplitSeq(env, []byte{0}) {
		if string(kv) == want {
			return true
		}
	}
	return false
}

// arguments are a process's command line and its environment.
type arguments struct {
	argv []string
	env  []byte
}

// parseArguments parses the value of kern.procargs2 on macOS: the number of arguments in 32
// bits, the path of the program, padding, the arguments and the environment. Strings are
// terminated by NUL, except perhaps the last one.
func parseArguments(data []byte) (arguments, bool) {
	if len(data) < 4 {
		return arguments{}, false
	}
	count := int(binary.NativeEndian.Uint32(data))
	data = data[4:]
	path := bytes.IndexByte(data, 0)
	if path < 0 || count < 0 || count > len(data) {
		return arguments{}, false
	}
	data = bytes.TrimLeft(data[path:], "\x00")
	var a arguments
	for range count {
		end := bytes.IndexByte(data, 0)
		if end < 0 {
			return arguments{}, false
		}
		a.argv = append(a.argv, string(data[:end]))
		data = data[end+1:]
	}
	a.env = data
	return a, true
}
