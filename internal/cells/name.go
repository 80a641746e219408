package cells

import "strings"

// Name cuts a job's name to at most w columns: in the middle, or at the end if
// it was cut there when it was made up. The mark stands for that cut, too.
func Name(s string, w int, mark string) string {
	head, cut := strings.CutSuffix(s, "…")
	if !cut {
		return Middle(s, w, mark)
	}
	return End(head, w-Width(mark), "") + End(mark, w, "")
}
