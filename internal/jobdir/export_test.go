package jobdir

// Unusable is why the root at path cannot be used, after err.
var Unusable = unusable
