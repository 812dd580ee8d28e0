#!/usr/bin/env bash
# run.sh ARGUMENTS…: runs the program of this clone, on the Node or Deno of the machine, or on a Node from npm.
set -euo pipefail

program=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/mod.ts
# 22.18 and later, but neither 23 nor 24.0 to 24.2.
is_usable='const [major, minor] = process.versions.node.split(".").map(Number);
  process.exit(major > 24 || (major === 24 && minor >= 3) || (major === 22 && minor >= 18) ? 0 : 1)'
flags=(--experimental-strip-types --disable-warning=ExperimentalWarning)

if node -e "$is_usable" 2>/dev/null; then
  exec node "${flags[@]}" "$program" "$@"
elif command -v deno >/dev/null; then
  exec deno run --no-prompt --allow-read "$program" "$@"
else
  exec npx -y node@24 "${flags[@]}" "$program" "$@"
fi
