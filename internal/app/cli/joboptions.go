package cli

import (
	"errors"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hobjobs/hob/engine"
)

// jobFlag is the flag for an option of a job. It implements [pflag.Value].
type jobFlag struct {
	option engine.JobOption
	values []string // as given, each valid; for a flag without a value one that is empty
}

func (f *jobFlag) Set(text string) error {
	if f.option.Value == "" {
		on, err := strconv.ParseBool(text)
		if f.values = nil; on {
			f.values = []string{""}
		}
		return err
	}
	if err := f.option.Set(&engine.Spec{}, text); err != nil {
		return err
	}
	if !f.option.Repeated {
		f.values = nil
	}
	f.values = append(f.values, text)
	return nil
}

func (f *jobFlag) String() string { return "" } // there is no default

func (f *jobFlag) Type() string {
	if f.option.Value == "" {
		return "bool"
	}
	return f.option.Value
}

// repeatedFlag is a flag that each use adds a value to.
type repeatedFlag struct{ *jobFlag }

// GetSlice makes completion offer the flag again.
func (f repeatedFlag) GetSlice() []string { return f.values }

// addJobFlags adds the flags for the options of a job.
func addJobFlags(cmd *cobra.Command) (added []*jobFlag) {
	for _, o := range engine.JobOptions() {
		f := &jobFlag{option: o}
		added = append(added, f)
		value := pflag.Value(f)
		if o.Repeated {
			value = repeatedFlag{f}
		}
		flag := cmd.Flags().VarPF(value, o.Name, o.Short, o.Usage)
		flag.NoOptDefVal = o.Default
		if o.Value == "" {
			flag.NoOptDefVal = "true"
		}
		if len(o.Values) > 0 {
			completeValues(cmd, o.Name, o.Values...)
		}
	}
	return added
}

// askedBy returns what the given flags ask for, and their names.
func askedBy(flags []*jobFlag) (spec engine.Spec, given []string) {
	for _, f := range flags {
		for _, value := range f.values {
			_ = f.option.Set(&spec, value) // was valid when it was given
		}
		if len(f.values) > 0 {
			given = append(given, f.option.Name)
		}
	}
	return spec, given
}

// requestFailure returns why a request cannot be used, in terms of flags; nil for other errors.
func requestFailure(err error) *failure {
	wrong, ok := errors.AsType[*engine.SpecError](err)
	if !ok {
		return nil
	}
	problem, hint := wrong.Text(func(o engine.JobOption) string { return "--" + o.Name })
	return &failure{
		exit: exitUsage,
		code: "usage",
		err:  errors.New(problem),
		hint: hint,
	}
}

// has reports whether a flag for an option of a job was given.
func (f *runFlags) has(option string) bool { return slices.Contains(f.given, option) }
