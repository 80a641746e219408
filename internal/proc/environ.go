package proc

import (
	"bytes"
	"encoding/binary"
)

// hasVariable reports whether env, NAME=VALUE strings terminated by NUL bytes, contains
// exactly name=value.
func hasVariable(env []byte, name, value string) bool {
	want := []byte(name + "=" + value)
	for len(env) > 0 {
		i := bytes.Index(env, want)
		if i < 0 {
			return false
		}
		end := i + len(want)
		if (i == 0 || env[i-1] == 0) && (end == len(env) || env[end] == 0) {
			return true
		}
		env = env[end:]
		if len(env) > 0 && env[0] != 0 {
			// A longer value: continue after its end.
			next := bytes.IndexByte(env, 0)
			if next < 0 {
				return false
			}
			env = env[next:]
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
