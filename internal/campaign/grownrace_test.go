//go:build race

package campaign

// mostGrown is how much memory a thousand connections may cost a holder: the race
// detector keeps some 16 KiB for each goroutine for a while after it has ended.
const mostGrown = 28 << 20
