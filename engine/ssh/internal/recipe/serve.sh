# The requests of a client, in addition to the functions above. Each request runs in a subshell of a
# session.

# For hundreds of files stat takes a third of the time of ls, which also reads their access control
# lists. The stat of the BSDs has other options.
h_stat=
stat -c %s / </dev/null >/dev/null 2>&1 && h_stat=1

place_of

# elsewhere DIR: the job runs on another machine, whose processes are not visible here. The name of
# this machine may have changed since.
elsewhere() {
  first "$1/place" && [ "${h_LINE% *}" != "${h_place% *}" ] || return 1
  h_z=${h_LINE##* }
  first "$1/wrapper" || h_LINE=
  boot
  case "$h_LINE $h_z" in *" $h_BOOT "*" ${h_place##* }") return 1 ;; esac
}

# In some shells printf is a program.
h_forks=
case $(command -v printf) in /*) h_forks=1 ;; esac

# hello OWNER: the properties of the host.
hello() {
  boot
  if ! base; then
    ! spare || echo "spare"
  elif command -v ls >/dev/null 2>&1 && ! trusted "$h_base"; then # nothing starts without ls
    echo "unsafe $h_BAD"
  fi
  echo "base $h_base"
  echo "boot $h_BOOT $h_UP"
  echo "date $(date +%s)"
  echo "system $(uname -s 2>/dev/null) $(uname -m 2>/dev/null)"
  echo "user $(id -un 2>/dev/null || echo "${USER-}")"
  h_how=
  for h_z in setsid perl mkfifo script fallocate ps; do
    command -v "$h_z" >/dev/null 2>&1 && h_how="$h_how $h_z"
  done
  echo "tools$h_how"
  [ -d /proc/self ] && echo "proc yes"
  [ -z "${POSH_VERSION-}" ] || echo "posh yes"
  first "$h_base/.swept-$1" && echo "swept $h_LINE"
  ! command -v ls >/dev/null 2>&1 || programs
  return 0
}

# base: the directory of jobs on this host. launch reports a missing HOME.
base() {
  if [ -n "${HOB_STATE_DIR-}" ]; then
    h_base=$HOB_STATE_DIR/jobs
  elif [ -n "${XDG_STATE_HOME-}" ]; then
    h_base=$XDG_STATE_HOME/hob/jobs
  elif [ -n "${HOME-}" ]; then
    h_base=$HOME/.local/state/hob/jobs
  else
    h_base=
    return 1
  fi
  case $h_base in /*) ;; *) h_base=$PWD/$h_base ;; esac
}

# own_id: ME is the number of this user, empty if it cannot be found out. Small systems have no id; of a
# process in /proc, Linux shows the owner.
own_id() {
  h_me=$(id -u 2>/dev/null)
  case $h_me in '' | *[!0-9]*) ;; *) return ;; esac
  set -- $(LC_ALL=C ls -ldn /proc/self/ 2>/dev/null)
  h_me=${3-}
}

# trusted PATH: no other user decides what is found at PATH. Every element of it and every link on the
# way belong to this user or to root, and cannot be changed by others; in a sticky directory others
# cannot replace what they do not own. Missing elements at the end are accepted. If it fails, BAD is the
# element and why. It runs ls once, and once more for each link.
trusted() {
  h_rest=$1 h_at= h_top= h_links=0 h_BAD=
  own_id
  while [ -n "$h_rest" ]; do
    set -- / # ls sorts, so that each directory comes before what it contains
    h_x=$h_at
    while [ -n "$h_rest" ]; do
      h_y=${h_rest%%/*}
      [ "$h_y" != .. ] || break
      case $h_rest in */*) h_rest=${h_rest#*/} ;; *) h_rest= ;; esac
      case $h_y in '' | .) continue ;; esac
      h_x=$h_x/$h_y
      set -- "$@" "$h_x"
    done
    set -f
    IFS=$h_nl
    h_all=$(LC_ALL=C ls -ldn "$@" 2>/dev/null)
    h_y=
    for h_line in $h_all; do
      unset IFS
      safe_element "$1" $h_line || break
      case $h_line in
      l*)
        follow_link "$1" "$h_line"
        h_y=link
        break
        ;;
      esac
      shift
    done
    unset IFS
    set +f
    [ -n "$h_top" ] || h_BAD="$1 cannot be checked: ls does not list it"
    [ -z "$h_BAD" ] || return 1
    [ -z "$h_y" ] || continue
    [ $# -eq 0 ] || return 0 # the rest is missing
    case $h_rest in
    ../*) h_rest=${h_rest#../} h_at=${h_x%/*} ;;
    ..) h_rest= h_at=${h_x%/*} ;;
    esac
  done
  case $h_z in
  d???????w[tT]*) h_BAD="$h_x can be changed by other users" && return 1 ;;
  esac
}

# safe_element ELEMENT MODE LINKS OWNER GROUP...: trusted for one element, as ls lists it; z is its mode.
# Others may not write to a file at the end either.
# Its owner's own group, with the same number or name, has no other members; those of group 0, and of
# admin on macOS, may become root. The owner of / is root, or stands for it in a user namespace.
safe_element() {
  h_z=$2 h_top=${h_top:-$4}
  case $4 in
  "$h_me" | 0 | "$h_top") ;;
  *) h_BAD="$1 belongs to another user, number $4" && return 1 ;;
  esac
  case $2 in
  [!d-]* | d????????[tT]*) return 0 ;;
  ????????w*) ;;
  ?????w*)
    case $5 in "$4" | 0) return 0 ;; esac
    set -- "$1" $(LC_ALL=C ls -ld "$1" 2>/dev/null)
    [ "${4-}" != "${5-}" ] || return 0
    [ "${5-} $(uname -s)" != "admin Darwin" ] || return 0
    ;;
  *) return 0 ;;
  esac
  h_BAD="$1 can be changed by other users"
  return 1
}

# follow_link LINK LINE: continues trusted at the target of a link, which ls lists in LINE.
follow_link() {
  h_links=$((h_links + 1))
  [ $h_links -le 40 ] || { h_BAD="$1 too many symbolic links"; return 0; }
  case $2 in
  *" $1 -> "*) h_z=${2#*" $1 -> "} ;;
  *) h_z=$(readlink "$1") ;; # some ls replace characters
  esac
  h_rest=$h_z${h_x#"$1"}/$h_rest
  case $h_z in
  /*) h_at= ;;
  *) h_at=${1%/*} ;;
  esac
}

# spare: a directory for jobs under TMPDIR or /tmp, for a home that cannot hold them. Only this user
# can have made it, and can enter it.
spare() {
  h_base=
  [ -z "${HOB_STATE_DIR-}" ] || return 1 # chosen by the user
  own_id
  [ -n "$h_me" ] || return 1
  umask 077
  for h_tmp in "${TMPDIR-}" /tmp; do
    case $h_tmp in *"$h_nl"*) continue ;; /*) ;; *) continue ;; esac
    trusted "$h_tmp/hob-$h_me" || continue
    h_tmp=$h_tmp/hob-$h_me
    mkdir "$h_tmp" 2>/dev/null
    rights_of "$h_tmp"
    case $h_z in drwx------*) ;; *) continue ;; esac
    [ "$h_owner" = "$h_me" ] && mkdir -p "$h_tmp/jobs" 2>/dev/null || continue
    if echo try 2>/dev/null >"$h_tmp/.try" && [ -s "$h_tmp/.try" ]; then
      rm -f "$h_tmp/.try"
      h_base=$h_tmp/jobs
      return 0
    fi
  done
  return 1
}

# rights_of FILE: its mode, as ls has it, in h_z, and its owner; of a link its own.
rights_of() {
  h_z=$(LC_ALL=C ls -ldn "$1" 2>/dev/null)
  set -f
  set -- $h_z
  set +f
  h_z=${1-} h_owner=${3-}
}

# die WORD [TEXT]: the answer to a launch that starts nothing.
die() {
  echo "ERR $*"
  exit 0
}

# no_dir DIR: gives up a launch whose directory cannot be made, with the reason.
no_dir() {
  h_z=$(LC_ALL=C mkdir -p "$1" 2>&1)
  die mkdir "$1${h_z:+: ${h_z##*: }}"
}

# prepare BASE ID TOKEN NONCE: the directory of a new job, or of the same one
# again. Never writes into a directory whose token is another.
prepare() {
  h_id=$2 h_token=$3 h_nonce=$4
  h_names="meta.json run conf cmd env"
  h_um=$(umask)
  umask 077
  unset CDPATH HOB_JOB_ID
  h_base=$1
  [ -n "$h_base" ] || base || die home
  case $h_base in *'
'*) die newline ;; esac
  trusted "$h_base" || die unsafe "$h_BAD"
  [ -d "$h_base" ] || mkdir -p "$h_base" 2>/dev/null || no_dir "$h_base"
  h_d=$h_base/$h_id
  echo "dir $h_d"
  if first "$h_d/token" && [ "$h_LINE" != "$h_token" ]; then die taken; fi
  [ ! -d "$h_d/claim" ] || die exists
  mkdir "$h_d" 2>/dev/null
  [ -d "$h_d" ] || no_dir "$h_d"
  printf '%s\n' "$h_token" >"$h_d/.t.$h_nonce" || spoiled token
  ln "$h_d/.t.$h_nonce" "$h_d/token" 2>/dev/null || [ -f "$h_d/token" ] || once "$h_d/token" "$h_token"
  rm -f "$h_d/.t.$h_nonce"
  first "$h_d/token" || spoiled token
  [ "$h_LINE" = "$h_token" ] || die taken
}

# take_place TOKEN: this job is the one that is started in the place of the lost job with TOKEN, or the launch is
# given up: another program or machine has started one, as the files .revived/TOKEN.N show. A job of which nothing ran
# does not count.
take_place() {
  mkdir "$h_base/.revived" 2>/dev/null
  printf '%s\n' "$h_id" >"$h_d/.r.$h_nonce" || spoiled .revived
  h_n=0
  while :; do
    h_n=$((h_n + 1))
    h_r=$h_base/.revived/$1.$h_n
    ln "$h_d/.r.$h_nonce" "$h_r" 2>/dev/null || [ -f "$h_r" ] || once "$h_r" "$h_id"
    first "$h_r" || spoiled "$h_r"
    if [ "$h_LINE" != "$h_id" ]; then
      runs_not "$h_LINE"
    elif [ ! -f "$h_base/.revived/$1.$((h_n + 1))" ]; then
      break
    fi
  done
  rm -f "$h_d/.r.$h_nonce"
  # A launch that was repeated after a failure may have come back meanwhile.
  while [ $h_n -gt 1 ]; do
    h_n=$((h_n - 1))
    first "$h_base/.revived/$1.$h_n" && [ "$h_LINE" != "$h_id" ] && runs_not "$h_LINE"
  done
}

# runs_not ID: nothing of that job has run, and nothing of it will; otherwise the launch is given up. Of a job that
# hob-holder or a hob on this machine has started, that is not known here.
runs_not() {
  h_r=$h_base/$1
  [ -d "$h_r" ] || return 0 # cleared, or its launch failed
  h_m=0
  while [ -f "$h_r/token" ] && [ ! -d "$h_r/claim" ] && [ ! -d "$h_r/submit" ] && [ $h_m -lt 50 ]; do
    h_m=$((h_m + 1)) # it may be about to start
    nap
  done
  if [ -f "$h_r/token" ] && [ ! -d "$h_r/submit" ] && mkdir "$h_r/claim" 2>/dev/null; then
    rm -f "$h_r"/env.*
    put "$h_r/failed" "the program that was starting it ended, and another one started the job again"
  fi
  [ ! -f "$h_r/failed" ] || return 0
  [ -d "$h_d/claim" ] || rm -rf "$h_d"
  die replaced "$1"
}

# spoiled WHAT: gives up a launch whose files could not be written whole.
spoiled() {
  rm -f "$h_d/env.$h_nonce"
  [ -d "$h_d/claim" ] || rm -rf "$h_d"
  die write "$1"
}

# written: GOT is how many bytes of the files of a new job are there.
written() {
  set --
  for h_z in $h_names; do set -- "$@" "$h_d/$h_z.$h_nonce"; done
  h_all=$(LC_ALL=C ls -ln "$@" 2>/dev/null)
  h_got=0
  set -f
  IFS=$h_nl
  set -- $h_all
  unset IFS
  for h_z in "$@"; do
    set -- $h_z
    h_got=$((h_got + ${5:-0}))
  done
  set +f
}

# lay FIFO SIZE OWNER: gives the files of a new job their names. They are written under names with the
# nonce behind them; SIZE is their bytes together.
lay() {
  written
  [ "$h_got" -eq "$2" ] || spoiled size
  # Where the client has the same directory it has made the job's: its meta.json stays.
  [ -f "$h_d/meta.json" ] && rm -f "$h_d/meta.json.$h_nonce" || mv -f "$h_d/meta.json.$h_nonce" "$h_d/meta.json" || spoiled meta.json
  for h_z in $h_names; do
    case $h_z in meta.json | env) continue ;; esac
    mv -f "$h_d/$h_z.$h_nonce" "$h_d/$h_z" || spoiled "$h_z"
  done
  printf '%s\n' "$3" >"$h_d/owner" && printf '%s\n' "$h_place" >"$h_d/place" || spoiled owner
  if [ "$1" = 1 ] && [ ! -p "$h_d/stdin" ]; then
    h_z=$(LC_ALL=C mkfifo "$h_d/stdin.ctl" "$h_d/stdin" 2>&1) || {
      rm -f "$h_d/env.$h_nonce"
      rm -rf "$h_d"
      die mkfifo "${h_z##*: }"
    }
  fi
}

# moment: waits some hundredths of a second, where sleep can, and adds them to N. The first time, with K at
# 0, it is one, and then up to three: what is waited for needs the processor that a sleep takes.
moment() {
  [ "$h_k" -ge 3 ] || h_k=$((h_k + 1))
  if sleep "0.0$h_k" 2>/dev/null; then h_n=$((h_n + h_k)); else sleep 1 && h_n=$((h_n + 100)); fi
}

# launch MODE SH FIFO SIZE OWNER: starts the wrapper and waits for its word; see lay.
launch() {
  h_mode=$1 h_sh=$2
  lay "$3" "$4" "$5"
  if [ -z "$h_mode" ]; then
    if command -v setsid >/dev/null 2>&1; then
      h_mode=setsid
    elif h_m=$("$h_sh" -c 'set -m; case $- in *m*) sleep 1 & kill -0 -$! && echo yes; kill $!;; esac' 2>/dev/null </dev/null) && [ "$h_m" = yes ]; then
      h_mode=monitor
    elif command -v perl >/dev/null 2>&1; then
      h_mode=perl
    else
      h_mode=shared
    fi
  fi
  umask 077
  set -- "$h_sh" "$h_d/run" super "$h_d" "$h_mode" "$h_nonce" "$h_um" "$h_sh"
  h_h=$h_d/hello.$h_nonce
  # It has its block before the wrapper writes there, whatever fills the disk meanwhile.
  echo wait >"$h_h" || spoiled hello
  case $h_mode in
  # The first setsid makes a session leader; the second is one already and so
  # must fork. Without "&" no signal is ignored in the job.
  setsid) setsid setsid "$@" </dev/null 1<>"$h_h" 2>/dev/null ;;
  perl) perl -e 'use POSIX (); fork and exit 0; POSIX::setsid(); exec @ARGV' "$@" </dev/null 1<>"$h_h" 2>/dev/null ;;
  monitor)
    set -m
    "$@" </dev/null 1<>"$h_h" 2>/dev/null &
    ;;
  *) "$@" </dev/null 1<>"$h_h" 2>/dev/null & ;;
  esac
  # The wrapper answers in a file: a server may close the channel as soon as the
  # process that it started has ended.
  h_n=0 h_k=0
  h_r=
  while [ $h_n -lt 500 ]; do
    first "$h_h"
    case $h_LINE in "$h_nonce "*) h_r=$h_LINE && break ;; esac
    moment
  done
  rm -f "$h_h"
  case $h_r in
  "$h_nonce ERR write") spoiled wrapper ;;
  "$h_nonce EXISTS") rm -f "$h_d/env.$h_nonce"; die exists ;;
  "$h_nonce OK "*) ;;
  *) rm -f "$h_d/env.$h_nonce"; die start "${h_r#"$h_nonce "}" ;;
  esac
  h_n=0 h_k=0
  while [ ! -f "$h_d/ready" ] && [ ! -f "$h_d/exit_code" ] && [ $h_n -lt 200 ]; do moment; done
  echo "OK $h_mode"
  h_close=1 # it may have ended already
  list "$h_base" "$h_id"
}

# list BASE ID[:PID:HOW]...: the state of jobs. It runs two to five programs for hundreds of jobs, and
# never read, with which a shell reads byte by byte. With h_close set it looks at the wrapper of a job
# also while a process with the job's pid exists. A job with its PID is one whose files the client has
# read before: unless its end was requested, only the sizes of its logs are listed. HOW is o for
# output.log and s for two logs, in upper case if directory and process are to be verified.
list() {
  boot
  h_told= h_idents= h_files= h_sized= h_alive= h_proved= h_looked= h_n=0 h_m=0 h_date=
  h_said="boot $h_BOOT $h_UP
place $h_place
" h_procs= h_facts= h_logs= h_known= h_proofs= h_pids=
  if ! cd "$1" 2>/dev/null; then
    facts
    return 0
  fi
  shift
  set -f # what is split into words below
  for h_j in "$@"; do
    h_r=${h_j#*:}
    if [ "$h_r" != "$h_j" ]; then
      h_j=${h_j%%:*}
      if [ ! -f "$h_j/exit_code" ] && [ ! -f "$h_j/ended_by" ]; then
        still
        continue
      fi
    fi
    if [ -d "$h_j/claim" ]; then
      h_z=claim
    elif [ -d "$h_j" ]; then
      h_z=here
    else
      say "job $h_j gone"
      more 1
      continue
    fi
    if [ -f "$h_j/holder" ] && [ $h_z = claim ] && [ ! -f "$h_j/failed" ]; then
      say "job $h_j held"
      h_facts="$h_facts $h_j/state.json"
      logs
      more 2
      continue
    fi
    # exit_code is checked first: if it exists, even if it cannot be read, all files that are written
    # before it exist too.
    if [ -f "$h_j/exit_code" ]; then
      say "job $h_j $h_z over"
      h_facts="$h_facts $h_j/exit_code $h_j/token $h_j/started $h_j/pid $h_j/wrapper"
      for h_z in ended left signalled ooms; do
        [ -f "$h_j/$h_z" ] && h_facts="$h_facts $h_j/$h_z"
      done
    else
      say "job $h_j $h_z"
      h_facts="$h_facts $h_j/token $h_j/started"
      [ -f "$h_j/place" ] && h_facts="$h_facts $h_j/place"
      h_procs="$h_procs $h_j/pid $h_j/wrapper"
    fi
    if [ -f "$h_j/ready" ]; then
      say "ready"
    elif [ -f "$h_j/failed" ]; then
      h_facts="$h_facts $h_j/failed"
    fi
    [ -f "$h_j/ended_by" ] && h_facts="$h_facts $h_j/ended_by"
    [ -f "$h_j/nolimit" ] && h_facts="$h_facts $h_j/nolimit"
    [ -f "$h_j/slurm" ] && h_facts="$h_facts $h_j/slurm $h_j/node"
    logs
    h_date=1
    more 4
  done
  facts
  return 0
}

# say LINE: adds a line to the answer, which facts prints: many small writes are slow.
say() {
  h_said="$h_said$1
"
}

# more N: counts a job, whose words are N times as many as those of a known one. Longer lines of
# arguments are refused on some systems, and slow to build.
more() {
  h_n=$((h_n + $1)) h_m=$((h_m + $1))
  [ $h_m -lt 48 ] || fold
  [ $h_n -lt 1000 ] || facts
}

# fold: appends the words of some jobs to those of all. Appending each word to a long text would copy
# the text each time.
fold() {
  h_told=$h_told$h_said h_idents=$h_idents$h_procs h_files=$h_files$h_facts h_sized=$h_sized$h_logs
  h_alive=$h_alive$h_known h_proved=$h_proved$h_proofs h_looked=$h_looked$h_pids
  h_said= h_procs= h_facts= h_logs= h_known= h_proofs= h_pids= h_m=0
}

# still: the known job h_j has not ended.
still() {
  h_known="$h_known ${h_r%:*}"
  case $h_r in
  *:[oO]) h_logs="$h_logs $h_j/output.log" ;;
  *) h_logs="$h_logs $h_j/stdout.log $h_j/stderr.log" ;;
  esac
  case $h_r in
  *:[OS])
    h_pids="$h_pids ${h_r%:*}"
    h_proofs="$h_proofs $h_j/token"
    for h_z in output.log stdout.log stderr.log; do
      [ -f "$h_j/hole.$h_z" ] && h_proofs="$h_proofs $h_j/hole.$h_z"
    done
    ;;
  esac
  more 1
}

# logs: which logs the job h_j has.
logs() {
  h_r="stdout.log stderr.log"
  [ -f "$h_j/output.log" ] && h_r=output.log
  for h_z in $h_r; do
    h_logs="$h_logs $h_j/$h_z"
    [ -f "$h_j/hole.$h_z" ] && h_facts="$h_facts $h_j/hole.$h_z"
  done
}

# missing: lists the processes of known jobs that may not exist. Shells differ in whether "kill"
# fails if it fails for some of its arguments.
missing() {
  [ -n "$h_alive" ] || return 0
  [ -n "$(kill -0 $h_alive 2>&1)" ] || return 0
  for h_z in $h_alive; do
    kill -0 "$h_z" 2>/dev/null && continue
    echo "doubt $h_z"
    h_looked="$h_looked $h_z"
  done
}

# facts: prints the lines of the files that list has gathered, the sizes of logs, and the processes,
# each after its name. The first letter of a size line shows whether a log is a regular file.
facts() {
  fold
  printf '%s' "$h_told"
  # Known jobs need no date, unless the uptime is unknown.
  [ -z "$h_date" ] && [ "$h_UP" != - ] || echo "date $(date +%s)"
  missing
  [ -z "$h_idents" ] || processes 2>/dev/null
  [ -z "$h_files" ] || grep '' $h_files /dev/null 2>/dev/null
  # After exit_code: a log that is final then has its whole size.
  [ -z "$h_sized" ] || sizes 2>/dev/null
  if [ -d /proc/self ]; then
    for h_z in $h_looked; do h_proved="$h_proved /proc/$h_z/stat"; done
  else
    for h_z in $h_looked; do
      start_of "$h_z"
      [ -z "$h_S" ] || echo "live $h_z $h_S"
    done
  fi
  [ -z "$h_proved" ] || grep '' $h_proved /dev/null 2>/dev/null
  h_told= h_idents= h_files= h_sized= h_alive= h_proved= h_looked= h_n=0 h_date=
}

# sizes: the sizes of the logs, in the format of ls.
sizes() {
  if [ -n "$h_stat" ]; then
    stat -c '%A 0 0 0 %s %n' $h_sized
  else
    LC_ALL=C ls -lnd $h_sized
  fi
}

# processes: the content of pid and wrapper, and the processes to look at.
processes() {
  h_out=$(grep '' $h_idents /dev/null)
  printf '%s\n' "$h_out"
  h_here=
  for h_z in $h_out; do
    case $h_z in
    */pid:*) h_r=${h_z##*:} ;;
    */wrapper:*)
      h_r=${h_z##*:}
      [ "${h_z%%/*}" != "$h_here" ] || continue
      ;;
    *) continue ;;
    esac
    case $h_r in '' | *[!0-9]*) continue ;; esac
    h_looked="$h_looked $h_r"
    case $h_z in
    */pid:*)
      [ -z "${POSH_VERSION-}" ] && group "$h_r" && echo "${h_z%%/*}/group:"
      [ -z "${h_close-}" ] && kill -0 "$h_r" && h_here=${h_z%%/*}
      ;;
    esac
  done
}

# known BASE: the token of each job here that a client has started.
known() {
  cd "$1" 2>/dev/null || return 0
  h_facts= h_n=0
  for h_j in */token; do
    case $h_j in *[!a-zA-Z0-9./_-]* | -*) continue ;; esac
    [ -f "${h_j%/token}/meta.json" ] || continue
    if elsewhere "${h_j%/token}"; then of_cluster "$1" "${h_j%/token}" || continue; fi
    h_facts="$h_facts $h_j" h_n=$((h_n + 1))
    [ $h_n -lt 100 ] || { grep '' $h_facts /dev/null; h_facts= h_n=0; }
  done 2>/dev/null
  [ -z "$h_facts" ] || grep '' $h_facts /dev/null 2>/dev/null
  return 0
}

# records BASE ID...: what was asked of these jobs, and by which machine.
records() {
  cd "$1" 2>/dev/null || return 0
  shift
  h_facts=
  for h_z in "$@"; do h_facts="$h_facts $h_z/owner $h_z/holder $h_z/meta.json"; done
  grep '' $h_facts /dev/null 2>/dev/null
  return 0
}

# fetch FILE BS SKIP COUNT: bytes of a log. Only of a regular file: what the job
# has put in its place is not followed.
fetch() {
  [ -f "$1" ] && [ ! -L "$1" ] || return 9
  dd if="$1" bs="$2" skip="$3" count="$4" 2>/dev/null
}

# takes DIR: the job takes input. It prints why it takes none.
takes() {
  [ -p "$1/stdin" ] || { echo none; return 1; }
  [ ! -f "$1/stdin.end" ] || { echo ended; return 1; }
  [ ! -f "$1/exit_code" ] || { echo over; return 1; }
}

# stream DIR: types standard input into the job, to its end, however long the job takes to
# read it.
stream() {
  takes "$1" || return 0
  # To open it for writing alone waits for a reader; later there must be no reader but
  # the job's, so that this ends with it.
  (
    exec 5<>"$1/stdin"
    exec >"$1/stdin" 2>/dev/null 5<&-
    exec cat
  ) && echo ok || echo over
}

# feed DIR DATA...: types into the job; each DATA is for printf and 4096 bytes at most,
# which a pipe takes whole or not at all. It prints a line for each that was taken, begins
# none after two seconds, and reports a pipe that stays full for some seconds more.
feed() {
  takes "$1" || return 0
  h_d=$1
  h_late=$h_d/.late.$$
  shift
  rm -f "$h_late" "$h_late.pid"
  (
    umask 077
    for h_z in "$@"; do
      [ ! -f "$h_late" ] || break
      if [ -z "$h_forks" ]; then
        printf "$h_z"
      else # what only waits for a program does not take it along when it is killed
        printf "$h_z" &
        echo $! >"$h_late.pid"
        wait $!
      fi && echo taken >&3
    done
  ) 3>&1 1<>"$h_d/stdin" 2>/dev/null &
  h_w=$!
  # It must not hold the channel open, nor a copy of it, which redirections of mksh make.
  (umask 077; exec >/dev/null 2>&1; sleep 2; : >"$h_late"; sleep 5; kill -9 "$h_w" $(cat "$h_late.pid")) &
  h_k=$!
  wait "$h_w" 2>/dev/null
  h_r=$?
  kill "$h_k" 2>/dev/null
  rm -f "$h_late" "$h_late.pid"
  [ $h_r = 0 ] && echo ok || echo full
}

# control DIR TOKEN CLIENT: gives CLIENT the keyboard of the job's terminal, until another client
# takes it.
control() {
  [ ! -f "$1/exit_code" ] || { echo over; return 0; }
  umask 077
  put "$1/keyboard" "$2 $3" 2>/dev/null && echo ok || echo no
}

# answer DIR TOKEN DATA...: feed, unless a session other than TOKEN has the keyboard.
answer() {
  first "$1/keyboard"
  case $h_LINE in
  '' | "$2 "*)
    h_d=$1
    shift 2
    feed "$h_d" "$@"
    ;;
  *) echo "other ${h_LINE#* }" ;;
  esac
}

# finish DIR: ends the job's input.
finish() {
  [ -p "$1/stdin" ] || { echo none; return 0; }
  : >"$1/stdin.end"
  echo end 1<>"$1/stdin.ctl"
  echo ok
}

# signal DIR ID NAME BY: one signal to the job's group. Who sent it is written down
# first: the job may end by it.
signal() {
  h_d=$1 h_id=$2
  [ ! -f "$h_d/exit_code" ] || { echo over; return 0; }
  leader "$h_d" || { echo "no $h_WHY"; return 0; }
  [ -n "$h_target" ] || { echo "no dead"; return 0; }
  (umask 077; put "$h_d/signalled" "$3 $4") 2>/dev/null
  kill "-$3" "$h_target" 2>/dev/null && echo ok || echo "no signal"
  [ "$3" != CONT ] || carry "$h_d"
}

# resize DIR ID COLS ROWS: gives the job's terminal another size.
resize() {
  h_d=$1 h_id=$2
  [ ! -f "$h_d/exit_code" ] || { echo over; return 0; }
  leader "$h_d" || { echo "no $h_WHY"; return 0; }
  [ -n "$h_S" ] || { echo "no dead"; return 0; }
  first "$h_d/tty" || { echo none; return 0; }
  case $h_LINE in /dev/*) ;; *) echo none; return 0 ;; esac
  stty rows "$4" cols "$3" <"$h_LINE" 2>/dev/null && echo ok || echo "no stty"
}

# entry DIR ID: whether the job's terminal takes lines, and shows them; and whether the job waits for one.
entry() {
  h_d=$1 h_id=$2
  [ ! -f "$h_d/exit_code" ] || { echo over; return 0; }
  leader "$h_d" || { echo "no $h_WHY"; return 0; }
  first "$h_d/tty" || { echo none; return 0; }
  case $h_LINE in /dev/*) ;; *) echo none; return 0 ;; esac
  h_lines= h_shown=
  set -f
  for h_z in $(stty -a <"$h_LINE" 2>/dev/null); do
    case $h_z in
    icanon | "icanon;") h_lines=1 ;;
    echo | "echo;") h_shown=1 ;;
    esac
  done
  set +f
  case $h_lines.$h_shown in
  1.1) h_r=open ;;
  1.) h_r=hidden ;;
  *) echo none; return 0 ;; # a program that reads keys: it may be an editor that is in use
  esac
  waits "$h_LINE" "$h_F" "$h_r" && echo "$h_r waits" || echo "$h_r"
}

# waits TTY GROUP ENTRY: a process of GROUP, the foreground group of the terminal TTY, is blocked in a
# read of it. A program of another user, such as sudo, may not be inspected: it waits if it sleeps while
# the terminal hides input.
waits() {
  [ -d /proc/self ] && [ "${2:-0}" -gt 0 ] || return 1
  for h_x in $(grep -l ") S [0-9]* $2 " /proc/[0-9]*/stat 2>/dev/null); do
    h_x=${h_x%/stat}
    # Each thread's system call in decimal, and its arguments. read is 0, 3 or 63 by architecture, and
    # these numbers are no other call that sleeps.
    h_all=$(cat "$h_x"/task/*/syscall 2>/dev/null)
    if [ -z "$h_all" ]; then
      # Yama may restrict that to ancestors. The name of the kernel function shows a read of stdin.
      h_y=$(cat "$h_x/wchan" 2>/dev/null)
      case $h_y.$3 in
      n_tty_read.* | tty_read.* | wait_woken.*) h_all="0 0x0" ;;
      0.hidden)
        start_of "${h_x#/proc/}" # it may have ended
        [ -r "$h_x/environ" ] || [ "$h_P" != S ] || return 0
        ;;
      esac
    fi
    IFS=$h_nl
    set -f
    set -- "$1" "$2" "$3" $h_all
    set +f
    unset IFS
    for h_z in "$@"; do
      case $h_z in "0 0x"* | "3 0x"* | "63 0x"*) ;; *) continue ;; esac
      h_z=${h_z#* }
      h_z=$(readlink "$h_x/fd/$((${h_z%% *}))" 2>/dev/null)
      case $h_z in "$1" | /dev/tty) return 0 ;; esac
    done
  done
  return 1
}

# abandon BASE ID TOKEN: prevents the start of a job that was not started, and prints the result.
abandon() {
  umask 077
  h_d=$1/$2
  if first "$h_d/token" && [ "$h_LINE" != "$3" ]; then
    echo taken
    return 0
  fi
  if mkdir -p "$h_d" 2>/dev/null && mkdir "$h_d/claim" 2>/dev/null; then
    rm -f "$h_d"/env.*
    put "$h_d/failed" "the connection broke before it was started"
    put "$h_d/token" "$3"
    echo abandoned
  elif [ -f "$h_d/failed" ] && [ ! -f "$h_d/wrapper" ]; then
    echo abandoned
  else
    echo started
  fi
}

# discard DIR TOKEN: deletes the directory of a finished job for good.
discard() {
  [ -d "$1" ] || { echo ok; return 0; }
  first "$1/token" && [ "$h_LINE" = "$2" ] || { echo taken; return 0; }
  h_d=$1 h_id=${1##*/}
  if [ ! -f "$1/exit_code" ] && { elsewhere "$1" || { leader "$1" && [ -n "$h_target" ]; }; }; then
    echo running
    return 0
  fi
  mv "$1" "${1%/*}/.gone-$h_id" 2>/dev/null && rm -rf "${1%/*}/.gone-$h_id"
  [ -d "$1" ] && echo failed || echo ok
}

# sweep BASE OWNER DAYS: deletes jobs of this owner that ended that long ago, and launches that were
# given up. It continues when the client disconnects, and records the time of the sweep at the end.
sweep() {
  cd "$1" 2>/dev/null || return 0
  trap '' PIPE
  umask 077
  rm -rf .gone-*
  find .revived -type f -mtime "+$3" -exec rm -f {} + 2>/dev/null
  find . -name exit_code -type f -mtime "+$3" 2>/dev/null | while read -r h_z; do
    h_z=${h_z#./}
    h_z=${h_z%/exit_code}
    case $h_z in */* | .* | '') continue ;; esac
    first "$h_z/owner" && [ "$h_LINE" = "$2" ] && rm -rf "./$h_z" && echo "swept $h_z"
  done
  find . -name token -type f -mtime +0 2>/dev/null | while read -r h_z; do
    h_z=${h_z#./}
    h_z=${h_z%/token}
    case $h_z in */* | .* | '') continue ;; esac
    [ -d "$h_z/claim" ] || { first "$h_z/owner" && [ "$h_LINE" = "$2" ] && rm -rf "./$h_z" && echo "swept $h_z"; }
  done
  put "./.swept-$2" "$(date +%s)"
  return 0
}
