//go:build unix

package jobdir

import (
	"errors"
	"strings"
	"testing"
)

func TestOwners(t *testing.T) {
	if err := ownedBy("/x", 1000, 1000); err != nil {
		t.Errorf("our own: %v", err)
	}
	for self, hint := range map[int]string{0: "sudo -H", 1234: "HOB_STATE_DIR"} {
		err := ownedBy("/x", 54321, self)
		re := (*RootError)(nil)
		if !errors.As(err, &re) || !strings.Contains(re.Hint, hint) || !strings.Contains(err.Error(), "user 54321") || !strings.Contains(err.Error(), userName(self)) {
			t.Errorf("as %d: %v", self, err)
		}
	}
}
