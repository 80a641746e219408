package ahead

import "os"

// asks: holders are asked on Linux alone.
const asks = false

func ask(child, *Request) answer { return answer{verdict: no} }

func onScreen(*os.File) bool { return true }
