// Package campaign kills hob at random moments and holds what hob says
// afterwards against what the jobs themselves wrote down.
//
// It has tests alone. A round starts a job in one of the ways that there are,
// kills somebody (the client, a UI, the holder, everybody but the holder) at a
// random moment of the job's start, run, stop or end, and compares. The oracle is
// the job: it writes each line that it printed, and the code that it is about to
// end with, to a side file which hob knows nothing of. All the while somebody
// else lists the jobs, and no end that was once told may change.
//
//	go test ./internal/campaign                          a few rounds
//	go test ./internal/campaign -campaign.rounds 200     more
//	go test ./internal/campaign -campaign.seed 7 -campaign.only 12
//
// Beside the rounds stand single faults: few descriptors, records and holders of
// other versions, a thousand clients of one holder, bad networks to a host.
//
// A failure names its seed and its round; the same two make the same plan,
// though not the same luck.
package campaign
