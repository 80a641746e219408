package cli

import (
	"context"
	"slices"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/notes"
	"github.com/hobjobs/hob/internal/units"
)

// rebooted returns the jobs of this machine that a reboot ended and that were not started again; none if that cannot be
// found out. It is cheap as long as none of jobs was ended by a reboot.
func rebooted(ctx context.Context, a *app, jobs []engine.Job) (ended []engine.Job) {
	if !slices.ContainsFunc(jobs, unseenReboot) {
		return nil
	}
	revivals, err := a.eng.Revive(ctx, engine.ReviveOptions{DryRun: true})
	if err != nil {
		a.logger().Debug("cannot find the jobs that a reboot ended", "err", err)
	}
	for _, r := range revivals {
		ended = append(ended, r.Lost)
	}
	return ended
}

// unseenReboot reports whether a reboot has ended a job, and the user has not seen that.
func unseenReboot(j engine.Job) bool { return j.FailedUnseen() && j.Exit.Reason == engine.ReasonReboot }

// reportReboot prints, below a list, how to restart the jobs that a reboot ended.
func reportReboot(ctx context.Context, a *app, jobs []engine.Job) {
	switch n := len(rebooted(ctx, a, jobs)); n {
	case 0:
	case 1:
		a.reportf("1 job ended with the reboot. To start it again: hob revive")
	default:
		a.reportf("%s ended with the reboot. To start them again: hob revive", units.Count(n, "job"))
	}
}

// rebootTold is the note about a lost job that the UI has reported it to the user.
const rebootTold = "reboot-told"

// newlyRebooted returns how many jobs a reboot has ended since the UI last reported that to the user.
func newlyRebooted(ctx context.Context, a *app) (n int) {
	jobs, err := a.eng.List(ctx, engine.Filter{Here: true, Unverified: true})
	if err != nil {
		return 0
	}
	book := notes.Of(a.eng.StateDir())
	for _, j := range rebooted(ctx, a, jobs) {
		if book.Number(string(j.ID), rebootTold) > 0 {
			continue
		}
		n++
		if err := book.SetNumber(string(j.ID), rebootTold, 1); err != nil {
			a.logger().Debug("cannot note that the user was told of a reboot", "job", j.ID, "err", err)
		}
	}
	return n
}
