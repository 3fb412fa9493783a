# Shared by run, test and bench: sourced, never run. Leaves `root` set to the top of the tree.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# configure PRESET [-DNAME=VALUE...]
configure() {
  local preset=$1
  shift
  (cd "$root" && cmake --preset "$preset" -Wno-dev --log-level=WARNING "$@" >/dev/null)
}

# build PRESET [TARGET...], on all cores
build() {
  local preset=$1
  shift
  cmake --build "$root/build/$preset" --parallel "$(nproc)" ${1:+--target "$@"}
}
