package proc

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
)

// ListeningPorts returns the TCP ports that procs listen on, each address once, sorted by port.
// It ignores processes whose descriptors may not be read.
func ListeningPorts(procs []Process) ([]Port, error) {
	// Each network namespace has its own table of sockets.
	type space struct {
		pids   []int // processes in this namespace; some may end meanwhile
		owners map[uint64]int
	}
	spaces := map[string]*space{}
	for _, p := range procs {
		if !p.hasFiles() {
			continue
		}
		dir := "/proc/" + strconv.Itoa(p.PID)
		inodes := sockets(dir + "/fd")
		if len(inodes) == 0 {
			continue
		}
		name, _ := os.Readlink(dir + "/ns/net")
		if spaces[name] == nil {
			spaces[name] = &space{owners: map[uint64]int{}}
		}
		spaces[name].pids = append(spaces[name].pids, p.PID)
		for _, inode := range inodes {
			if _, known := spaces[name].owners[inode]; !known {
				spaces[name].owners[inode] = p.PID
			}
		}
	}
	var out []Port
	for _, s := range spaces {
		for _, table := range []string{"tcp", "tcp6"} {
			for line := range strings.Lines(socketTable(s.pids, table)) {
				addr, inode, ok := parseListener(line)
				if pid, mine := s.owners[inode]; ok && mine {
					out = append(out, Port{Addr: addr, PID: pid})
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b Port) int {
		return cmp.Or(cmp.Compare(a.Addr.Port(), b.Addr.Port()), a.Addr.Compare(b.Addr), cmp.Compare(a.PID, b.PID))
	})
	return slices.CompactFunc(out, func(a, b Port) bool { return a.Addr == b.Addr }), nil
}

// JobListening returns the ID of the job whose process listens on a port, according to that process's
// environment; "" if there is no such process, or if its environment cannot be read.
func JobListening(port int) string {
	var s Scanner
	procs, err := s.Scan()
	if err != nil {
		return ""
	}
	ports, _ := ListeningPorts(procs) // what could be read
	for _, p := range ports {
		if int(p.Addr.Port()) != port {
			continue
		}
		env, _ := s.reader.read(p.PID, "environ") // empty if it may not be read
		for kv := range bytes.SplitSeq(env, []byte{0}) {
			if id, ok := strings.CutPrefix(string(kv), JobVariable+"="); ok {
				return id
			}
		}
	}
	return ""
}

// socketTable reads a table of the network namespace that the processes are in. It is empty if all of them
// have ended, or if the kernel has no such table, as without IPv6.
func socketTable(pids []int, table string) string {
	for _, pid := range pids {
		data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/net/" + table)
		if err == nil {
			return string(data)
		}
	}
	return ""
}

// sockets returns the inodes of the sockets among the descriptors in dir.
func sockets(dir string) []uint64 {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	var out []uint64
	for _, name := range names {
		link, err := os.Readlink(dir + "/" + name)
		if err != nil {
			continue
		}
		if text, ok := strings.CutPrefix(link, "socket:["); ok {
			if inode, err := strconv.ParseUint(strings.TrimSuffix(text, "]"), 10, 64); err == nil {
				out = append(out, inode)
			}
		}
	}
	return out
}

// parseListener parses a line of /proc/net/tcp or tcp6. ok is false if it is not a listening
// socket.
func parseListener(line string) (addr netip.AddrPort, inode uint64, ok bool) {
	const listening = "0A"
	words := strings.Fields(line)
	if len(words) < 10 || words[3] != listening {
		return netip.AddrPort{}, 0, false
	}
	host, port, _ := strings.Cut(words[1], ":")
	n, err := strconv.ParseUint(port, 16, 16)
	if err != nil {
		return netip.AddrPort{}, 0, false
	}
	// The address is printed as 32-bit words in native byte order.
	raw, err := hex.DecodeString(host)
	if err != nil || len(raw)%4 != 0 {
		return netip.AddrPort{}, 0, false
	}
	for i := 0; i < len(raw); i += 4 {
		binary.NativeEndian.PutUint32(raw[i:], binary.BigEndian.Uint32(raw[i:]))
	}
	ip, ok := netip.AddrFromSlice(raw)
	if !ok {
		return netip.AddrPort{}, 0, false
	}
	inode, err = strconv.ParseUint(words[9], 10, 64)
	return netip.AddrPortFrom(ip.Unmap(), uint16(n)), inode, err == nil
}
