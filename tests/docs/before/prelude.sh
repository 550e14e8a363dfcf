# A version is published a moment after its commit, so a clone is tried for a while, and so is `dvc get`. What was asked to
# stop has stopped a moment later.
set -euo pipefail; export GIT_TERMINAL_PROMPT=0
patiently() { for _ in $(seq 60); do command "$@" 2> /dev/null && return; sleep 1; done; command "$@"; }
curl() {
  case "$*" in */runs/*POST* | *POST*/runs/* | */clone* | */rollback*) patiently curl --fail-with-body -sS "$@";;
    *) command curl --fail-with-body -sS "$@";; esac
  echo
}
lode() {
  case "$*" in
    "run resume"* | "run clone"* | "job retry"*) patiently lode "$@";;
    *--confirm*) command lode "$@";;
    *" delete "*) command lode "$@" || echo "it only said what it would do";;
    *) command lode "$@";;
  esac
}
git() { if [ "$1" = clone ]; then patiently git "$@"; else command git "$@"; fi; }
dvc() { if [ "$1" = get ]; then patiently dvc "$@"; else command dvc "$@"; fi; }
get() { command curl --fail-with-body -sS -H "Authorization: Bearer $(cat "$HERE/var/token")" "http://127.0.0.1:8000$1"; }
field() { python -c "import json, sys; print(json.load(sys.stdin)$1)"; }
first() { get "$1" | field "['results'][0]['$2']"; }
open_jobs() { get "/jobs?state=queued,running" | python -c "import json, sys
for job in json.load(sys.stdin)['results']: print(job['id'])"; }
wait_for_all() { while [ -n "$(open_jobs)" ]; do sleep 1; done; }
stop_all() { for job in $(open_jobs); do command lode job cancel "$job" || true; done; wait_for_all; }
