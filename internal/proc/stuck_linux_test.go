package proc

import (
	"context"
	"encoding/binary"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/internal/testtool"
)

// A process that waits in the kernel, here for a file system that does not answer, does not end after SIGKILL.
// Terminate does not wait as long for it as for one that is about to end.
func TestTerminateNamesStuckProcess(t *testing.T) {
	dir, asked := hungMount(t)
	cmd := exec.Command("stat", filepath.Join(dir, "file"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	<-asked
	me, err := IdentityOf(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), killTimeout*3/4)
	defer cancel()
	res, err := Terminate(ctx, JobRef{Leader: me}, Options{Grace: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	isLeader := func(p Process) bool { return p.PID == me.PID }
	if !res.Escalated || !slices.ContainsFunc(res.Survivors, isLeader) {
		t.Errorf("result %+v", res)
	}
	select {
	case err := <-ended:
		t.Errorf("it has ended: %v", err)
	default:
	}
}

// hungMount mounts a file system whose server answers nothing after the mount, until the end of the test. asked
// receives when a process waits for an answer.
func hungMount(t *testing.T) (dir string, asked <-chan struct{}) {
	t.Helper()
	testtool.NeedMounts(t)
	fd, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skip("needs FUSE: ", err)
	}
	dir = t.TempDir()
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", fd)
	if err := unix.Mount("hung", dir, "fuse.hung", 0, options); err != nil {
		unix.Close(fd)
		t.Fatal(err)
	}
	requests := make(chan struct{}, 1)
	served := make(chan struct{})
	go func() {
		defer close(served)
		serveHung(fd, requests)
	}()
	t.Cleanup(func() { // the waiting process ends with the connection
		if err := unix.Unmount(dir, unix.MNT_FORCE|unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
		<-served
		unix.Close(fd)
	})
	return dir, requests
}

// Requests of FUSE: the first of a connection, and a look at a file's name.
const fuseLookup, fuseInit = 1, 26

// serveHung answers the first request of a FUSE connection, and no other.
func serveHung(fd int, requests chan<- struct{}) {
	buf := make([]byte, 1<<17+4096)
	for {
		n, err := unix.Read(fd, buf)
		switch {
		case err == unix.EINTR || err == unix.EAGAIN:
			continue
		case err != nil || n < 16:
			return
		}
		switch binary.NativeEndian.Uint32(buf[4:]) {
		case fuseInit:
			answer := make([]byte, 16+64)
			binary.NativeEndian.PutUint32(answer, uint32(len(answer)))
			copy(answer[8:16], buf[8:16]) // the request's number
			binary.NativeEndian.PutUint32(answer[16:], 7)
			binary.NativeEndian.PutUint32(answer[20:], 31)
			binary.NativeEndian.PutUint32(answer[16+20:], 4096) // max_write
			if _, err := unix.Write(fd, answer); err != nil {
				return
			}
		case fuseLookup:
			requests <- struct{}{}
		}
	}
}
