package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/hobjobs/hob/internal/freeport"
)

// RestartOptions tunes [Handle.Restart].
type RestartOptions struct {
	// Keep leaves a job that has not ended running beside the new one. If the job was given a port
	// that is in use, the new one gets a free port.
	Keep bool
	// Stop is how a job that has not ended is stopped.
	Stop StopOptions
	// Edited is started instead of the job's request, with the values of its Env; variables that have only a
	// digest there are taken from the file, see [WithRenewal]. nil: the request.
	Edited *Spec
	// Env adds to the environment, with the values that are not stored. Labels adds to the labels, for
	// example to mark the new job as that of a different client.
	Env    map[string]string
	Labels map[string]string
}

// Renewal is what a restart starts in the place of a job's stored request, see [WithRenewal].
type Renewal struct {
	Spec    Spec // with the values of its Env
	Options []StartOption
}

// Restart starts the job's request again as a new job, with the current environment. A job that has
// not ended is stopped first, and the new one starts once the end is recorded. If several programs
// restart a job at the same time, one new job is started, and all of them return it.
//
// The errors are *[MissingEnvError], ErrInvalid if the directory does not exist any more,
// ErrUnsupported for virtual executions, and those of [Handle.Stop]; the job was not touched
// then. If it was asked to stop and could not be started again, because it does not end, the
// start failed, or ctx is done, the error is *[RestartError].
//
// A process of a project runs once. If h is an earlier run of a process that runs again, Restart restarts the current
// run. If another program starts the process at the same time, Restart returns that job. With Keep, neither applies.
//
// The end of a job that was restarted counts as seen.
func (h *Handle) Restart(ctx context.Context, o RestartOptions, opts ...StartOption) (Job, error) {
	j, err := h.restart(ctx, o, opts...)
	if err == nil {
		if err := h.e.MarkSeen(h.id); err != nil {
			h.e.log.Debug("cannot mark a restarted job", "job", h.id, "err", err)
		}
	}
	return j, err
}

func (h *Handle) restart(ctx context.Context, o RestartOptions, opts ...StartOption) (Job, error) {
	old, err := h.e.read(ctx, h.id)
	if err != nil {
		return Job{}, err
	}
	if old.Status.Finished() && !o.Keep {
		current, runs, err := processOf(old.Labels).running(ctx, h.e)
		if err != nil {
			return Job{}, err
		}
		if runs && current.Status != Stopping {
			return h.e.Handle(current.ID).Restart(ctx, o, opts...)
		}
	}
	spec, renewed, err := h.restartSpec(old, o, opts)
	if err != nil {
		return Job{}, err
	}
	opts = append(opts, renewed...)
	spec.Single = !o.Keep && processOf(spec.Labels) != nil
	if o.Keep && spec.Port != 0 {
		taken := spec.Host == "" && !freeport.IsFree(ctx, spec.Port)
		if taken || !old.Status.Finished() {
			spec.Port = AutoPort
		}
	}
	if o.Keep || old.Status.Finished() {
		return h.e.Start(ctx, spec, opts...)
	}
	if err := h.e.mayStart(spec); err != nil {
		return Job{}, err
	}
	opts = append([]StartOption{withToken(restartToken(old))}, opts...)
	if _, err := h.Stop(ctx, o.Stop); err != nil && !errors.Is(err, ErrNotRunning) {
		return Job{}, h.notRestarted(ctx, err)
	}
	// Stop also returns if the kernel does not end a process, for example one that waits for a disk.
	if old, err = h.e.read(ctx, h.id); err == nil && !old.Status.Finished() {
		err = errors.New("the system does not end its processes")
	}
	var j Job
	if err == nil {
		j, err = h.e.Start(ctx, spec, opts...)
	}
	if err != nil {
		return Job{}, h.notRestarted(ctx, err)
	}
	return j, nil
}

// restartSpec returns what a restart of a job starts, with further options of the start.
func (h *Handle) restartSpec(old Job, o RestartOptions, opts []StartOption) (spec Spec, renewed []StartOption, err error) {
	if spec, err = h.request(); err != nil {
		return Spec{}, nil, err
	}
	var renewal *Renewal
	if o.Edited == nil || o.Edited.lacksValues() {
		if renewal, err = h.renewal(old); err != nil {
			return Spec{}, nil, err
		}
	}
	hasValues := o.Edited != nil || renewal != nil
	switch {
	case o.Edited != nil && renewal != nil:
		spec, renewed = *o.Edited, renewal.Options
		spec.Env, spec.EnvDigests = merged(renewal.Spec.Env, spec.Env), renewal.Spec.EnvDigests
	case o.Edited != nil:
		spec = *o.Edited
	case renewal != nil:
		spec, renewed = renewal.Spec, renewal.Options
	}
	spec.RestartedFrom, spec.After, spec.AfterAny = h.id, h.e.undeleted(spec.After), h.e.undeleted(spec.AfterAny)
	spec.Env = merged(spec.Env, o.Env)
	spec.Labels = merged(spec.Labels, o.Labels)
	if hasValues {
		return spec, renewed, nil
	}
	return spec, nil, fillEnv(&spec, o.Env, opts)
}

// lacksValues reports whether variables whose values are in a file are missing.
func (s *Spec) lacksValues() bool {
	for name := range s.EnvDigests {
		if _, ok := s.Env[name]; !ok {
			return true
		}
	}
	return false
}

// renewal returns what the file that describes a job has for it now; nil if no file describes the job.
func (h *Handle) renewal(old Job) (*Renewal, error) {
	if h.e.cfg.renew == nil || old.Host != "" {
		return nil, nil
	}
	renewal, err := h.e.cfg.renew(old)
	if err != nil {
		return nil, opError("restart", old, err)
	}
	return renewal, nil
}

// RestartError reports a job that [Handle.Restart] stopped, or is stopping, and did not
// start again.
type RestartError struct {
	Job Job // as it is now
	Err error
}

// Error returns what became of the job, and why it was not started again.
func (e *RestartError) Error() string {
	state := "may have been asked to stop"
	switch {
	case e.Job.Status.Finished():
		state = "is stopped"
	case e.Job.Status == Stopping:
		state = "is being stopped"
	}
	return fmt.Sprintf("%s %s and was not started again: %v", e.Job.ID, state, e.Err)
}

// Unwrap returns why it was not started again.
func (e *RestartError) Unwrap() error { return e.Err }

// MissingEnvError names the variables that were given to a job with values, which are not
// stored: a restart needs them again, by [RestartOptions].Env or in the environment.
type MissingEnvError struct{ Names []string }

// Error returns the names of the variables.
func (e *MissingEnvError) Error() string {
	return "missing values of -e variables: " + strings.Join(e.Names, ", ")
}

// Unwrap returns ErrInvalid.
func (e *MissingEnvError) Unwrap() error { return ErrInvalid }

// notRestarted returns err, as a RestartError if the job has been asked to stop, or may
// have been when ctx ended.
func (h *Handle) notRestarted(ctx context.Context, err error) error {
	given := ctx.Err() != nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), activeTimeout)
	defer cancel()
	now, readErr := h.e.read(ctx, h.id)
	if readErr != nil {
		return err
	}
	if asked := now.Status == Stopping || now.Status.Finished(); given || asked {
		return &RestartError{Job: now, Err: err}
	}
	return err
}

// restartToken returns the token of the one job that takes the place of a running one.
func restartToken(old Job) string {
	sum := sha256.Sum256([]byte("restart " + old.Token))
	return hex.EncodeToString(sum[:16])
}

// mayStart reports what would keep spec from starting, before a job is stopped for it.
func (e *Engine) mayStart(spec Spec) error {
	if e.isClosed() {
		return &Error{Op: "restart", Err: ErrClosed}
	}
	spec, _, err := e.complete(spec)
	if err != nil {
		return err
	}
	if spec.Host != "" {
		return nil
	}
	if fi, err := os.Stat(spec.Dir); err != nil || !fi.IsDir() {
		return &Error{
			Op:   "restart",
			Job:  spec.RestartedFrom,
			Err:  fmt.Errorf("%w: its directory %s does not exist", ErrInvalid, spec.Dir),
			Hint: "create the directory, or start the command in another one",
		}
	}
	return nil
}

// fillEnv gives the variables of spec that are not among given their values in the environment that the
// job inherits.
func fillEnv(spec *Spec, given map[string]string, opts []StartOption) error {
	var o startOptions
	for _, opt := range opts {
		opt(&o)
	}
	base := o.env
	if base == nil {
		base = os.Environ()
	}
	var missing []string
	for name := range spec.Env {
		if _, ok := given[name]; ok {
			continue
		}
		value, ok := lookupEnv(base, name)
		if !ok {
			missing = append(missing, name)
		}
		spec.Env[name] = value
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	return &Error{
		Op:   "restart",
		Job:  spec.RestartedFrom,
		Err:  &MissingEnvError{missing},
		Hint: "pass them with -e NAME=VALUE, or set them in the environment",
	}
}

func lookupEnv(env []string, name string) (string, bool) {
	for _, kv := range slices.Backward(env) {
		if n, v, ok := strings.Cut(kv, "="); ok && n == name {
			return v, true
		}
	}
	return "", false
}

// request returns a job's request, so that it can be started again. The values of Env are empty:
// they are not stored. After and AfterAny are without jobs that have been deleted.
func (h *Handle) request() (Spec, error) {
	rec, err := h.e.record(h.id)
	if err != nil {
		return Spec{}, err
	}
	if err := checkReadable("restart", rec); err != nil {
		return Spec{}, err
	}
	m := &rec.Meta
	switch {
	case rec.Problem != "":
		return Spec{}, &Error{
			Op:   "restart",
			Job:  h.id,
			Err:  fmt.Errorf("%w: its request is lost: %s", ErrUnsupported, rec.Problem),
			Hint: "start the command again; the log of this job is kept",
		}
	case m.Kind == KindVirtual:
		return Spec{}, &Error{
			Op:   "restart",
			Job:  h.id,
			Err:  fmt.Errorf("%w: only the program that performed it can restart it", ErrUnsupported),
			Hint: "restart it in that program",
		}
	}
	s := (Job{Request: m.Request}).Spec()
	s.RestartedFrom, s.After, s.AfterAny = h.id, h.e.undeleted(s.After), h.e.undeleted(s.AfterAny)
	return s, nil
}
