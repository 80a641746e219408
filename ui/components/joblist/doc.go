// Package joblist is the list of jobs: one row each, by need, filtered as one
// types, with a selection that stays on its job whatever moves around it.
//
//	list := joblist.New(keys.List, styles.List, badges, glyphs)
//	list.SetSize(46, 20)
//	list.Put(joblist.Row{Job: job})
//	text := list.View() // 46 by 20 cells
//
// Rows are put and dropped one by one, so that a change costs what changed. Only
// the rows in the window are drawn, and only when something that they show has
// changed. It moves its selection; what is done to jobs is decided elsewhere.
// A list belongs to one goroutine.
package joblist
