package jobdir

// Kept is how many bytes r keeps, as it counts them.
func (r *Reader) Kept() int { return r.size }

// Unusable is why the root at path cannot be used, after err.
var Unusable = unusable
