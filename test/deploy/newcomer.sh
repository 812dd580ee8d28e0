#!/usr/bin/env bash
# Do the commands of the README work, word for word? In three projects whose records have other forms and places, with an empty
# home, on Node and on Deno: their exit codes and what they print. None of them may change a file.
#
#   bash test/deploy/newcomer.sh NODE DENO
set -euo pipefail

node=$(readlink -f "$1")
deno=$(readlink -f "$2")
repository=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The commands in the blocks of the README, without those of a clone.
awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside && /^[^#]/' "$repository/README.md" |
  sed -E 's/ +#.*$//' | grep -v -e '^git clone ' -e '^npm test$' -e '^mod.ts() ' -e '--allow-read mod.ts$' >"$work/commands"
strip='node --experimental-strip-types'
short='npx -y deno run --allow-read ../architrave/mod.ts'
for words in "\`$strip\`" "mod.ts() { $short \"\$@\"; }"; do
  grep -qF "$words" "$repository/README.md" || { echo "newcomer: The README no longer names: $words" >&2; exit 1; }
done

# What a line of the output must fit, by command.
expected() {
  case $1 in
    list) echo $'^architecture://[a-z]*/0003-use-a-file\t3\taccepted\t2026-01-03\t' ;;
    config) echo "=$project/$folder\"" ;;
    search) echo $'^architecture://[a-z]*/0002-use-a-database.*\tsuperseded' ;;
    check) echo '^3 documents and 0 prompts.*: 0 errors, 0 warnings$' ;;
    new) echo '^+++ b/.*0004-use-sqlite.md$' ;;
    export) echo '^+++ b/AGENTS.md$' ;;
    init) echo 'docs/architecture/resources/adr/001-record-architecture-decisions.md' ;;
    page) echo 'http://127.0.0.1:8090/' ;;
    *) echo '' ;;
  esac
}
needed="list config search decisions check page new export init"

record() { # NUMBER NAME TITLE STATUS DECISION
  local file="$project/$folder/000$1-$2.md" date="2026-01-0$1"
  mkdir -p "$project/$folder"
  case $form in
    madr) printf -- '---\nstatus: %s\ndate: %s\n---\n\n# %s\n' "$4" "$date" "$3" ;;
    nygard) printf '# %s. %s\n\nDate: %s\n\n## Status\n\n%s\n' "$1" "$3" "$date" "$4" ;;
    log4brains) printf '# %s\n\n- Status: %s\n- Date: %s\n' "$3" "$4" "$date" ;;
  esac >"$file"
  printf '\n## Context\n\nWhy.\n\n## Decision\n\n%s\n\n## Consequences\n\nLess work.\n' "$5" >>"$file"
}

fail() {
  echo "newcomer: on $runtime, $form: $1" >&2
  head -c 3000 "$work/output" "$work/errors" >&2 || true
  exit 1
}

mkdir "$work/bin"
ln -s "$node" "$work/bin/node"
printf '#!/bin/sh\n[ "$1 $2" = "-y deno" ] && shift 2 && exec "%s" "$@"\n' "$deno" >"$work/bin/npx"
chmod +x "$work/bin/npx"

# Nothing of this machine but the runtime; npm would fetch Deno at the first call.
run() {
  local code=0 limit=60
  case $1 in *" page") limit=4 ;; esac
  (cd "$project" && env -i HOME="$home" PATH="$work/bin:/usr/bin:/bin" timeout -s INT $limit bash -c "exec $1") \
    >"$work/output" 2>"$work/errors" </dev/null || code=$?
  case $1 in *" page") [ $code = 124 ] && code=0 ;; esac
  [ $code = 0 ] || fail "exit code $code of: $1"
}

for runtime in node deno; do
  mkdir -p "$work/$runtime/architrave"
  for name in mod.ts deps.ts lib mcp package.json; do cp -R "$repository/$name" "$work/$runtime/architrave/"; done
  for form in madr nygard log4brains; do
    home="$work/$runtime/home" project="$work/$runtime/$form"
    case $form in madr) folder=docs/decisions ;; nygard) folder=doc/adr ;; log4brains) folder=architecture/log ;; esac
    mkdir -p "$home" "$project"
    record 1 record-decisions "Record decisions" accepted "We write them down."
    record 2 use-a-database "Use a database" "superseded by [3. Use a file](0003-use-a-file.md)" "We use a database."
    record 3 use-a-file "Use a file" accepted "We use a file."
    # The other side of the relation, in the form of each.
    case $form in
      madr) sed -i.bak 's/^date: 2026-01-03$/&\nsupersedes: [0002-use-a-database.md]/' "$project/$folder/0003-use-a-file.md" ;;
      nygard) sed -i.bak 's/^accepted$/&\n\nSupersedes [2. Use a database](0002-use-a-database.md)/' "$project/$folder/0003-use-a-file.md" ;;
      log4brains) sed -i.bak 's/^- Date: 2026-01-03$/&\n- Supersedes: [2](0002-use-a-database.md)/' "$project/$folder/0003-use-a-file.md" ;;
    esac
    rm "$project/$folder"/*.bak
    [ $form != log4brains ] || printf 'project:\n  name: demo\n  adrFolder: ./%s\n' "$folder" >"$project/.log4brains.yml"
    git -C "$project" init -q
    git -C "$project" add -A
    done=" "
    while read -r command; do
      command=${command//docs\/adr/$folder}
      command=$(sed -E "s#^mod\.ts#$short#" <<<"$command")
      if [ $runtime = node ]; then command=$(sed -E "s/^npx -y deno run( --allow-[^ ]+)* /$strip /" <<<"$command"); fi
      name=$(sed -E 's/^.*mod\.ts ([a-z]+).*$/\1/' <<<"$command")
      run "$command"
      pattern=$(expected "$name")
      grep -q -- "$pattern" "$work/output" "$work/errors" || fail "no line fits '$pattern' of: $command"
      done+="$name "
    done <"$work/commands"
    for name in $needed; do
      case $done in *" $name "*) ;; *) fail "the README does not show the command $name" ;; esac
    done
    [ -z "$(git -C "$project" diff; git -C "$project" ls-files --others)" ] || fail "the commands have changed files"
    echo "newcomer: $runtime, $form:$done"
  done
done
