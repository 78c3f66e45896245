# Runs steps one after the other and reports them at the end; `.ci/run` and `.ci/full` source it.

failed=()
skipped=()
temporary=() # folders to delete at the end
trap '((!${#temporary[@]})) || rm -rf "${temporary[@]}"' EXIT

# step COMMAND...: run it, print how long it took, and go on where it fails
step() {
  local began=$SECONDS ended=ok
  printf '\n$ %s\n' "$*"
  "$@" </dev/null || { ended="FAILED with exit code $?"; failed+=("$*"); }
  printf '== %d:%02d %s: %s\n' $(((SECONDS - began) / 60)) $(((SECONDS - began) % 60)) "$ended" "$*"
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
