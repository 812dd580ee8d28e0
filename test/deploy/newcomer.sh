#!/usr/bin/env bash
# Do the commands on the first screen of the README work? In a project with three records and an empty home, on Node and on
# Deno, with the commands read from README.md: their exit codes, what they print, and what they write.
#
#   bash test/deploy/newcomer.sh NODE DENO
set -euo pipefail

node=$(readlink -f "$1")
deno=$(readlink -f "$2")
repository=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The first block of commands below the heading.
commands() {
  awk '/^## Start with your own records$/ { on = 1; next } on && /^## / { exit }
    on && /^```sh$/ { inside = 1; next } inside && /^```$/ { exit } inside && /^[^#]/' "$repository/README.md"
}
commands >"$work/commands"
strip='node --experimental-strip-types'
grep -q "\`$strip\`" "$repository/README.md" || { echo "newcomer: The README no longer names: $strip" >&2; exit 1; }

# What a line of the output must fit, by command: several patterns are separated by newlines.
expected() {
  case $1 in
    list) printf '%s\n' $'^architecture://adr/0003-use-a-file\t3\taccepted\t2026-01-03\t3. Use a file$' \
      '^prompt create-adr ' ;;
    check) echo '^3 documents and 0 prompts: 0 errors, 0 warnings$' ;;
    search) echo $'^architecture://adr/0002-use-a-database#context\tsuperseded' ;;
    config) printf '%s\n' '^claude mcp add ' '"mcpServers"' "adr=$project/docs/decisions\"" ;;
    new) echo '^created docs/decisions/0004-use-sqlite.md$' ;;
    supersede) printf '%s\n' '^changed docs/decisions/0004-use-sqlite.md$' '^changed docs/decisions/0003-use-a-file.md$' ;;
    init) echo '^created docs/architecture/resources/adr/001-record-architecture-decisions.md$' ;;
    export) echo '^created .*AGENTS.md$' ;;
    *) echo . ;;
  esac
}
needed="list check search config new supersede init"
if "$node" "${strip#node }" "$repository/mod.ts" --help | grep -q "^  export "; then needed+=" export"; fi

record() { # NUMBER NAME TITLE STATUS TEXT
  printf '# %s. %s\n\nDate: 2026-01-%02d\n\n## Status\n\n%s\n\n## Context\n\n%s\n\n## Decision\n\nWe do it.\n\n## Consequences\n\nLess work.\n' \
    "$1" "$3" "$1" "$4" "$5" >"$project/docs/decisions/000$1-$2.md"
}

fail() {
  echo "newcomer: on $runtime: $1" >&2
  head -c 3000 "$work/output" "$work/errors" >&2 || true
  exit 1
}

# Nothing of this machine but the runtime; npm would fetch Deno at the first call.
run() {
  local code=0
  (cd "$project" && env -i HOME="$home" PATH="$work/bin:/usr/bin:/bin" bash -c "$1") \
    >"$work/output" 2>"$work/errors" </dev/null || code=$?
  [ $code = 0 ] || fail "exit code $code of: $1"
}
has() { grep -q -- "$1" "$work/output" || fail "no line fits '$1' of: $command"; }

mkdir "$work/bin"
ln -s "$node" "$work/bin/node"
printf '#!/bin/sh\n[ "$1 $2" = "-y deno" ] && shift 2 && exec "%s" "$@"\n' "$deno" >"$work/bin/npx"
chmod +x "$work/bin/npx"

for runtime in node deno; do
  home="$work/$runtime/home" project="$work/$runtime/project"
  mkdir -p "$home" "$project/docs/decisions" "$work/$runtime/architrave"
  for name in mod.ts deps.ts lib mcp package.json; do cp -R "$repository/$name" "$work/$runtime/architrave/"; done
  record 1 record-decisions "Record decisions" Accepted "They are forgotten."
  record 2 use-a-database "Use a database" "Superceded by [3. Use a file](0003-use-a-file.md)" "The database is fast."
  record 3 use-a-file "Use a file" "Accepted"$'\n\n'"Supercedes [2. Use a database](0002-use-a-database.md)" "It is simple."
  done=" "
  while read -r command; do
    if [ $runtime = node ]; then
      command=$(sed -E "s/^npx -y deno run( --allow-[^ ]+)* /$strip /" <<<"$command")
    fi
    name=$(sed -E 's/^.*mod\.ts ([a-z]+).*$/\1/' <<<"$command")
    run "$command"
    while read -r pattern; do has "$pattern"; done < <(expected "$name")
    # Node 22 warns of the types, and `supersede` says which records it joins.
    if grep -v -e Warning -e '" (0004-use-sqlite.md) supersedes "' "$work/errors" | grep -q '^architrave'; then fail "there are messages of: $command"; fi
    [ "$name" != config ] || cp "$work/output" "$work/config"
    done+="$name "
  done <"$work/commands"
  for name in $needed; do
    case $done in *" $name "*) ;; *) fail "the README does not show the command $name" ;; esac
  done

  # What config prints is a server that has the records.
  command=$(sed -n 's/^claude mcp add .* -- //p' "$work/config")
  run "printf '%s\n' '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}}}' | $command"
  has '"uri":"architecture://adr/0001-record-decisions"'
  # What was written is in order. Only the decision of the new record is still to be written.
  command="$strip ../architrave/mod.ts check --root=docs/architecture"
  run "$command"
  has ': 0 errors, 0 warnings$'
  command="$strip ../architrave/mod.ts check --mount=adr=docs/decisions"
  run "$command"
  has ': 0 errors, 1 warning$'
  has '^warning adr-unwritten (1): '
  grep -q '^Superceded by \[4. Use SQLite\](0004-use-sqlite.md)$' "$project/docs/decisions/0003-use-a-file.md" ||
    fail "record 3 does not name its successor"
  echo "newcomer: $runtime:$done"
done
