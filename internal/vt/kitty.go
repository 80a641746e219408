package vt

// KittyFlags are the progressive enhancements of the kitty keyboard protocol.
type KittyFlags uint8

// The flags of the kitty keyboard protocol.
const (
	KittyDisambiguate KittyFlags = 1 << iota
	KittyEventTypes
	KittyAlternateKeys
	KittyAllKeys
	KittyText

	kittyAll = KittyDisambiguate | KittyEventTypes | KittyAlternateKeys | KittyAllKeys | KittyText
)

// kittyStack is the stack of flags of one screen; the oldest fall out.
type kittyStack struct {
	flags [8]KittyFlags
	n     uint8 // pushed
	now   KittyFlags
}

func (k *kittyStack) top() KittyFlags { return k.now }

func (k *kittyStack) push(f KittyFlags) {
	if int(k.n) == len(k.flags) {
		copy(k.flags[:], k.flags[1:])
		k.n--
	}
	k.flags[k.n] = k.now
	k.n++
	k.now = f
}

func (k *kittyStack) pop(n int) {
	for ; n > 0; n-- {
		if k.n == 0 {
			k.now = 0
			return
		}
		k.n--
		k.now = k.flags[k.n]
	}
}

// kittyKeyboard is CSI prefix u.
func (t *Terminal) kittyKeyboard(prefix byte) {
	k := &t.scr.kitty
	flags := KittyFlags(t.param(0, 0)) & kittyAll
	switch prefix {
	case '?':
		now := k.now
		t.whenKnown(func() {
			if t.facts.KittyKeyboard {
				t.answer("\x1b[?%du", now)
			}
		})
	case '>':
		k.push(flags)
	case '<':
		k.pop(t.param(0, 1))
	case '=':
		switch t.param(1, 1) {
		case 1:
			k.now = flags
		case 2:
			k.now |= flags
		case 3:
			k.now &^= flags
		}
	}
}
