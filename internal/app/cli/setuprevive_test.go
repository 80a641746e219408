package cli

import "testing"

// The service manager and cron do not have the variables with which the user's shell selects directories.
func TestReviveAtBootUsesTheSameDirectories(t *testing.T) {
	for _, name := range placeVariables() {
		t.Setenv(name, "")
	}
	if got, want := reviveCronLine("/opt/hob"), "@reboot /opt/hob revive --marked\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	t.Setenv("HOB_STATE_DIR", "/srv/my jobs/100%")
	got, want := reviveCronLine("/opt/my hob"), `@reboot HOB_STATE_DIR='/srv/my jobs/100\%' '/opt/my hob' revive --marked`+"\n"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
