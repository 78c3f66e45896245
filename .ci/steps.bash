# Runs steps one after the other and reports them at the end; `.ci/run` and `.ci/full` source it.

failed=()

# step COMMAND...: run it, print how long it took, and go on where it fails
step() {
  local began=$SECONDS ended=ok
  printf '\n$ %s\n' "$*"
  "$@" </dev/null || { ended="FAILED with exit code $?"; failed+=("$*"); }
  printf '== %d:%02d %s: %s\n' $(((SECONDS - began) / 60)) $(((SECONDS - began) % 60)) "$ended" "$*"
}

# finish: list what failed, and exit with 1 where anything did
finish() {
  printf '\n== %d:%02d in all\n' $((SECONDS / 60)) $((SECONDS % 60))
  ((${#failed[@]})) || exit 0
  printf '== FAILED: %s\n' "${failed[@]}"
  exit 1
}
