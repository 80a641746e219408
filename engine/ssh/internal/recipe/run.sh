# The wrapper: one process per job, in a session of its own, that starts the job,
# waits for it and is the only writer of exit_code. Beside the functions above.
h_role=$1 h_d=$2 h_mode=$3 h_nonce=$4 h_um=$5 h_sh=$6
h_id=${h_d##*/}
h_full="cannot write in $h_d: the disk may be full"
. "$h_d/conf"

# reap waits for $h_p although trapped signals interrupt wait.
reap() {
  h_rc=
  while :; do
    wait "$h_p"
    h_r=$?
    [ "$h_r" = 127 ] && [ -n "$h_rc" ] && break
    h_rc=$h_r
    kill -0 "$h_p" 2>/dev/null || break
    # Some shells also return when the job is paused.
    start_of "$h_p"
    case $h_P in T | t) nap ;; esac
  done
}

# by_signal: SIGNALED is " signal" if the command whose code is in h_rc was ended by one. Of
# SIGINT and SIGPIPE most shells print nothing, and zsh of none.
by_signal() {
  h_signaled=
  if [ "$h_rc" -ge 256 ]; then # ksh93 returns 256 + n, yash 384 + n
    h_rc=$((128 + h_rc % 128)) h_signaled=" signal"
  elif [ "$h_rc" -gt 128 ] && first "$h_d/.said"; then
    h_signaled=" signal"
  fi
}

# find_program NAME: 0, 127 or 126, the status that exec would have.
find_program() {
  case $1 in
  */*)
    [ -e "$1" ] || return 127
    [ -f "$1" ] && [ -x "$1" ] || return 126
    return 0
    ;;
  esac
  h_found=127
  set -f
  IFS=:
  for h_z in $PATH; do
    if [ -f "${h_z:-.}/$1" ]; then
      h_found=126
      [ -x "${h_z:-.}/$1" ] && h_found=0 && break
    fi
  done
  unset IFS
  set +f
  return $h_found
}

# failed CODE REASON: the job could not be started. Its log stays empty, because it never ran.
failed() {
  put "$h_d/failed" "$2"
  exit "$1"
}

# enter_dir: changes to the job's directory.
enter_dir() {
  cd "$h_dir" 2>/dev/null && return 0
  h_z="permission denied"
  if [ ! -d "$h_dir" ]; then
    h_z="no such file or directory"
    [ -e "$h_dir" ] && h_z="not a directory"
  fi
  failed 126 "directory $h_dir: $h_z"
}

# enter: becomes the job itself.
enter() {
  # Values of variables do not stay on disk.
  h_vars=$(cat "$h_d/env.$h_nonce") && rm -f "$h_d/env.$h_nonce" || failed 126 "cannot read the environment"
  eval "$h_vars"
  unset h_vars CDPATH
  enter_dir
  if [ -n "$h_program" ]; then
    find_program "$h_program"
    case $?$h_program in
    127*/*) failed 127 "$h_program: no such file or directory" ;;
    127*) failed 127 "$h_program: command not found" ;;
    126*) failed 126 "$h_program: permission denied" ;;
    esac
  fi
  true >"$h_d/ready" || failed 126 "$h_full" # nothing else can be wrong with the request
  umask "$h_um"
  [ -z "$h_program" ] || . "$h_d/cmd"
  exec "$h_sh" "$h_d/cmd"
}

# trim LOG: frees the middle of a log that reaches over its limit. Units of 1000
# bytes, because not every shell counts over 31 bits.
trim() {
  [ ! -L "$h_d/$1" ] || return 0 # what the job has put in its place is not ours
  size_of "$h_d/$1"
  h_grown=0
  case $h_SIZE in ????*) h_k=${h_SIZE%???} ;; *) return 0 ;; esac
  h_from=1049
  first "$h_d/hole.$1" && h_from=${h_LINE#* } && h_from=${h_from%???}
  if [ $((h_k - h_from + 1049)) -gt "$h_limit" ]; then
    h_to=$((h_k - h_limit + h_limit / 8 + 1049))
    [ "$h_to" -gt "$h_from" ] || return 0
    # Recorded first: a reader that finds zeros must be able to tell that they were freed.
    put "$h_d/hole.$1" "1049000 ${h_to}000"
    fallocate -p -o "${h_from}000" -l "$((h_to - h_from))000" "$h_d/$1" 2>/dev/null || put "$h_d/hole.$1" "1049000 ${h_from}000"
  fi
}

# grown: some log was written to since the last look, or shortly before it: not every shell
# distinguishes times within a second.
grown() {
  h_new=
  for h_log in $h_logs; do
    [ ! -f "$h_d/.seen" ] || [ "$h_d/$h_log" -nt "$h_d/.seen" ] && h_new=1
  done
  h_again=$h_late h_late=$h_new
  [ -n "$h_new$h_again" ] && : >"$h_d/.seen"
}

# keep: the input of the job does not end before a line arrives on stdin.ctl. If wrapper and watchdog
# have died, no process has that open for writing: then the input lasts as long as the job.
keep() {
  exec >/dev/null 2>&1 3<>"$h_d/stdin" 5<"$h_d/stdin.ctl" 4>&-
  [ ! -f "$h_d/stdin.end" ] || exit 0
  read -r h_x <&5 && exit 0
  exec 4<>"$h_d/stdin.ctl"
  (
    exec 3>&-
    h_turn=0
    while lives; do sleep 10 4>&-; done
    echo end >&4
  ) &
  h_p=$!
  [ -f "$h_d/stdin.end" ] || read -r h_x <&4
  kill "$h_p"
  exit 0
}

# on_node: records on which node of a cluster this is.
on_node() {
  [ -n "$h_cluster" ] || return 0
  place_of
  # The answer to the submission may have been lost. An older answer of squeue may lack the job.
  put "$h_d/slurm" "${SLURM_JOB_ID:--} $(date +%s)" && put "$h_d/place" "$h_place" && put "$h_d/node" "${SLURMD_NODENAME:--}"
}

# lives: the job is alive. For a job that was never started it is true for three turns only.
lives() {
  h_turn=$((h_turn + 1))
  leader "$h_d" || { [ "$h_WHY" = nopid ] && [ $h_turn -lt 4 ]; return; }
  [ -n "$h_target" ]
}

# watch: enforces the timeout and the limit of the logs, also while no client is connected. Hundreds
# of it may run, so a turn in which nothing happened costs one short program.
watch() {
  trap 'kill "$h_nap" 2>/dev/null; exit 0' TERM
  trap '' HUP INT QUIT
  exec >/dev/null 2>&1 3>&-
  h_spent=0 h_whole= h_nap= h_late= h_turn=0 h_pace=2
  sleep 0.01 2>/dev/null || h_whole=1 # sleep knows no fractions
  [ "$h_limit" -gt 0 ] || h_pace=10
  while :; do
    h_step=$h_pace
    if [ "$h_timeout" -gt 0 ]; then
      h_rest=$((h_timeout - h_spent))
      if [ "$h_rest" -le 0 ]; then
        end_job "$h_d" "$h_id" "$h_grace" timeout timeout 0 "$h_stopsig"
        exit 0
      fi
      [ "$h_rest" -lt $((h_step * 10)) ] && h_step=$((h_rest / 10)).$((h_rest % 10))
    fi
    # Waited for, so that SIGTERM from the wrapper is seen at once.
    case $h_whole$h_step in 1*.*) h_step=$((${h_step%.*} + 1)) ;; esac
    sleep "$h_step" &
    h_nap=$!
    wait "$h_nap"
    case $h_step in *.*) h_spent=$((h_spent + ${h_step%.*} * 10 + ${h_step#*.})) ;; *) h_spent=$((h_spent + h_step * 10)) ;; esac
    # It ends with the job, or when the directory was deleted.
    [ -d "$h_d/claim" ] && [ ! -f "$h_d/exit_code" ] || exit 0
    h_turn=$((h_turn + 1))
    # A live wrapper ends this. A wrapper that is not reaped only looks alive.
    if [ $((h_turn % 6)) -eq 0 ] || ! kill -0 $$ 2>/dev/null; then
      leader "$h_d" || [ "$h_WHY" = nopid ] || exit 0
      [ -n "$h_target" ] || [ "$h_WHY" = nopid ] || exit 0
    fi
    [ "$h_limit" -gt 0 ] || continue
    if grown; then
      for h_log in $h_logs; do trim "$h_log"; done
      h_pace=2
    elif [ "$h_pace" -lt 10 ]; then
      h_pace=$((h_pace + 2))
    fi
  done
}

case $h_role in
super)
  # Caught, not ignored: what is ignored stays so in the job.
  trap : HUP INT QUIT TERM
  [ -z "$h_cluster" ] || slurm_signals
  # At most once: the process that makes this directory is the only one that runs the job.
  mkdir "$h_d/claim" 2>/dev/null || {
    rm -f "$h_d/env.$h_nonce"
    [ -d "$h_d/claim" ] && echo "$h_nonce EXISTS" || echo "$h_nonce ERR write"
    exit 0
  }
  boot
  start_of $$
  umask 077
  h_out=$h_d/output.log h_err=$h_d/output.log
  [ "$h_split" = 1 ] && h_out=$h_d/stdout.log h_err=$h_d/stderr.log
  # All files that are needed later are made now. "true", because a failed redirection of ":" ends
  # the shell.
  put "$h_d/started" "$(date +%s) $h_UP" && printf '%-3s\n' 255 >"$h_d/.exit" &&
    echo >"$h_d/.ended" && echo >"$h_d/.ended_by" && echo >"$h_d/.said" &&
    true >>"$h_out" && true >>"$h_err" && true >>"$h_d/wrapper.log" &&
    on_node && put "$h_d/wrapper" "$$ ${h_S:--} $h_BOOT $h_mode" && echo "$h_nonce OK $h_mode" || {
    rm -f "$h_d/wrapper"
    rmdir "$h_d/claim"
    echo "$h_nonce ERR write"
    exit 1
  }
  if [ "$h_limit" -gt 0 ]; then
    # Freeing bytes of an empty file shows whether the file system supports that.
    fallocate -p -o 0 -l 4096 "$h_out" 2>/dev/null || { h_limit=0; put "$h_d/nolimit" 1; }
  fi
  exec >/dev/null 2>>"$h_d/wrapper.log" 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
  h_in=/dev/null h_kept=
  if [ -p "$h_d/stdin" ]; then
    h_in=$h_d/stdin
    # Open as long as this process lives: its end notifies the keeper, and the directory may have been
    # deleted by the time a line is to be written.
    exec 4<>"$h_d/stdin.ctl"
    h_kept=1
    keep &
  fi
  h_w=
  if [ "$h_timeout" -gt 0 ] || [ "$h_limit" -gt 0 ]; then
    watch </dev/null &
    h_w=$!
  fi
  # What the shell prints when a signal ends a command is the only evidence that the command did not
  # exit with that code. It overwrites a line that was reserved, which works on a full disk.
  {
    case $h_mode in
    # In the foreground: SIGINT and SIGQUIT keep their defaults, setsid does not fork, and $? is the
    # job's. In a subshell: otherwise the shell's message about a command that a signal ended would be
    # written to the job's stderr.
    setsid)
      (exec setsid "$h_sh" "$h_d/run" job "$h_d" "$h_mode" "$h_nonce" "$h_um" "$h_sh" <"$h_in" >>"$h_out" 2>>"$h_err" 4>&-)
      h_rc=$?
      ;;
    perl)
      (exec perl -e 'use POSIX (); fork and exit 0 if getpgrp()==$$; POSIX::setsid(); exec @ARGV' \
        "$h_sh" "$h_d/run" job "$h_d" "$h_mode" "$h_nonce" "$h_um" "$h_sh" <"$h_in" >>"$h_out" 2>>"$h_err" 4>&-)
      h_rc=$?
      ;;
    monitor)
      set -m # a simple command, not a function: the job itself must lead the group
      "$h_sh" "$h_d/run" job "$h_d" "$h_mode" "$h_nonce" "$h_um" "$h_sh" <"$h_in" >>"$h_out" 2>>"$h_err" 4>&- &
      h_p=$!
      reap
      ;;
    *)
      "$h_sh" "$h_d/run" job "$h_d" "$h_mode" "$h_nonce" "$h_um" "$h_sh" <"$h_in" >>"$h_out" 2>>"$h_err" 4>&- &
      h_p=$!
      reap
      ;;
    esac
  } 2<>"$h_d/.said"
  by_signal
  [ "$h_tty" = 1 ] && carried
  [ -z "$h_cluster" ] || slurm_end
  h_r=
  first "$h_d/ended_by" && h_r=${h_LINE%% *}
  # A watchdog that is ending the job continues with the processes that the job left.
  [ -n "$h_w" ] && [ "$h_r" != timeout ] && kill "$h_w" 2>/dev/null
  boot
  kept "$h_d" ended "$(date +%s) $h_UP$h_signaled"
  if [ ! -f "$h_d/ended_by" ] && leader "$h_d"; then
    # A process in the middle of exec has no environment to identify it.
    [ -z "$h_target" ] && group "$h_pid" && nap && leader "$h_d"
    h_STRAYS=
    strays
    # The end of the terminal ends the processes that did not leave it, which takes a moment.
    [ "$h_tty" = 1 ] && [ -n "$h_target$h_STRAYS" ] && nap && leader "$h_d" && strays
    if [ -n "$h_target$h_STRAYS" ]; then
      remaining >"$h_d/left.$$" && mv -f "$h_d/left.$$" "$h_d/left"
    fi
  fi
  rm -f "$h_d/env.$h_nonce" "$h_d/.ended_by" "$h_d/.said"
  printf '%-3s\n' "$h_rc" 1<>"$h_d/.exit" # in place: it works on a full disk
  mv -f "$h_d/.exit" "$h_d/exit_code"
  [ -n "$h_kept" ] && echo end >&4
  [ -n "$h_cluster" ] || exit 0
  slurm_answered
  # Slurm judges the job by this, for its own dependencies too. One that was ended has no success.
  [ "$h_rc" != 0 ] || [ ! -f "$h_d/ended_by" ] || h_rc=1
  exit "$h_rc"
  ;;
job)
  trap - HUP INT QUIT TERM
  [ "$h_tty" = 1 ] && terminal
  boot
  start_of $$
  umask 077
  put "$h_d/pid" "$$ ${h_S:--} $h_BOOT $h_mode" || failed 126 "$h_full"
  enter
  ;;
tty) on_terminal ;;
esac
