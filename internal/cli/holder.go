package cli

import (
	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine/local"
)

// holderCommand is how another program's engine starts holders of this one (see
// local.WithHolderCommand). Nobody types it.
func (a *app) holderCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "holder",
		Short:  "Holds one job; started by hob itself",
		Hidden: true,
		Args:   words(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			if code := local.RunHolder(); code != 0 {
				return exitStatus(code)
			}
			return nil
		},
	}
}
