//go:build !linux && !darwin

package hostjob

// Main carries out no request: this system has no holders.
func Main([]string) (code int, ok bool) { return 0, false }
