package engine

// Execution is the program's own end of a virtual or attached execution. All its
// methods may be called concurrently and after the end, when they do nothing.
type Execution struct{}

// Create makes an execution that the program performs itself.
func (e *Engine) Create(spec VirtualSpec) (*Execution, error) { return nil, ErrUnsupported }

// Attach makes a job of a process that the caller started and owns.
func (e *Engine) Attach(spec ExternalSpec) (*Execution, error) { return nil, ErrUnsupported }

// ID is the job's id.
func (x *Execution) ID() ID { return "" }

// Append adds output. It never blocks on a reader and never fails; p is not
// kept.
func (x *Execution) Append(p []byte) {}

// Complete ends the execution. The zero Exit means exit code 0. Only the first
// end counts.
func (x *Execution) Complete(exit Exit) error { return ErrUnsupported }

// Fail ends it as failed, with err's words.
func (x *Execution) Fail(err error) error { return ErrUnsupported }

// Abort ends it as killed.
func (x *Execution) Abort() error { return ErrUnsupported }

// Job is how it stands now.
func (x *Execution) Job() Job { return Job{} }
