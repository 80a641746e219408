package grouplog_test

import (
	"context"
	"fmt"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/grouplog"
)

// The last lines of all processes of a project, then those that they write.
func ExampleOpen() {
	follow := func(ctx context.Context, eng *engine.Engine) error {
		stream, err := grouplog.Open(ctx, eng, grouplog.Options{
			Filter: engine.Filter{Labels: map[string]string{"group": "shop"}},
			Last:   100,
			Follow: true,
		})
		if err != nil {
			return err
		}
		defer stream.Close()
		for {
			entries, err := stream.Next(ctx)
			if err != nil {
				return err
			}
			for _, e := range entries {
				switch {
				case e.Err != nil:
					fmt.Println(e.Job.Name, e.Err)
				case e.Ended:
					fmt.Println(e.Job.Name, e.Job.Ending())
				default:
					fmt.Println(e.At.Format("15:04:05"), e.Job.Name, e.Line.Text)
				}
			}
		}
	}
	_ = follow
}
