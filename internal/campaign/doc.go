// Package campaign kills hob at random moments and then compares what hob reports with what the
// jobs themselves recorded.
//
// It contains only tests. A round starts a job in one of the possible ways, kills a process (the
// client, a UI, the holder, everything but the holder) at a random moment of the job's start, run,
// stop or end, and compares. The oracle is the job: it writes each line that it printed, and the
// code that it is about to exit with, to a side file that hob does not use. Meanwhile another
// client lists the jobs, and an end, once reported, must not change.
//
//	go test ./internal/campaign                          a few rounds
//	go test ./internal/campaign -campaign.rounds 200     more
//	go test ./internal/campaign -campaign.seed 7 -campaign.only 12
//
// Jobs of queues have rounds of their own, in which many of them wait together:
//
//	go test ./internal/campaign -run Queues -campaign.kills 200
//
// Besides the rounds there are single faults: few descriptors, records and holders of other
// versions, a thousand clients of one holder, bad networks to a host, clocks that differ or are set,
// many jobs that wait or have finished, much output, resized terminals, two versions in one state
// directory.
//
// A failure names its seed and its round; the same two make the same plan, though not the same
// timing.
package campaign
