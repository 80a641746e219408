# Functions that the wrapper on the host and the sessions of a client share. POSIX sh, as far as
# dash, bash, busybox ash, mksh, ksh93, zsh and yash agree.

# after_name: leaves of S, a line of /proc/PID/stat, what follows the program's name. Names may contain
# ") ", but few do, and in most shells ## takes ten to thirty times as long as #.
after_name() {
  h_S=${h_S#*") "}
  case $h_S in *")"*) h_S=${h_S##*") "} ;; esac
}

# start_of PID: S is the start time of the process (clock ticks since boot, or the text of ps),
# empty if it does not exist. P is its state, G its process group, F the foreground group of its
# terminal.
start_of() {
  h_S= h_P= h_G= h_F=
  if [ -r "/proc/$1/stat" ]; then
    { read -r h_S <"/proc/$1/stat"; } 2>/dev/null
    case $h_S in
    *") "*) ;;
    *) h_S=$(cat "/proc/$1/stat" 2>/dev/null) ;; # a newline in the program's name
    esac
    after_name
    set -f
    set -- $h_S
    set +f
    h_P=${1-} h_G=${3-} h_F=${6-} h_S=${20-}
  elif [ ! -d /proc/self ]; then
    h_S=$(LC_ALL=C TZ=UTC0 ps -o lstart= -p "$1" 2>/dev/null | tr -s ' ' '_')
  fi
}

# boot: BOOT identifies this boot of the machine, UP is its uptime in seconds.
boot() {
  h_BOOT=- h_UP=-
  if [ -r /proc/sys/kernel/random/boot_id ]; then
    read -r h_BOOT </proc/sys/kernel/random/boot_id
  else
    h_BOOT=$(sysctl -n kern.boottime 2>/dev/null | tr -cd '0-9,=a-z')
    [ -n "$h_BOOT" ] || h_BOOT=-
  fi
  [ -r /proc/uptime ] && read -r h_UP h_BOOTX </proc/uptime
}

# place_of: place identifies this machine, by its id and its name, and the pid namespace. Machines
# that share a home directory see each other's jobs.
place_of() {
  h_LINE=
  for h_z in /etc/machine-id /var/lib/dbus/machine-id; do
    [ -n "$h_LINE" ] || { [ -r "$h_z" ] && read -r h_LINE <"$h_z"; }
  done
  h_place="${h_LINE:--} $(uname -n 2>/dev/null || echo -) $(readlink /proc/self/ns/pid 2>/dev/null || echo -)"
}

# put FILE LINE: replaces a file of one line.
put() { printf '%s\n' "$2" >"$1.$$" && mv -f "$1.$$" "$1"; }

# kept DIR NAME LINE: writes a file of one line into space that the wrapper has reserved for it,
# which works on a full disk. If the space was used before it is put.
kept() {
  if [ -f "$1/.$2" ]; then
    printf '%s\n' "$3" 1<>"$1/.$2" && mv -f "$1/.$2" "$1/$2"
  else
    put "$1/$2" "$3"
  fi
}

# once FILE LINE: makes a file of one line unless it exists.
once() { (set -C; printf '%s\n' "$2" >"$1") 2>/dev/null; }

# first FILE: LINE is the file's first line.
first() {
  h_LINE=
  [ -f "$1" ] && read -r h_LINE <"$1"
  [ -n "$h_LINE" ]
}

# nap: a tenth of a second, where sleep can.
nap() { sleep 0.1 2>/dev/null || sleep 1; }

# size_of FILE: SIZE in bytes. wc reads the whole file on some systems.
size_of() {
  h_SIZE=$(LC_ALL=C ls -ln "$1" 2>/dev/null)
  set -f
  set -- $h_SIZE
  set +f
  h_SIZE=${5:-0}
}

# The spelling matters: "kill -s 0 -- -N" and "kill -0 -- -N" fail in shells
# that are in use, and would make every group look dead.
group() { kill -0 "-$1" 2>/dev/null; }

# members PGID: prints the processes that seem to be in the group. A process may have a name that looks
# like the rest of the line, so start_of has to confirm each. One grep takes a sixth of the time of
# reading all of them in a shell.
members() {
  for h_z in $(grep -l ") [^ ] [0-9]* $1 " /proc/[0-9]*/stat 2>/dev/null); do
    h_z=${h_z#/proc/}
    echo "${h_z%/stat}"
  done
}

# only_zombies PGID: no process in the group is alive. Under an init that does not reap, zombies
# stay forever.
only_zombies() {
  [ -d /proc/self ] || return 1
  for h_z in $(members "$1"); do
    start_of "$h_z"
    [ "$h_G" = "$1" ] && [ "$h_P" != Z ] && [ "$h_P" != X ] && return 1
  done
  return 0
}

# marked PID ID: the process has this job in its environment.
marked() { tr '\0' '\n' <"/proc/$1/environ" 2>/dev/null | grep -qx "HOB_JOB_ID=$2"; }

h_nl='
'

# stray PID GROUP: adds a process to STRAYS, as pid:start, unless it is in the job's group,
# dead, or holds a job of its own.
stray() {
  [ "$2" != "$h_pid" ] && [ "$1" != "$h_pid" ] && [ "$1" != $$ ] || return 0
  start_of "$1"
  [ -n "$h_S" ] && [ "$h_P" != Z ] && [ "$h_P" != X ] || return 0
  case " $h_STRAYS " in *" $1:$h_S "*) return 0 ;; esac
  if [ -d /proc/self ]; then
    h_r=$({ tr '\0' '\n' <"/proc/$1/cmdline"; } 2>/dev/null)
  else
    h_r=$(ps -o args= -p "$1" 2>/dev/null | tr ' ' '\n')
  fi
  case $h_r in *"/run${h_nl}super${h_nl}"*) return 1 ;; esac
  h_r=${h_r%%"$h_nl"*}
  [ "${h_r##*/}" != hob-holder ] || return 1
  h_STRAYS="$h_STRAYS $1:$h_S"
}

# tree: ALL is pid:parent:group of each process.
tree() {
  if [ -d /proc/self ]; then
    h_all=$(grep '' /proc/[0-9]*/stat /dev/null 2>/dev/null)
  else
    h_all=$(ps -A -o pid= -o ppid= -o pgid= 2>/dev/null)
  fi
  set -f
  IFS=$h_nl
  set -- $h_all
  unset IFS
  h_all=
  for h_z in "$@"; do
    case $h_z in
    /proc/*") "*)
      h_S=$h_z
      after_name
      set -- $h_S
      h_r=${h_z#/proc/}
      h_all="$h_all ${h_r%%/*}:${2-}:${3-}"
      ;;
    /proc/*) ;;
    *)
      set -- $h_z
      h_all="$h_all ${1-}:${2-}:${3-}"
      ;;
    esac
  done
  set +f
}

# descend: finds the strays that have a living parent in the job, whatever they removed
# from their environment.
descend() {
  h_below=" "
  for h_z in $h_STRAYS; do
    start_of "${h_z%%:*}"
    [ "$h_S" != "${h_z#*:}" ] || h_below="$h_below${h_z%%:*} "
  done
  start_of "$h_pid"
  [ -z "$h_target" ] || [ -n "$h_S" ] && [ "$h_S" != "$h_start" ] || h_below="$h_below$h_pid "
  [ "$h_below" != " " ] || return 0
  tree
  h_was=
  while [ "$h_was" != "$h_below" ]; do
    h_was=$h_below
    for h_y in $h_all; do
      h_x=${h_y#*:}
      case $h_below in *" ${h_y%%:*} "*) continue ;; esac
      case $h_below in
      *" ${h_x%%:*} "*) ;;
      *) [ -n "$h_target" ] && [ "${h_x#*:}" = "$h_pid" ] || continue ;;
      esac
      stray "${h_y%%:*}" "${h_x#*:}" && h_below="$h_below${h_y%%:*} "
    done
  done
}

# on_logs FD...: those of some processes' descriptors that write to a log of the job.
on_logs() {
  h_logs_in=$(cd "$h_d" 2>/dev/null && pwd -P) || return 0
  h_links=$(LC_ALL=C ls -ld "$@" 2>/dev/null | grep -F " -> $h_logs_in/")
  [ -z "$h_links" ] || printf '%s\n' "$h_links" |
    grep -e '^l.w.*/output\.log$' -e '^l.w.*/stdout\.log$' -e '^l.w.*/stderr\.log$'
}

# writers: finds the strays whose stdout or stderr is a log of the job.
writers() {
  h_carrier=
  first "$h_d/carrier" && h_carrier=${h_LINE%% *} # script(1), which writes for the job
  h_all=$(on_logs /proc/[0-9]*/fd/1 /proc/[0-9]*/fd/2) # [12] would read every directory
  set -f
  for h_x in $h_all; do
    case $h_x in /proc/*/fd/[12]) ;; *) continue ;; esac
    h_x=${h_x#/proc/}
    h_x=${h_x%%/*}
    start_of "$h_x"
    [ "$h_x" = "$h_carrier" ] || stray "$h_x" "$h_G"
  done
  set +f
}

# strays: STRAYS are pid:start of the processes of the job at hand that left its group, as
# far as the system lets them be found. Those that are known stay: their parent may have
# ended since.
strays() {
  h_y=$h_STRAYS h_STRAYS=
  for h_z in $h_y; do
    start_of "${h_z%%:*}"
    [ "$h_S" != "${h_z#*:}" ] || [ "$h_P" = Z ] || h_STRAYS="$h_STRAYS $h_z"
  done
  [ -d /proc/self ] || { descend; return 0; }
  for h_x in $(grep -l "HOB_JOB_ID=$h_id" /proc/[0-9]*/environ 2>/dev/null); do
    h_x=${h_x#/proc/}
    h_x=${h_x%/environ}
    start_of "$h_x"
    [ -z "$h_S" ] || [ "$h_G" = "$h_pid" ] || ! marked "$h_x" "$h_id" || stray "$h_x" "$h_G"
  done
  writers
  descend
}

# pursue SIGNAL: sends SIGNAL to what left the group since the last look.
pursue() {
  h_before=$h_STRAYS
  descend
  for h_z in ${h_STRAYS#"$h_before"}; do
    kill "-$1" "${h_z%%:*}" 2>/dev/null
    kill -CONT "${h_z%%:*}" 2>/dev/null
  done
}

# living_strays: some of STRAYS are still what they were.
living_strays() {
  for h_z in $h_STRAYS; do
    start_of "${h_z%%:*}"
    [ "$h_S" = "${h_z#*:}" ] && [ "$h_P" != Z ] && return 0
  done
  return 1
}

# hit SIGNAL: to the group and the strays of the job at hand.
hit() {
  [ -n "$h_target" ] && kill "-$1" "$h_target" 2>/dev/null
  for h_z in $h_STRAYS; do
    start_of "${h_z%%:*}"
    [ "$h_S" = "${h_z#*:}" ] && kill "-$1" "${h_z%%:*}" 2>/dev/null
  done
  return 0
}

# carry DIR: continues the script(1) of a job with a terminal, which stops itself
# when the job is stopped, and would never hear of its end.
carry() {
  first "$1/carrier" || return 0
  set -f
  set -- $h_LINE
  set +f
  start_of "$1"
  [ -n "$h_S" ] && [ "$h_S" = "$2" ] && [ "$3" = "$h_BOOT" ] && kill -CONT "$1" 2>/dev/null
  return 0
}

# uncarry DIR: kills the script(1) of a job with a terminal that has overlooked the
# end of its child, which stays a zombie: that of util-linux does where the child
# was continued at the same moment.
uncarry() {
  first "$1/pid" || return 0
  set -f
  set -- "$1" $h_LINE
  set +f
  start_of "$2"
  [ "$h_P" = Z ] && [ "$h_S" = "$3" ] && first "$1/carrier" || return 0
  set -f
  set -- $h_LINE
  set +f
  start_of "$1"
  [ -n "$h_S" ] && [ "$h_S" = "$2" ] && kill -KILL "$1" 2>/dev/null
  return 0
}

# leader DIR: identifies the job of a directory: pid, start, mode and target. If nothing may be
# signalled WHY is the reason.
leader() {
  h_WHY= h_target= h_pid= h_start= h_mode=
  [ -z "${POSH_VERSION-}" ] || { h_WHY=posh; return 1; } # its kill reads -123 as -1
  first "$1/pid" || { h_WHY=nopid; return 1; }
  set -f
  set -- $h_LINE
  set +f
  h_pid=$1 h_start=$2 h_mode=$4
  boot
  [ "$3" = "$h_BOOT" ] || { h_WHY=reboot; return 1; }
  case $h_pid in '' | *[!0-9]* | 0 | 1) h_WHY=badpid; return 1 ;; esac
  start_of "$h_pid"
  if [ -n "$h_S" ] && [ "$h_S" != "$h_start" ]; then
    h_WHY=reused
    return 1
  fi
  h_target=-$h_pid
  [ "$h_mode" = shared ] && h_target=$h_pid
  if [ -z "$h_S" ] || [ "$h_P" = Z ]; then
    # The leader has exited. Another group may have its number now.
    group "$h_pid" && [ "$h_mode" != shared ] && ours "$h_pid" "$h_id" || h_target=
    start_of "$h_pid" # ours looked at others
  fi
  return 0
}

# ours PGID ID: a member of the group belongs to the job by its environment, or writes to
# the job's logs.
ours() {
  [ -d /proc/self ] || return 1
  for h_z in $(members "$1"); do
    start_of "$h_z"
    [ "$h_G" = "$1" ] && [ "$h_P" != Z ] || continue
    marked "$h_z" "$2" && return 0
    [ -z "$(on_logs "/proc/$h_z/fd/1" "/proc/$h_z/fd/2")" ] || return 0
  done
  return 1
}

# alive: the group is alive, or its leader if it leads none, or a stray. A group that has only
# zombies left counts as dead from then on.
alive() {
  if [ -n "$h_target" ] && kill -0 "$h_target" 2>/dev/null; then
    h_ticks=$((h_ticks + 1))
    [ $((h_ticks % 4)) -eq 2 ] && [ "$h_mode" != shared ] && only_zombies "$h_pid" || return 0
    h_target=
  fi
  living_strays
}

# over SIGNAL: no process of the job is alive. Before it returns true it searches for strays once
# more: some leave the group only when that is signalled, and a process in the middle of exec has no
# environment to identify it. Strays get SIGNAL.
over() {
  alive && return 1
  h_target=
  [ "$h_keep" = 1 ] && return 0
  strays
  [ -n "$h_STRAYS" ] || return 0
  hit "$1"
  hit CONT
  return 1
}

# end_job DIR ID GRACE BY REASON KEEP SIGNAL: ends the job's processes: SIGNAL, after GRACE
# tenths of a second SIGKILL (GRACE -1: at once). KEEP=1 spares what left the
# group, and names it. It prints what became of it.
end_job() {
  h_d=$1 h_id=$2 h_grace=$3 h_by=$4 h_reason=$5 h_keep=$6 h_stop=${7:-TERM} h_ticks=0
  [ "$h_stop" != KILL ] || h_grace=-1
  h_n=0
  while [ ! -f "$h_d/pid" ] && [ -d "$h_d/claim" ] && [ ! -f "$h_d/exit_code" ] && [ $h_n -lt 20 ]; do
    nap
    h_n=$((h_n + 1))
  done
  leader "$h_d" || { echo "no $h_WHY"; return 0; }
  h_STRAYS= h_spared=
  strays
  [ "$h_keep" != 1 ] || { h_spared=$h_STRAYS; h_STRAYS=; }
  if ! alive; then
    [ -f "$h_d/exit_code" ] || settle "$h_d" 2
    echo "no dead"
    return 0
  fi
  boot
  h_now=$(date +%s)
  h_left=$h_grace
  [ "$h_left" -lt 0 ] && h_left=0
  if [ ! -f "$h_d/exit_code" ] && ! once "$h_d/ended_by" "$h_reason $h_by $h_now $h_left" && [ ! -s "$h_d/ended_by" ]; then
    nap # another may just be writing it; else the disk is full
    [ -s "$h_d/ended_by" ] || [ ! -f "$h_d/.ended_by" ] || kept "$h_d" ended_by "$h_reason $h_by $h_now $h_left"
  fi
  h_n=0
  h_sig=$h_stop
  if [ "$h_grace" -ge 0 ]; then
    hit "$h_stop"
    hit CONT
    carry "$h_d"
    # Where sleep knows no fractions a nap is a whole second.
    sleep 0.01 2>/dev/null && h_step=1 || h_step=10
    while [ $h_n -lt "$h_grace" ] && ! over "$h_stop"; do
      nap
      [ "$h_keep" = 1 ] || pursue "$h_stop"
      h_n=$((h_n + h_step))
    done
  fi
  if alive; then
    h_sig=KILL
    [ "$h_keep" = 1 ] || strays
    hit 9
    carry "$h_d"
    h_n=0
    while ! over 9 && [ $h_n -lt 50 ]; do
      nap
      h_n=$((h_n + 1))
    done
  fi
  if alive; then
    echo "stuck"
    remaining
    return 0
  fi
  case $h_sig in
  HUP) settle "$h_d" 20 129 ;;
  INT) settle "$h_d" 20 130 ;;
  QUIT) settle "$h_d" 20 131 ;;
  KILL) settle "$h_d" 20 137 ;;
  *) settle "$h_d" 20 143 ;;
  esac
  echo "killed $h_sig"
  [ "$h_keep" != 1 ] || { h_STRAYS=$h_spared; strays; remaining; }
  return 0
}

# settle DIR NAPS CODE: waits for the wrapper to record the end; if it is gone,
# records CODE in its place and lets go of the input. ln never replaces.
settle() {
  h_n=0
  while [ ! -f "$1/exit_code" ] && [ $h_n -lt "$2" ]; do
    first "$1/wrapper" || break
    set -f
    set -- "$1" "$2" "${3-}" $h_LINE
    set +f
    start_of "$4"
    [ "$h_S" = "$5" ] && [ "$h_P" != Z ] || break
    nap
    h_n=$((h_n + 1))
    [ $h_n -ne 2 ] || uncarry "$1"
  done
  [ -n "${3-}" ] && [ ! -f "$1/exit_code" ] || return 0
  boot
  kept "$1" ended "$(date +%s) $h_UP"
  if printf '%-3s\n' "$3" >"$1/.exit.$$"; then
    ln "$1/.exit.$$" "$1/exit_code"
  else # the disk is full
    printf '%-3s\n' "$3" 1<>"$1/.exit" && ln "$1/.exit" "$1/exit_code"
  fi 2>/dev/null
  rm -f "$1/.exit.$$"
  [ ! -p "$1/stdin.ctl" ] || echo end 1<>"$1/stdin.ctl"
}

# remaining: the processes of the job at hand that are still there.
remaining() {
  [ -d /proc/self ] || return 0
  h_all=
  for h_z in $h_STRAYS; do h_all="$h_all ${h_z%%:*}"; done
  [ "$h_mode" = shared ] || h_all="$h_all $(members "$h_pid")"
  h_below=" "
  for h_z in $h_all; do
    case $h_below in *" $h_z "*) continue ;; esac
    h_below="$h_below$h_z "
    start_of "$h_z"
    [ -n "$h_S" ] && [ "$h_P" != Z ] || continue
    case " $h_STRAYS " in
    *" $h_z:$h_S "*) ;;
    *) [ "$h_G" = "$h_pid" ] && [ "$h_mode" != shared ] || continue ;;
    esac
    echo "left $h_z $(tr '\0\n' '  ' <"/proc/$h_z/cmdline" 2>/dev/null)"
  done
}
