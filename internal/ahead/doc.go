// Package ahead starts holders, the processes that keep jobs. It knows neither
// jobs nor what a holder is told. And it depends on as little as can be, so that
// Go initialises it before most of the program: a client starts its holder then
// (package early) and gets ready side by side with it. Imports beyond those of
// package os cost that advantage: GODEBUG=inittrace=1 shows it.
//
// A holder is the program hob-holder if that lies beside this one, else this
// program again. Both are known by the name that they are started under, [Name].
package ahead
