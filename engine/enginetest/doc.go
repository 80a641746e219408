// Package enginetest helps testing the engine and its backends.
//
// [Fake] is a backend without processes: a test says what its jobs print and how
// they end. [Run] is the conformance suite that every backend passes; its cases
// are the contract of [engine.Backend] in running form.
//
//	func TestBackend(t *testing.T) {
//		enginetest.Run(t, func(t *testing.T) enginetest.Config {
//			return enginetest.Config{New: func() engine.Backend { return local.New() }}
//		})
//	}
package enginetest
