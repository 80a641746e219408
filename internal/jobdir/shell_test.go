package jobdir_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hobjobs/hob/internal/jobdir"
)

// The directory of a job whose wrapper has written its end, and no client has recorded that.
func TestEndFromTheWrappersFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "job-22222")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		jobdir.MetaFile:     `{"version":1,"backend":"ssh"}`,
		"started":           "1700000000 50.5\n",
		"ended":             "1700000060 110.5\n",
		jobdir.ExitCodeFile: "7  \n",
		"ooms":              "2\n",
		"hole.stdout.log":   "1049000 1614000\n",
		"hole.stderr.log":   "1049000 1049100\n",
		"hole.output.log":   "1049000 1049000\n", // empty: freeing failed
		"hole.other.log":    "1 2\n",
		"hole.stdout.log.7": "1 2\n",
	} {
		write(t, filepath.Join(dir, name), text)
	}
	r, err := jobdir.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if code := r.State.Exit.Code; code == nil || *code != 7 || r.State.Exit.OOMKills != 2 || r.State.Exit.At.Unix() != 1700000060 || r.State.StartedAt.Unix() != 1700000000 {
		t.Errorf("state %+v", r.State)
	}
	if want := int64(565000 + 100); r.State.Dropped != want {
		t.Errorf("Dropped = %d, want %d", r.State.Dropped, want)
	}
}
