#!/bin/sh
# Writes requirements.lock from pyproject.toml: one file for Python 3.11-3.13 on every system, with hashes, from wheels only.
# Keeps the versions that stand there where it can; `make lock ARGS=--upgrade` takes newer ones.
set -eu
cd "$(dirname "$0")/.."

if command -v uv >/dev/null 2>&1; then
    uv=uv
else
    [ -x build/uv/bin/uv ] || { .venv/bin/python -m venv build/uv && build/uv/bin/python -m pip install -qq --disable-pip-version-check uv; }
    uv=build/uv/bin/uv
fi
mkdir -p build
# A copy is compiled, so that a failure leaves the old lock in place.
cp requirements.lock build/requirements.lock
"$uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes --only-binary :all: \
    --no-emit-index-url --no-emit-find-links --no-annotate --all-extras --custom-compile-command "make lock" \
    "$@" pyproject.toml -o build/requirements.lock
mv build/requirements.lock requirements.lock
.venv/bin/python tools/environment.py
