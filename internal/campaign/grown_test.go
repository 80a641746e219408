//go:build !race

package campaign

// mostGrown is how much memory a thousand connections may cost a holder. Ten
// thousand cost it no more.
const mostGrown = 8 << 20
