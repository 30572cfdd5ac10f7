#!/bin/sh
# Makes .venv with the packages of a lock: `kbsite/bootstrap.sh run` or `kbsite/bootstrap.sh dev`.
# Does nothing, in milliseconds, when .venv already holds what the lock names.
set -eu
cd "$(dirname "$0")/.."

kind=${1:-run}
wanted=$(cat .python-version)
case $kind in
  run) lock=requirements.txt ;;
  dev) lock=requirements-dev.txt ;;
  *) echo "Use: kbsite/bootstrap.sh run|dev" >&2; exit 2 ;;
esac

say() { printf '%s\n' "$*" >&2; }
give_up() { say "$*"; exit 1; }
is_wanted() { "$1" -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$wanted')" >/dev/null 2>&1; }

find_python() {
  for candidate in \
    "${KB_PYTHON:-}" "python$wanted" python3 python \
    "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$wanted"*/bin/python3 \
    "$HOME"/.local/share/uv/python/cpython-"$wanted"*/bin/python3 \
    "/opt/homebrew/bin/python$wanted" "/usr/local/bin/python$wanted" "/usr/bin/python$wanted"
  do
    # A pyenv shim exists for every version ever installed, and refuses most of them: only running tells.
    if [ -n "$candidate" ] && is_wanted "$candidate"; then
      printf '%s\n' "$candidate"
      return
    fi
  done
}

stamp=.venv/.installed
locked=$(cksum < requirements.txt)-$(cksum < requirements-dev.txt)
if [ -f "$stamp" ] && is_wanted .venv/bin/python; then
  case $(cat "$stamp") in "$kind $locked" | "dev $locked") exit 0 ;; esac
fi

free_mb=$(df -Pm . | awk 'NR == 2 { print $4 }')
[ "$free_mb" -ge 2500 ] || give_up "Only $free_mb MB are free on this disk; installing needs 2,500 MB. Free some and try again."

if ! is_wanted .venv/bin/python || ! [ -x .venv/bin/pip ]; then  # None, another version's, or half made.
  python=$(find_python)
  [ -n "$python" ] || give_up "Skill-Know needs Python $wanted and none was found. Install it (\`pyenv install $wanted\`, \`uv python install $wanted\`, or your system's python$wanted and python$wanted-venv packages), or name one: KB_PYTHON=/path/to/python$wanted make"
  "$python" -c 'import ensurepip, venv' 2>/dev/null || give_up "$python can't make virtual environments. On Debian and Ubuntu: apt install python$wanted-venv"
  say "Making .venv with $("$python" --version) …"
  rm -rf .venv
  "$python" -m venv .venv
fi

say "Installing the packages of $lock (a few minutes the first time) …"
.venv/bin/python -m pip install -qq --disable-pip-version-check --no-input --no-deps \
  --require-hashes --only-binary :all: --requirement "$lock" \
  || give_up "Installing the packages failed; the lines above say why. Check the network and the disk, then try again."
printf '%s\n' "$kind $locked" > "$stamp"
