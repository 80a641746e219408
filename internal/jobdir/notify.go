package jobdir

import (
	"encoding/json"
	"path/filepath"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/atomicfile"
	"github.com/hobjobs/hob/internal/plainfile"
)

// NotifyFile is written when a command of the user's notifications has failed, which can be after the end of the job.
const NotifyFile = "notify.json"

// MaxNotify limits NotifyFile, in bytes.
const MaxNotify = 64 << 10

// WriteNotifyFailure records how a command failed, instead of an earlier one.
func WriteNotifyFailure(dir string, f record.NotifyFailure) error {
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, NotifyFile), append(text, '\n'))
}

// NotifyFailure returns how a command failed last; nil if none did, or if that cannot be read.
func NotifyFailure(dir string) *record.NotifyFailure {
	text, err := plainfile.Read(filepath.Join(dir, NotifyFile), MaxNotify)
	if err != nil {
		return nil
	}
	return DecodeNotifyFailure(text)
}

// DecodeNotifyFailure reads the content of NotifyFile; nil if it has no failure.
func DecodeNotifyFailure(text []byte) *record.NotifyFailure {
	var f record.NotifyFailure
	if json.Unmarshal(text, &f) != nil || f.Error == "" {
		return nil
	}
	return &f
}
