# What is Slurm's own: the commands and files with which the wrapper and the requests of a client use
# it. A job's comment there is hob-TOKEN: a number alone may have been given to another job since.

h_silent="the cluster's controller does not answer"

# bounded COMMAND...: a program of Slurm. It would wait long for a controller that hangs, so it is ended
# after PATIENCE seconds: it then fails, with silent as the last line of its stderr.
bounded() {
  if command -v timeout >/dev/null 2>&1; then
    LC_ALL=C timeout -k 1 "$h_patience" "$@"
  else
    LC_ALL=C "$@"
  fi
  h_r=$?
  case $h_r in 124 | 137) echo "$h_silent" >&2 ;; esac
  return $h_r
}

# slurm_find TOKEN: NUMBERS are those of Slurm's jobs with that comment that it has accepted. It fails,
# with the reason in SAID, if Slurm does not answer.
slurm_find() {
  h_NUMBERS=
  h_SAID=$(bounded squeue -h --user="$(id -un)" -t all -O 'JobID:|,State:|,Comment:|,Reason:|' 2>&1) || return 1
  IFS=$h_nl
  set -f
  for h_z in $(printf '%s\n' "$h_SAID" | grep -F "|hob-$1|"); do
    case $h_z in
    *"|FAILED|"*"|BadConstraints|") ;; # it was refused, and is listed all the same
    *) h_NUMBERS="$h_NUMBERS ${h_z%%|*}" ;;
    esac
  done
  set +f
  unset IFS
}

# slurm_said: SAID as one line, without the name of the program.
slurm_said() {
  h_SAID=$(printf '%s\n' "$h_SAID" | grep -v -e '^$' -e '^Try ' | tail -n 1)
  h_SAID=${h_SAID#*: error: }
  h_SAID=${h_SAID#*: fatal: }
  case $h_SAID in *"Socket timed out"*) h_SAID=$h_silent ;; esac
}

# submit FIFO SIZE OWNER OPTION...: as launch, but Slurm is asked to start the wrapper.
submit() {
  h_fifo=$1 h_size=$2 h_owner=$3
  shift 3
  h_names="$h_names batch"
  case $h_d in *[%\\]*) spoiled "a directory with % or \\ in its name" ;; esac
  command -v sbatch >/dev/null 2>&1 && command -v squeue >/dev/null 2>&1 || {
    h_SAID="this machine has no sbatch and squeue"
    refused
  }
  lay "$h_fifo" "$h_size" "$h_owner"
  # Clients show the output of a job that waits.
  . "$h_d/conf"
  for h_z in $h_logs; do true >>"$h_d/$h_z" || spoiled "$h_z"; done
  h_SAID= h_NUMBERS=
  if ! mkdir "$h_d/submit" 2>/dev/null; then
    # The same request was sent before, and may still be carried out.
    h_n=0
    while ! numbered "$h_d" && [ $h_n -lt 120 ]; do
      nap
      h_n=$((h_n + 1))
    done
    numbered "$h_d" && { rm -f "$h_d/env.$h_nonce"; die exists; }
    slurm_find "$h_token" || { slurm_said; die doubt "$h_SAID"; }
  fi
  h_now=$(date +%s)
  if [ -z "$h_NUMBERS" ]; then
    put "$h_d/slurm" "- $h_now" || spoiled slurm
    unset SBATCH_ARRAY_INX SBATCH_WAIT
    if h_SAID=$(bounded sbatch --parsable "$@" --no-requeue --open-mode=append --output="$h_d/slurm.out" --job-name="$h_id" --comment="hob-$h_token" \
      "$h_d/batch" "$h_d" "$h_nonce" "$h_um" 2>"$h_d/.sbatch"); then
      h_NUMBERS=${h_SAID##*"$h_nl"}
      h_NUMBERS=${h_NUMBERS%%;*}
      case $h_NUMBERS in
      '' | *[!0-9]*) # not sbatch, or it did something else
        h_was="the answer of sbatch is ${h_SAID:-empty}"
        slurm_find "$h_token" || { slurm_said; die doubt "$h_SAID"; }
        [ -n "$h_NUMBERS" ] || { h_SAID=$h_was; refused; }
        ;;
      esac
    else
      h_was=$(cat "$h_d/.sbatch")
      case $h_was in
      # Slurm was not reached, or sbatch did not get so far.
      *"connect failure"* | *"onnection refused"* | *"sbatch: fatal: "*) h_SAID=$h_was; refused ;;
      *"$h_silent"*) die doubt "$h_silent" ;; # it would not answer squeue either
      esac
      # The request may have arrived, although no answer came back.
      slurm_find "$h_token" || { slurm_said; die doubt "$h_SAID"; }
      [ -n "$h_NUMBERS" ] || { h_SAID=$h_was; refused; }
    fi
  fi
  rm -f "$h_d/.sbatch" "$h_base/.squeue"
  h_NUMBERS=${h_NUMBERS##* }
  # Not the time at which it was sent: an answer of squeue from before it arrived lacks the job.
  put "$h_d/slurm" "$h_NUMBERS $(date +%s)"
  echo "OK slurm"
  list "$h_base" "$h_id"
}

# numbered DIR: NUMBERS is Slurm's number of the job, which is known.
numbered() {
  first "$1/slurm" || return 1
  h_NUMBERS=${h_LINE%% *}
  [ "$h_NUMBERS" != - ] || { h_NUMBERS=; return 1; }
}

# refused: gives up a launch that Slurm does not accept, for the reason in SAID.
refused() {
  slurm_said
  # A copy of this request that Slurm has accepted finds that the job must not start, or has started it.
  mkdir "$h_d/claim" 2>/dev/null || [ ! -d "$h_d/claim" ] || die exists
  rm -rf "$h_d"
  die slurm "$h_SAID"
}

# queue BASE AGE: what Slurm knows of this user's jobs, after the time at which it was asked, which was
# at most AGE seconds ago. All clients use the same answer: each question is work for the controller.
queue() {
  h_n=0
  until slurm_recent "$1" "$2"; do
    # A client that finds another one asking waits for its answer. That one may have been cut off, or
    # gets none.
    if mkdir "$1/.squeue.lock" 2>/dev/null || [ ! -d "$1/.squeue.lock" ] || [ $h_n -ge 100 ]; then
      slurm_recent "$1" "$2" || slurm_ask "$1"
      rmdir "$1/.squeue.lock" 2>/dev/null
      break
    fi
    nap
    h_n=$((h_n + 1))
  done
  printf '%s\n' "$h_SAID"
}

# slurm_recent BASE AGE: SAID is an answer for queue that is at most AGE seconds old. It fails if there
# is none.
slurm_recent() {
  first "$1/.squeue" || return 1
  h_now=$(date +%s)
  [ $((h_now - h_LINE)) -ge 0 ] && [ $((h_now - h_LINE)) -lt "$2" ] && h_SAID=$(cat "$1/.squeue")
}

# slurm_ask BASE: SAID is the answer for queue, or "no" and why there is none.
slurm_ask() {
  h_now=$(date +%s)
  command -v squeue >/dev/null 2>&1 || { h_SAID="no squeue: not found"; return 0; }
  h_SAID=$(bounded env SLURM_TIME_FORMAT=%s squeue -h --user="$(id -un)" -t all \
    -O 'JobID:|,State:|,Comment:|,StartTime:|,EndTime:|,Partition:|,Reason:|' 2>&1) || {
    slurm_said
    h_SAID="no $h_SAID"
    return 0
  }
  h_SAID="$h_now
$(printf '%s\n' "$h_SAID" | grep -F "|hob-")"
  (umask 077; put "$1/.squeue" "$h_SAID") 2>/dev/null
  return 0
}

# of_cluster BASE DIR: a job that has run on a node of this cluster. Another cluster may have the same
# files, so one that has not ended must be known here.
of_cluster() {
  [ -f "$2/slurm" ] || return 1
  [ ! -f "$2/exit_code" ] || return 0
  [ -n "${h_QUEUE-}" ] || h_QUEUE=$(queue "$1" 60)
  first "$2/token" || return 1
  case $h_QUEUE in *"|hob-$h_LINE|"*) return 0 ;; esac
  return 1
}

# drop DIR ID TOKEN BY REASON: ends a job that has not begun, so that it never will, whatever Slurm
# does with it. The answer is dropped or started.
drop() {
  umask 077
  mkdir "$1/claim" 2>/dev/null || {
    [ -f "$1/failed" ] && echo dropped || echo started
    return 0
  }
  put "$1/ended_by" "$5 $4 $(date +%s) 0"
  put "$1/failed" "it was cancelled before it started"
  rm -f "$1"/env.* "${1%/*}/.squeue"
  echo dropped
  numbered "$1" || slurm_find "$3" || return 0
  [ -z "$h_NUMBERS" ] || bounded scancel --name="$2" $h_NUMBERS >/dev/null 2>&1
  return 0
}

# cancel DIR ID BY REASON: asks Slurm to end a job whose node cannot be asked. If that fails, the job has
# not been asked to end.
cancel() {
  umask 077
  numbered "$1" || { echo "no number"; return 0; }
  once "$1/ended_by" "$4 $3 $(date +%s) 0" && h_y=1 || h_y=
  h_SAID=$(bounded scancel --name="$2" "$h_NUMBERS" 2>&1) && echo ok || {
    [ -z "$h_y" ] || rm -f "$1/ended_by"
    slurm_said
    echo "no $h_SAID"
  }
  rm -f "${1%/*}/.squeue"
}

# slurm_why DIR: WHY is the reason for which Slurm ends the job. Slurm writes it before it sends a
# signal, or on a busy node a little later.
slurm_why() {
  h_WHY=
  h_z=$(grep '\*\*\* JOB [0-9]* ON .* CANCELLED AT ' "$1/slurm.out" 2>/dev/null | tail -n 1)
  case $h_z in
  *"DUE TO TIME LIMIT"*) h_WHY=timeout ;;
  *"DUE TO PREEMPTION"*) h_WHY=preempted ;;
  *"DUE TO NODE FAILURE"*) h_WHY=node_failed ;;
  ?*) h_WHY=kill ;;
  esac
  [ -n "$h_WHY" ]
}

# slurm_signals: the wrapper, which is the batch shell, passes on what is sent to that, as with
# sbatch --signal=B:USR1@60, and ends the job for SIGTERM.
slurm_signals() {
  for h_z in HUP INT QUIT USR1 USR2; do
    trap "(leader \"\$h_d\" && kill -$h_z \"\$h_target\") >/dev/null 2>&1 &" $h_z
  done
  trap slurm_term TERM
}

# slurm_term: the wrapper's answer to SIGTERM from Slurm, which only the batch shell may receive. The
# end has to be recorded before everything is killed, KillWait later.
slurm_term() {
  trap : TERM
  slurm_why "$h_d" || h_WHY=kill
  h_z=$(bounded scontrol show config 2>/dev/null | grep '^KillWait ')
  h_z=${h_z#*= }
  h_z=${h_z%% *}
  case $h_z in '' | *[!0-9]*) h_z=$((30 - h_patience)) ;; esac # the usual, without the time spent here
  h_z=$((h_z * 10 - 15))
  [ "$h_z" -gt 1 ] || h_z=1
  [ "$h_grace" -lt "$h_z" ] && h_z=$h_grace
  end_job "$h_d" "$h_id" "$h_z" slurm "$h_WHY" 0 "$h_stopsig" >/dev/null &
}

# slurm_end: records the reason for the end if Slurm, or the lack of memory on its node, caused it. When
# slurm_term recorded the end, the reason may not have been known.
slurm_end() {
  ooms
  [ "$h_OOMS" = 0 ] || put "$h_d/ooms" "$h_OOMS"
  first "$h_d/ended_by"
  case $h_LINE in
  '')
    slurm_why "$h_d" || h_WHY=
    [ "$h_WHY$h_rc$h_signaled" = "137 signal" ] && [ "$h_OOMS" != 0 ] && h_WHY=oom
    ;;
  "kill slurm "*) slurm_why "$h_d" && [ "$h_WHY" != kill ] || h_WHY= ;;
  *) h_WHY= ;;
  esac
  [ -n "$h_WHY" ] || return 0
  kept "$h_d" ended_by "$h_WHY slurm $(date +%s) 0"
}

# ooms: OOMS is how many processes of the job's control group the kernel has killed for lack of memory.
# Where Slurm does not use control groups, this process is in one with other jobs.
ooms() {
  h_OOMS=0
  for h_z in $(cat /proc/self/cgroup 2>/dev/null); do
    case $h_z in
    *:memory:*"/job_$SLURM_JOB_ID/"*) h_z=/sys/fs/cgroup/memory${h_z#*:memory:}/memory.oom_control ;;
    0::*"/job_$SLURM_JOB_ID/"*) h_z=/sys/fs/cgroup${h_z#0::}/memory.events ;;
    *) continue ;;
    esac
    h_z=$(grep '^oom_kill ' "$h_z" 2>/dev/null)
    [ -z "$h_z" ] || h_OOMS=$((h_OOMS + ${h_z#* }))
  done
}

# slurm_answered: waits, up to ten seconds, until clients have the answers to the requests that they
# made on this node: Slurm kills their sessions here when the wrapper ends. The end of the job is
# recorded by now, so a request that begins later does nothing.
slurm_answered() {
  h_turn=0
  while [ $h_turn -lt 100 ]; do
    h_x=
    for h_z in "$h_d"/.asked.*.*; do
      [ -f "$h_z" ] || continue
      h_r=${h_z#"$h_d"/.asked.}
      kill -0 "${h_r%%.*}" 2>/dev/null && h_x=1
    done
    [ -n "$h_x" ] || return 0
    nap
    h_turn=$((h_turn + 1))
  done
}
