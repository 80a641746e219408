# A job with a terminal: script(1) makes the terminal and copies bytes between it and the job's files.
# The leader of the terminal's session is a shell of the wrapper, whose pid is in the file pid and
# whose group is the job. Only that shell knows the job's exit code, which script reports in a
# different way on each system.

# terminal: becomes script, whose child runs the wrapper in the role tty.
terminal() {
  umask 077
  boot
  start_of $$
  put "$h_d/carrier" "$$ ${h_S:--} $h_BOOT"
  umask "$h_um"
  # By the environment: no quoting survives every script. script starts SHELL, which may not be a
  # POSIX shell.
  h_ps=$h_sh h_pd=$h_d h_pn=$h_nonce h_pu=$h_um h_pshell=${SHELL-}
  SHELL=$(command -v sh)
  export h_ps h_pd h_pn h_pu h_pshell SHELL
  h_run='exec "$h_ps" "$h_pd/run" tty "$h_pd" tty "$h_pn" "$h_pu" "$h_ps"'
  case $(uname -s) in
  FreeBSD | DragonFly | Darwin) exec script -q /dev/null "$h_sh" "$h_d/run" tty "$h_d" tty "$h_nonce" "$h_um" "$h_sh" ;;
  OpenBSD) exec script -c "$h_run" /dev/null ;;
  *) exec script -qfc "$h_run" /dev/null ;; # util-linux, busybox, NetBSD
  esac
}

# on_terminal: the role tty. It leads the session and waits for the job.
on_terminal() {
  SHELL=$h_pshell
  [ -n "$SHELL" ] || unset SHELL
  unset h_ps h_pd h_pn h_pu h_pshell
  # Caught, so that the job has the defaults: what hits the group is for the job.
  h_int=
  trap : HUP QUIT TERM USR1 USR2
  trap 'h_int=1' INT
  # Where input is no terminal some turn the echo off.
  stty sane 2>/dev/null
  [ "$h_cols" -gt 0 ] && stty rows "$h_rows" cols "$h_cols" 2>/dev/null
  boot
  start_of $$
  umask 077
  tty >"$h_d/tty"
  put "$h_d/pid" "$$ ${h_S:--} $h_BOOT tty" || failed 126 "$h_full"
  # What the shell prints of a job that a signal ended is none of its output.
  h_z=$h_d/.said
  [ -f "$h_z" ] || h_z=/dev/null
  exec 5>&2 2<>"$h_z"
  (
    exec 2>&5 5>&-
    trap - HUP INT QUIT TERM USR1 USR2
    enter
  )
  h_rc=$?
  by_signal
  # Ctrl+C reaches this shell too.
  [ "$h_rc" != 130 ] || [ -z "$h_int" ] || h_signaled=" signal"
  put "$h_d/tty.code" "$h_rc$h_signaled"
  exit "$h_rc"
}

# carried: what became of a job whose script has ended; its code in h_rc.
carried() {
  # If script was killed the job has lost its terminal but may live on.
  if [ ! -f "$h_d/tty.code" ] && leader "$h_d" && [ -n "$h_S" ]; then
    kill -HUP "$h_target" 2>/dev/null
    carry "$h_d"
    while [ ! -f "$h_d/tty.code" ] && leader "$h_d" && [ -n "$h_S" ] && [ "$h_P" != Z ]; do nap; done
  fi
  if first "$h_d/tty.code"; then
    h_rc=${h_LINE%% *} h_signaled=${h_LINE#"$h_rc"}
  elif [ -f "$h_d/pid" ]; then
    h_rc=137 h_signaled=" signal" # the shell that waits for it catches all but SIGKILL
  else
    h_rc=126 h_signaled=
    [ -f "$h_d/failed" ] || put "$h_d/failed" "script(1) gives it no terminal there"
  fi
}
