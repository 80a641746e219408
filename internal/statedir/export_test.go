package statedir

// Unusable returns the RootError for the root at path after err.
var Unusable = unusable
