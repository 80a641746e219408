package project

import "testing"

const envWithVariables = "A=a\nB=$A/x\nC=\"${A}-${NONE:-d}\"\nD='$A'\nE=\"\\$A\"\nF=pa$$word\nG=${SHELL_VAR}\n"

func TestVariablesInDotenvAsTheirOwnerReadsThem(t *testing.T) {
	expanded := map[string]string{"A": "a", "B": "a/x", "C": "a-d", "D": "$A", "E": "$A", "F": "pa$$word", "G": "sh"}
	literal := map[string]string{"A": "a", "B": "$A/x", "C": "${A}-${NONE:-d}", "D": "$A", "E": "$A", "F": "pa$$word", "G": "${SHELL_VAR}"}
	for _, tt := range []struct {
		name  string
		files []string
		want  map[string]string
		rule  string
	}{
		{"process-compose", []string{"process-compose.yaml", "processes: {web: {command: x}}"}, expanded, "$NAME is replaced, as with process-compose"},
		{"foreman", []string{"Procfile", "web: x"}, literal, "$NAME is not replaced, as with foreman"},
		{"overmind", []string{"Procfile", "web: x", ".overmind.env", "NONE=\n"}, expanded, "$NAME is replaced, as with overmind"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := load(t, write(t, append(tt.files, ".env", envWithVariables)...), "SHELL_VAR", "sh")
			got := process(t, p, "web").Env
			delete(got, "NONE")
			equal(t, "variables", got, tt.want)
			equal(t, "rule", p.EnvRule, tt.rule)
		})
	}
}
