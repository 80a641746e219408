# Functions about hob's own program on the host, hob-holder: which one is there, and its installation in
# $XDG_DATA_HOME/hob/BUILD.

# data: DATA is the directory of the installed programs. It fails if there can be none.
data() {
  case ${XDG_DATA_HOME-} in
  /*) h_data=$XDG_DATA_HOME/hob ;;
  *) h_data=${HOME-}/.local/share/hob ;;
  esac
  case $h_data in *"$h_nl"*) return 1 ;; /.local/*) return 1 ;; /*) ;; *) return 1 ;; esac
}

# own_program FILE: FILE is a program, and only this user and root decide what it is. If not, BAD is
# why: it is to be checked before each start.
own_program() {
  [ -f "$1" ] || { h_BAD="$1 does not exist"; return 1; }
  trusted "$1" || return 1
  case $h_z in -??[xs]*) return 0 ;; esac
  h_BAD="$1 is not executable"
  return 1
}

# identify FILE: IDENTITY is what the program FILE says of itself. If it is no hob-holder, or does not
# run, it fails and BAD is why.
identify() {
  h_IDENTITY=$(LC_ALL=C "$1" --version 2>&1 </dev/null)
  case $h_IDENTITY in *"$h_nl"*) ;; "hob-holder "*" "*/*) return 0 ;; esac
  h_IDENTITY=${h_IDENTITY##*"$h_nl"}
  h_BAD="$1 does not run: ${h_IDENTITY##*: }"
  return 1
}

# programs: lists the holders on this host: those that are installed, and that of PATH.
programs() {
  h_inpath=$(command -v hob-holder 2>/dev/null)
  case $h_inpath in /*) ;; *) h_inpath= ;; esac
  set -- "$h_inpath"
  ! data || set -- "$@" "$h_data"/*/hob-holder
  for h_p in "$@"; do
    [ -f "$h_p" ] || continue
    if own_program "$h_p" && identify "$h_p"; then
      echo "holder ${h_IDENTITY#* } $h_p"
    elif [ "$h_p" != "$h_inpath" ]; then # that of PATH may be of a version without --version
      echo "unfit $h_BAD"
    fi
  done
  return 0
}

# settings: prints the first megabyte of the settings of hob on this host. They name commands, so it fails if
# others decide what is in the file.
settings() {
  case ${XDG_CONFIG_HOME-} in
  /*) h_p=$XDG_CONFIG_HOME ;;
  *) h_p=${HOME-}/.config ;;
  esac
  h_p=${HOB_CONFIG:-$h_p/hob/config.toml}
  [ -f "$h_p" ] || return 0
  trusted "$h_p" || { echo "$h_BAD"; return 1; }
  dd if="$h_p" bs=65536 count=16 2>/dev/null || { echo "$h_p cannot be read"; return 1; }
}

# sum_of FILE: SUM is its SHA-256; empty where no program can tell.
sum_of() {
  h_SUM=$(sha256sum <"$1" 2>/dev/null || shasum -a 256 <"$1" 2>/dev/null || openssl dgst -sha256 -r <"$1" 2>/dev/null)
  h_SUM=${h_SUM%% *}
}

# is_file FILE SIZE SUM: FILE has that size and SHA-256.
is_file() {
  size_of "$1"
  [ "$h_SIZE" = "$2" ] || return 1
  sum_of "$1"
  [ "$h_SUM" = "$3" ]
}

# place_for BUILD: P is the place of the program of that build. It ends the request if others decide what
# is there.
place_for() {
  data || die home
  h_p=$h_data/$1/hob-holder
  [ ! -d "$h_p" ] || die unsafe "$h_p is a directory"
  trusted "$h_p" || die unsafe "$h_BAD"
}

# installed BUILD SIZE SUM: whether that file is installed. The answer is holder and what it says of
# itself, absent, or ERR and why it cannot be.
installed() {
  place_for "$1"
  if [ -f "$h_p" ] && is_file "$h_p" "$2" "$3" && own_program "$h_p" && identify "$h_p"; then
    echo "holder ${h_IDENTITY#* } $h_p"
  else
    echo absent
  fi
}

# install_from_input BUILD SIZE SUM NONCE: installs standard input as the program of that build. It has
# its name only when it is complete and has run; until then what was there stays.
install_from_input() {
  place_for "$1"
  umask 077
  h_d=${h_p%/*}
  [ -d "$h_d" ] || mkdir -p "$h_d" 2>/dev/null || no_dir "$h_d"
  trusted "$h_p" || die unsafe "$h_BAD"
  trap '' HUP PIPE # what is incomplete is deleted also when the client is gone
  find "$h_data" -name '.new.*' -type f -mtime +0 -exec rm -f {} ';' 2>/dev/null
  h_new=$h_d/.new.$4
  h_r=$({ LC_ALL=C cat >"$h_new"; } 2>&1) || give_up write "${h_r##*: }"
  size_of "$h_new"
  [ "$h_SIZE" = "$2" ] || give_up cut "$h_SIZE of $2 bytes have arrived"
  sum_of "$h_new"
  [ -n "$h_SUM" ] || give_up tool
  [ "$h_SUM" = "$3" ] || give_up sum
  chmod 700 "$h_new" && identify "$h_new" || give_up run "${h_BAD##*: }"
  h_r=$({ LC_ALL=C mv -f "$h_new" "$h_p"; } 2>&1) || give_up write "${h_r##*: }"
  echo "holder ${h_IDENTITY#* } $h_p"
}

# give_up WORD [TEXT]: ends an installation that has changed nothing.
give_up() {
  rm -f "$h_new"
  rmdir "$h_d" "$h_data" 2>/dev/null # if they were made for it
  cat >/dev/null                     # the client is still sending
  die "$@"
}

# running: RUNNING has a line for the program of each process, as far as the system shows it.
running() {
  if [ -d /proc/self ]; then
    h_running=$(LC_ALL=C ls -l /proc/[0-9]*/exe 2>/dev/null | grep -F /hob-holder)
  else
    h_running=$(ps -A -o comm= 2>/dev/null | grep -F /hob-holder)
  fi
}

# users_of FILE: N is how many processes run the program FILE.
users_of() {
  h_x=$(cd "${1%/*}" 2>/dev/null && pwd -P)/${1##*/}
  h_n=0
  set -f
  IFS=$h_nl
  for h_z in $h_running; do
    case $h_z in "$h_x" | *" -> $h_x") h_n=$((h_n + 1)) ;; esac
  done
  unset IFS
  set +f
}

# program_users: how many processes run each installed program, and which programs were deleted while
# they run.
program_users() {
  data || return 0
  running
  for h_p in "$h_data"/*/hob-holder; do
    [ -f "$h_p" ] || continue
    users_of "$h_p"
    echo "used $h_n $h_p"
  done
  h_x=$(cd "$h_data" 2>/dev/null && pwd -P) || h_x=$h_data
  printf '%s\n' "$h_running" | grep -F " -> $h_x/" | grep -F ' (deleted)' | while read -r h_z; do
    h_z=${h_z##*" -> "}
    h_z=${h_z%" (deleted)"}
    [ -f "$h_z" ] || echo "deleted $h_z"
  done
}

# remove_programs: deletes the installed programs that no process runs.
remove_programs() {
  data || return 0
  trusted "$h_data" || die unsafe "$h_BAD"
  running
  for h_p in "$h_data"/*/hob-holder; do
    [ -f "$h_p" ] || [ -L "$h_p" ] || continue
    users_of "$h_p"
    if [ $h_n -gt 0 ]; then
      echo "kept $h_n $h_p"
    elif h_r=$({ LC_ALL=C rm -f "$h_p"; } 2>&1); then
      rm -f "${h_p%/*}"/.new.*
      rmdir "${h_p%/*}" 2>/dev/null
      echo "removed 0 $h_p"
    else
      echo "failed 0 $h_p: ${h_r##*: }"
    fi
  done
  rmdir "$h_data" 2>/dev/null
  return 0
}
