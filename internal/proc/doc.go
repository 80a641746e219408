// Package proc knows the processes of this machine: who they are, which of
// them belong to a job, what they use, whether one waits for its input, and
// how to end them without ending anything else.
//
// # Identity
//
// A process is its pid and its start, never its pid alone; [Alive] and
// everything that signals compare both and fail closed. A zombie is not alive.
//
// # Which processes are a job's
//
// [Members] unites what any of these say: the session and the group of the
// leader, descent from the leader or from another member, adoption by the
// job's holder (a subreaper, see [SetSubreaper]), and the variable HOB_JOB_ID
// in the environment. Two things never belong to it: the holder, and another
// holder (a process whose argv[0] is named [HolderName]) with everything under
// it, so nested jobs live on. Who adopts whatever its job leaves behind finds all of
// them below itself, and looks at nobody else on the machine. On Linux a process
// older than the leader cannot be a member either, which is what keeps a recycled
// number harmless.
//
// # Ending a job
//
// [Terminate] is the whole ladder: a polite signal and SIGCONT to every
// member, the grace, then SIGSTOP until no new member appears (a stopped tree
// cannot fork), SIGKILL, and a last look that finds nobody. It waits on pidfds
// where the kernel has them. It reaps nobody: who adopted the strays collects
// them with a [Reaper].
//
//	res, err := proc.Terminate(ctx, ref, proc.Options{Grace: 5 * time.Second})
//	for _, p := range res.Survivors { … }
//
// Linux is complete. macOS has identity, tree, signals and the ladder; it has
// no subreaper, memory and processor time of its processes read 0, nobody is
// seen to wait for input, and ports and working directories are
// [ErrUnsupported]. Elsewhere everything but the names of signals is
// ErrUnsupported, and nothing is ever reported alive.
package proc
