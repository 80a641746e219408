package vt

// dcs acts on a device control string.
func (t *Terminal) dcs(s []byte) {
}

func (t *Terminal) csiHash(final byte) {
}

func (t *Terminal) rectangle(final byte) {
}

func (t *Terminal) reportChecksum() {
}
