package project

import (
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/shellword"
)

// HealthCheck returns the probe of a running process as the health check of its job.
func (p *Process) HealthCheck() engine.HealthCheck {
	probe := p.Health
	if !probe.exists() {
		return engine.HealthCheck{}
	}
	check := engine.HealthCheck{
		Every:     record.InMilliseconds(probe.Every),
		Delay:     record.InMilliseconds(probe.Delay),
		Timeout:   record.InMilliseconds(min(probe.Timeout, time.Hour)),
		Failures:  probe.Failures,
		Successes: probe.Successes,
		Code:      probe.Code,
	}
	if probe.Get != nil {
		check.Check = probe.Get.String()
		return check
	}
	check.Check = probe.Script
	if p.Shell != nil {
		check.Check = shellword.Join(append(p.Shell[:len(p.Shell):len(p.Shell)], probe.Script))
	}
	if probe.Dir != p.Dir {
		check.Check = "cd " + shellword.Quote(probe.Dir) + " && " + check.Check
	}
	return check
}
