# Runs steps and reports them at the end; `.ci/run` and `.ci/full` source it.

failed=()
skipped=()
temporary=() # folders to delete at the end
background=  # the process of steps in the background, and the folder with what they printed
output=

clean_up() {
  [ -z "$background" ] || kill -- "-$background" 2>/dev/null || true
  ((!${#temporary[@]})) || rm -rf "${temporary[@]}"
}
trap clean_up EXIT

# step COMMAND...: run it, print how long it took, and go on where it fails
step() {
  local began=$SECONDS ended=ok
  printf '\n$ %s\n' "$*"
  "$@" </dev/null || { ended="FAILED with exit code $?"; failed+=("$*"); }
  printf '== %d:%02d %s: %s\n' $(((SECONDS - began) / 60)) $(((SECONDS - began) % 60)) "$ended" "$*"
}

# begin FUNCTION: run its steps in the background, until `join`
begin() {
  output=$(mktemp -d)
  temporary+=("$output")
  set -m # in a group of their own, which ends with this script
  (
    failed=() skipped=() temporary=() background=
    trap clean_up EXIT
    "$1"
    ((!${#failed[@]})) || printf '%s\0' "${failed[@]}" >"$output/failed"
    ((!${#skipped[@]})) || printf '%s\0' "${skipped[@]}" >"$output/skipped"
    touch "$output/done"
  ) </dev/null >"$output/printed" 2>&1 &
  background=$!
  set +m
}

# join: wait for the steps in the background, and print what they printed
join() {
  wait "$background" || true
  background=
  cat "$output/printed"
  [ -e "$output/done" ] || failed+=("the steps in the background ended early")
  [ ! -e "$output/failed" ] || mapfile -d "" -t -O ${#failed[@]} failed <"$output/failed"
  [ ! -e "$output/skipped" ] || mapfile -d "" -t -O ${#skipped[@]} skipped <"$output/skipped"
}

# in_memory COMMAND...: run it with temporary files in memory, if there are two gigabytes for them:
# tests write thousands of small databases, and each commit to one of them waits for the disk
in_memory() {
  local folder free
  free=$(df --output=avail /dev/shm 2>/dev/null | tail -n 1) || free=0
  if ((${free:-0} < 2000000)) || ! folder=$(mktemp -d /dev/shm/abs-shield-ci.XXXXXX); then
    "$@"
    return
  fi
  temporary+=("$folder")
  chmod 755 "$folder" # a server that a test starts may have a user of its own
  TMPDIR=$folder "$@"
}

# fail REASON: a step that cannot even begin
fail() {
  printf '\n== FAILED: %s\n' "$1"
  failed+=("$1")
}

# skip STEP REASON: what this machine cannot run
skip() {
  printf '\n== skipped: %s: %s\n' "$1" "$2"
  skipped+=("$1: $2")
}

# finish: list what was skipped and what failed, and exit with 1 where anything failed
finish() {
  printf '\n== %d:%02d in all\n' $((SECONDS / 60)) $((SECONDS % 60))
  ((!${#skipped[@]})) || printf '== skipped: %s\n' "${skipped[@]}"
  ((${#failed[@]})) || exit 0
  printf '== FAILED: %s\n' "${failed[@]}"
  exit 1
}
