package cli

import "context"

// askTerminal asks nobody: reading a console without echo is not supported here.
func askTerminal(context.Context, string, bool) (string, error) { return "", errNobody }
