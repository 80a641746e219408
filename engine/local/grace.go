package local

import "time"

// defaultGrace is how long a job may take to end before SIGKILL unless it was
// given another time.
const defaultGrace = 5 * time.Second
