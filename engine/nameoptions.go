package engine

import "strings"

// isValue reports whether w belongs to the option of verb before it, and is no
// target. Of most options nobody can know: of programs that many jobs are it is
// known, a number or the name of a constant is one, and so is what follows options
// that mean the same everywhere.
func isValue(verb, before, w string) bool {
	if len(before) < 2 || before[0] != '-' || strings.Contains(before, "=") {
		return false
	}
	if looksLikeValue(w) || strings.Contains(valueOptions(verb), " "+before+" ") {
		return true
	}
	switch before {
	case "--port", "--host", "--config", "--mode", "--env-file", "--name", "--user", "--output", "--timeout", "--log-level":
		return true
	}
	return false
}

// looksLikeValue recognises numbers, times and sizes (5, 1.5, 30s, 512m), ports
// (8080:80), settings (PORT=80), and names of constants (NONE, DEBUG).
func looksLikeValue(w string) bool {
	if isAssignment(w) {
		return true
	}
	digits := strings.Trim(w, "0123456789.:")
	if digits == "" {
		return strings.Trim(w, ".:") != ""
	}
	if w[0] >= '0' && w[0] <= '9' && strings.TrimLeft(w, "0123456789.") == digits {
		switch digits {
		case "ns", "us", "ms", "s", "m", "h", "d", "b", "k", "K", "M", "g", "G", "T", "KB", "MB", "GB", "Ki", "Mi", "Gi":
			return true
		}
	}
	switch w { // files have such names, too: README, LICENSE
	case "NONE", "ALL", "OFF", "ON", "AUTO", "TRACE", "DEBUG", "INFO", "WARN", "WARNING", "ERROR", "FATAL", "CRITICAL":
		return true
	}
	return false
}

// valueOptions are, for programs that many jobs are, their options that take the
// next word, where that is no target of theirs.
func valueOptions(verb string) string {
	switch verb {
	case "vim", "vi", "nvim", "gvim", "view", "vimdiff":
		return " -u -U -c -S -i -s -t -T -w -W --cmd --listen --server "
	case "emacs":
		return " -l -f --eval --load --funcall "
	case "go":
		return " -run -skip -bench -benchtime -count -cpu -cpuprofile -coverprofile -covermode -coverpkg -exec -fuzz -fuzztime -gcflags" +
			" -ldflags -tags -timeout -mod -o -p -parallel -C -memprofile -outputdir "
	case "git":
		return " -C -c -m -b -n --git-dir --work-tree --depth --branch --message "
	case "docker", "podman", "nerdctl":
		return " -p -v -e -w -u -l -m -h -f -t -H --name --network --volume --publish --env --workdir --entrypoint --file --tag --memory --cpus" +
			" --platform --restart --mount --hostname --label --context --profile --project-name --build-arg --target --gpus --shm-size --net "
	case "kubectl", "oc", "helm", "k9s":
		return " -n -c -l -o --namespace --context --container --selector --kubeconfig --set --values --version "
	case "ssh", "autossh", "mosh":
		return " -p -i -l -o -F -J -L -R -D -W -b -c -E -M -S -O -w "
	case "scp", "sftp":
		return " -P -i -o -F -J -l -c -S "
	case "rsync":
		return " -e -f --rsh --exclude --include --filter --bwlimit --files-from --exclude-from --rsync-path --log-file --partial-dir "
	case "curl":
		return " -o -H -d -X -u -A -b -c -e -m -F -K -T -x -w --data --header --request --max-time --retry --cacert --data-raw --data-binary "
	case "wget":
		return " -O -o -P -U -t -T --header --tries "
	case "make", "gmake", "ninja", "just", "task":
		return " -C -f -j -l -I -o --directory --file --jobs -d -t --taskfile --justfile "
	case "cargo":
		return " -p -F -j --package --features --bin --example --test --bench --target --manifest-path --profile --target-dir "
	case "npm", "pnpm", "yarn", "bun":
		return " -w -C -F --workspace --prefix --filter --dir --cwd --registry "
	case "node", "deno", "ts-node", "tsx", "nodemon":
		return " -r -C -w -e -x --require --import --loader --watch --exec --ext "
	case "python", "python3", "pypy3":
		return " -W -X -Q --check-hash-based-pycs "
	case "pytest", "tox", "nox":
		return " -k -m -n -c -o -p -e -s --maxfail --cov --rootdir --numprocesses --durations "
	case "uvicorn", "gunicorn", "hypercorn", "celery", "flask":
		return " -w -b -k -c -A -Q -P --workers --bind --app --concurrency --loglevel --worker-class "
	case "java":
		return " -cp -classpath -p --class-path --module-path --add-modules "
	case "mvn", "gradle", "gradlew", "mvnw":
		return " -pl -f -P -p -b -x -T -I --project-dir "
	case "cc", "gcc", "g++", "clang", "clang++":
		return " -o -I -L -D -x -include -isystem -MF -MT "
	case "psql", "pg_dump", "pg_restore", "mysql", "mysqldump", "redis-cli", "createdb":
		return " -h -U -p -d -f -c -u -P -F -n -a -v "
	case "ansible", "ansible-playbook":
		return " -i -e -l -u -t -f -m -a --inventory --extra-vars --limit --tags "
	case "tail", "head":
		return " -n -c -s --lines --bytes --pid "
	case "grep", "egrep", "rg", "ag":
		return " -A -B -C -m -g -t -T -j --include --exclude --exclude-dir --type --glob "
	case "read":
		return " -p -t -n -N -d -u -a -i "
	case "watch":
		return " -n --interval "
	case "tmux", "screen":
		return " -L -S -f -c -t -s -n -x -y -r "
	case "strace", "ltrace", "gdb", "perf":
		return " -e -o -p -s -ex -x -F -g "
	case "ffmpeg", "ffplay":
		return " -c -c:v -c:a -codec -b:v -b:a -vf -af -r -s -ss -t -to -f -preset -crf -map -loglevel -filter_complex -pix_fmt -threads "
	case "tcpdump":
		return " -i -w -c -s -r "
	case "ping":
		return " -c -i -W -w -s -I "
	}
	return ""
}
