package engine

// condition is what matters most to the user about a job that has not ended.
type condition int

const (
	isRunning condition = iota // or starts
	isUnreachable
	isElsewhere
	isBetweenRuns
	isQueued
	isStopping
	isPaused
	isBlocked // its program reports that it needs the user
	isWaiting // it waits for input
	isUnhealthy
	isFailing // it was started again after a failure
)

// condition returns what the list and hob why describe. A program that reports what it needs is described by its
// report, even while it waits for input.
func (j *Job) condition() condition {
	switch {
	case j.Link == LinkUnreachable:
		return isUnreachable
	case j.Link == LinkElsewhere:
		return isElsewhere
	case j.Status == Queued && j.Runs.Between():
		return isBetweenRuns
	case j.Status == Queued:
		return isQueued
	case j.Status == Stopping:
		return isStopping
	case j.Paused:
		return isPaused
	case j.Program.Says(ProgramBlocked):
		return isBlocked
	case j.Waiting:
		return isWaiting
	case j.Health.Is(Unhealthy):
		return isUnhealthy
	case j.Runs.Failing():
		return isFailing
	}
	return isRunning
}
