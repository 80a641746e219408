// Package ahead starts holders, the processes that keep jobs. It knows neither
// jobs nor what a holder is told, so it depends on little: a client can start its
// holder while the rest of the program still sets itself up (package early), and
// tell it later what for.
//
// A holder is the program hob-holder if that lies beside this one, else this
// program again. Both are known by the name that they are started under,
// [proc.HolderName].
package ahead
