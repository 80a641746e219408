//go:build linux || darwin

package hostjob

import (
	"path/filepath"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

// measure returns what the jobs ids in base use, of those that have processes.
func measure(base string, ids []string) Measured {
	var refs []proc.JobRef
	var of []string
	for _, id := range ids {
		if !jobdir.ValidID(id) {
			continue
		}
		st, err := jobdir.ReadState(filepath.Join(base, id))
		if err != nil || !holder.SeesProcesses(&st) {
			continue
		}
		ref := proc.JobRef{
			Leader:  st.Leader,
			Session: st.Session,
			Holder:  st.Holder,
			Known:   holder.SurvivorsOf(&st),
		}
		refs, of = append(refs, ref), append(of, id)
	}
	measured := Measured{}
	var scan proc.Scanner
	members, err := scan.MembersOf(refs)
	if err != nil {
		return measured
	}
	now := time.Now()
	for i, procs := range members {
		var meter proc.Meter
		if len(procs) > 0 {
			u := meter.Sample(procs, now)
			measured[of[i]] = Used{
				CPU:   record.InMilliseconds(u.CPU),
				RSS:   u.RSS,
				Ports: proc.PortsOf(procs),
			}
		}
	}
	return measured
}
