#!/usr/bin/env bash
# Does the server run where nothing can be written? As user 1001, without a home, a temporary folder, an environment or a
# network, on Node and on Deno, from exactly the lines of the Dockerfile beside this file.
#
#   bash test/deploy/read_only.sh NODE DENO
#
# As root on Linux the lines of the Dockerfile are followed by hand, in namespaces: the program is process 1 on a root
# that is mounted read-only. Otherwise it runs on a tree whose modes forbid to write.
set -euo pipefail

node=$(readlink -f "$1")
deno=$(readlink -f "$2")
here=$(cd "$(dirname "$0")" && pwd)
repository=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
program=
trap '[ -z "$program" ] || kill -KILL "$program" 2>/dev/null || true; chmod -R u+w "$work"; rm -rf "$work"' EXIT
chmod a+rx "$work"

isolated=no switched=no
if [ "$(id -u)" = 0 ]; then
  command -v setpriv >/dev/null || { echo "read_only: As root it needs setpriv, to run as another user" >&2; exit 2; }
  switched=yes
  if unshare --mount --pid --net --fork true 2>/dev/null; then isolated=yes; fi
fi
[ $switched = yes ] || echo "read_only: Not root: it stays user $(id -u), and only modes are against writing."
[ $switched$isolated != yesno ] || echo "read_only: No namespaces: it is user 1001, and only modes are against writing."

fail() {
  echo "read_only: on $stage: $1" >&2
  for file in errors answers; do [ ! -s "$work/$file" ] || head -c 2000 "$work/$file" >&2; done
  exit 1
}

# --- What the Dockerfile says of one stage

lines() {
  awk -v stage="$stage" -v word="$1" '$1 == "FROM" { on = $NF == stage } on && $1 == word' "$here/Dockerfile" |
    cut -d" " -f2-
}

# Paths are as they stand there when the image is the root, and below the image when it is not.
placed() {
  if [ $isolated = yes ]; then cat; else sed "s#/architrave#$image/architrave#g; s#/documents#$image/documents#g"; fi
}

read_dockerfile() {
  environment=() command=()
  while read -r line; do environment+=("$line"); done < <(lines ENV | placed)
  # What is not in exec form gives no command at all.
  while read -r line; do command+=("$line"); done < <(
    lines ENTRYPOINT | sed -n 's/^\["\(.*\)"\]$/\1/p' | sed 's/", "/\n/g' | placed
  )
  [ ${#command[@]} -gt 0 ] || fail "the entry point is not in exec form"
  [ "$(lines USER)" = 1001:1001 ] || fail "the user is not 1001"
}

build() {
  mkdir -p "$image"/{architrave,documents/resources/guidelines,opt/bin,proc,dev}
  printf '# A mounted document\n' >"$image/documents/resources/guidelines/mounted.md"
  for folder in usr bin lib lib64; do
    if [ -L /$folder ]; then cp -P /$folder "$image/"; else mkdir -p "$image/$folder"; fi
  done
  # Where it comes from may be closed to the other user.
  if [ $isolated = yes ]; then touch "$image/opt/bin/$stage"; else cp "${!stage}" "$image/opt/bin/$stage"; fi
  while read -ra words; do
    for source in "${words[@]:0:${#words[@]}-1}"; do cp -R "$repository/$source" "$image/architrave/"; done
  done < <(lines COPY)
  # As an engine does it: by root, before the root is read-only.
  while read -r line; do (user=root mount=rw run sh -c "cd '$(echo /architrave | placed)' && $line"); done < <(lines RUN)
  chmod -R a-w "$image"
}

# --- How a command runs in the image

# In new namespaces: makes the image the root, with what the runtimes need of the system's own libraries.
enter='
image=$1 runtime=$2 stage=$3 mode=$4; shift 4
mount --bind "$image" "$image"
for folder in usr bin lib lib64 dev; do
  [ -L "$image/$folder" ] || [ ! -d /$folder ] || mount --bind -o ro /$folder "$image/$folder"
done
mount -t proc proc "$image/proc"
mount --bind -o ro "$runtime" "$image/opt/bin/$stage"
mount -o remount,bind,$mode "$image"
exec chroot "$image" "$@"'

# Takes the place of this shell. The program is that process, or the only child of it where there are namespaces.
run() {
  local be=() in=() path=/opt/bin:/usr/bin:/bin
  [ $isolated = yes ] || path="$image$path"
  if [ $switched = yes ] && [ "${user-}" != root ]; then
    be=(setpriv --reuid 1001 --regid 1001 --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all)
  fi
  if [ $isolated = yes ]; then
    in=(unshare --mount --pid --net --fork --kill-child sh -c "$enter" sh "$image" "${!stage}" "$stage" "${mount-ro}")
  fi
  exec ${in[@]+"${in[@]}"} ${be[@]+"${be[@]}"} \
    env -i HOME=/nowhere TMPDIR=/nowhere PATH="$path" ${environment[@]+"${environment[@]}"} "$@"
}

# --- What must hold

nothing_can_be_written() {
  local roots
  roots=$(printf '%s\n' /architrave /documents | placed)
  [ $isolated = no ] || roots=/
  # shellcheck disable=SC2086
  (run find $roots \( -path /proc -o -path /dev -o -path /usr \) -prune -o ! -type l -writable -print) >"$work/answers"
  [ ! -s "$work/answers" ] || fail "the user can write to these places"
  for folder in $roots; do
    if (run touch "$folder/written") 2>/dev/null; then fail "the user has written to $folder"; fi
  done
}

request() { printf '{"jsonrpc":"2.0","id":%s,"method":"%s","params":%s}\n' "$@"; }
hello='{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"read_only","version":"1"}}'

converse() { # the expected answers, as patterns; the arguments of the program behind --
  local patterns=()
  while [ "$1" != -- ]; do patterns+=("$1"); shift; done
  shift
  (run "${command[@]}" "$@") <"$work/requests" >"$work/answers" 2>"$work/errors" || fail "the exit code is $?"
  [ ! -s "$work/errors" ] || fail "something is on standard error"
  [ "$(wc -l <"$work/answers")" = ${#patterns[@]} ] || fail "there are not ${#patterns[@]} answers"
  for pattern in "${patterns[@]}"; do grep -q "$pattern" "$work/answers" || fail "no answer is like $pattern"; done
}

serves_its_own_documents() {
  {
    request 1 initialize "$hello"
    request 2 resources/list '{}'
    request 3 resources/read '{"uri":"architecture://adr/1"}'
    request 4 prompts/get '{"name":"suggest-patterns","arguments":{"problem":"a read-only disk"}}'
  } >"$work/requests"
  converse '"id":1,.*"serverInfo"' '"id":2,.*"uri":"architecture://adr/001-' '"id":3,.*"text":"---' \
    '"id":4,.*a read-only disk' --
}

serves_mounted_documents() {
  { request 1 initialize "$hello"; request 2 resources/list '{}'; } >"$work/requests"
  converse '"id":1,' '"id":2,.*"uri":"architecture://guidelines/mounted"' -- --root "$(echo /documents | placed)"
}

# Where there are namespaces, the program is the only child of the job.
program_of() {
  if [ $isolated = yes ]; then cat "/proc/$1/task/$1/children"; else echo "$1"; fi
}

# Waits for something, but for thirty seconds at most.
await() {
  for _ in $(seq 300); do if "$@"; then return; fi; sleep 0.1; done
  return 1
}
has_answered() { [ -s "$work/answers" ]; }
has_ended() { ! kill -0 "$program" 2>/dev/null; }

ends_on_a_signal() {
  local job code=0
  rm "$work/answers"
  mkfifo "$work/input"
  (run "${command[@]}") <"$work/input" >"$work/answers" 2>"$work/errors" &
  job=$!
  exec 3>"$work/input"
  request 1 ping '{}' >&3
  await has_answered || fail "it does not answer"
  program=$(program_of $job)
  kill -TERM $program
  await has_ended || fail "it is still there long after a signal"
  program=
  wait $job || code=$?
  [ $code = 0 ] || fail "the exit code after a signal is $code"
  [ ! -s "$work/errors" ] || fail "something is on standard error"
  exec 3>&-
  rm "$work/input"
}

# The kernel keeps a signal from process 1 when that does not listen: so it is the program that has ended itself.
control_is_deaf() {
  [ $isolated = yes ] || return 0
  rm "$work/answers"
  (run sh -c 'echo up; exec sleep 60') >"$work/answers" 2>/dev/null &
  local job=$!
  await has_answered || fail "the control does not start"
  program=$(program_of $job)
  kill -TERM $program
  sleep 1
  kill -KILL $program 2>/dev/null || fail "a process 1 without a listener has ended"
  program=
  wait $job || true
}

for stage in node deno; do
  image=$work/$stage
  read_dockerfile
  build
  nothing_can_be_written
  serves_its_own_documents
  serves_mounted_documents
  ends_on_a_signal
  control_is_deaf
  echo "read_only: $stage: ${command[*]}"
done
