//go:build linux || darwin

package localclient

import (
	"errors"
	"testing"
)

// A program that does not call IsHolder would run its main function again in place of a holder.
func TestProgramWithoutIsHolderStartsNoHolder(t *testing.T) {
	checked := holderChecked.Swap(false)
	defer holderChecked.Store(checked)
	if _, err := startSelfAsHolder("job-22222"); !errors.Is(err, errNotChecked) {
		t.Errorf("got %v", err)
	}
	if Misstarted() || IsHolder() || !holderChecked.Load() {
		t.Error("IsHolder is not noted")
	}
}
