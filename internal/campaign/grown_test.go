//go:build !race

package campaign

// mostGrown is how much memory a thousand connections may cost a holder; six
// thousand cost it 4.5 MB.
const mostGrown = 8 << 20
