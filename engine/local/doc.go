// Package local runs jobs on this machine so that they outlive the program that
// starts them. Each job has a holder: a process of its own that holds the
// terminal, is the job's parent, writes its records and answers on a socket. The
// holder is the program hob-holder, if that lies beside this one and understands it,
// else this same program in a hidden mode, so a program that uses the
// package begins with
//
//	func main() {
//		if local.IsHolder() {
//			os.Exit(local.RunHolder())
//		}
//		…
//	}
//
// or names another program that does ([WithHolderCommand]), or keeps its jobs in
// itself ([InProcess]), where they end with it.
//
// # What is promised
//
// A job started here keeps running, keeps its whole output up to the cap, its
// terminal and its exit status, if every other process of hob is killed at any
// instant. It does not survive a reboot, the death of its holder (which the
// kernel answers by hanging its terminal up; the job is then lost, never shown as
// an exit), or a system that kills a user's processes at logout.
//
// # Who does what
//
// The [Backend] and its runs are clients: they read the job directory and ask the
// holder. Only the holder signals the job while it lives.
package local
