package cli

import "os"

// withoutEcho has nothing to do: the console does not echo what it answers.
func withoutEcho(*os.File) (restore func()) { return func() {} }
