#!/bin/sh
# Makes .venv ready: a Python >= 3.11, the locked packages, labkit itself. Says nothing where there is nothing to do.
#
# .venv/ready is written last and holds what the environment was made from; while packages are being installed there is
# .venv/installing instead. So an interrupted install is never taken for a finished one, and a new lock, a new pyproject.toml,
# a moved folder or a vanished Python is seen on the next call.
set -eu
cd "$(dirname "$0")/.."

venv=.venv
wants='import sys, venv, ensurepip; assert sys.version_info >= (3, 11); print(getattr(sys, "_base_executable", "") or sys.executable)'

say() { printf '%s\n' "$*" >&2; }

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        "$PYTHON" -c "$wants" 2>/dev/null && return
        say "PYTHON=$PYTHON does not fit: the course needs Python 3.11 or newer, with its venv module (Debian and Ubuntu: apt install python3-venv)."
        return 1
    fi
    for name in python3.13 python3.12 python3.11 python3 python; do
        "$name" -c "$wants" 2>/dev/null && return
    done
    say "No fitting Python found: the course needs Python 3.11 or newer, with its venv module. Looked for python3.13, python3.12, python3.11, python3, python."
    for name in python3.13 python3.12 python3.11 python3; do
        if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            say "$name is new enough, but its venv module is missing. Debian and Ubuntu: apt install python3-venv"
            return 1
        fi
    done
    say "Install one (Debian and Ubuntu: apt install python3 python3-venv; macOS: brew install python@3.13; or https://www.python.org/downloads/),"
    say "or name one: make lab PYTHON=/path/to/python3.12. The README shows the ways with uv and conda."
    return 1
}

# "3.12" for the Python in .venv, nothing where it does not run
version_of() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null || true; }

made_from() {
    printf 'folder %s\npython %s\n' "$(pwd -P)" "$(version_of $venv/bin/python)"
    cksum requirements.lock pyproject.toml
}

fits() {
    [ -z "${PYTHON:-}" ] || [ "$(version_of "$PYTHON")" = "$(version_of $venv/bin/python)" ]
}

if [ -f $venv/ready ] && [ "$(cat $venv/ready)" = "$(made_from)" ] && fits; then
    exit 0
fi

# An environment that works and stands where it was made stays, and pip brings it up to date. In all other cases it is made afresh.
works() { $venv/bin/python -c "$wants" >/dev/null 2>&1 && $venv/bin/python -m pip --version >/dev/null 2>&1; }
moved() { [ -f $venv/ready ] && [ "$(head -n 2 $venv/ready)" != "$(made_from | head -n 2)" ]; }

if [ -e $venv/installing ] || ! works || moved || ! fits; then
    python=$(find_python)
    say "Making .venv with $python ..."
    rm -rf $venv
    mkdir $venv
    : > $venv/installing
    "$python" -m venv $venv
fi

: > $venv/installing
rm -f $venv/ready
# --no-compile: Python compiles what is used when it is used, which is a third of the time.
say "Installing the locked packages (the first time it takes a minute or a few, and needs the network) ..."
if ! $venv/bin/python -m pip install -qq --no-compile --disable-pip-version-check --only-binary :all: --require-hashes -r requirements.lock ||
    ! $venv/bin/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation --editable .; then
    say "The installation did not finish. Where the network was the reason, run the same command again: it starts from what was downloaded."
    exit 1
fi
# Where labkit stands, counted from there: Python reads this file in the locale's encoding, and LC_ALL=C has no é for the folder's name.
for path in $venv/lib/python*/site-packages/labkit.pth; do
    [ ! -e "$path" ] || echo ../../../.. > "$path"
done
rm -f $venv/installing
made_from > $venv/ready.new
mv $venv/ready.new $venv/ready
