"""Writes environment.yml from pyproject.toml (what, and why) and requirements.lock (which version). Part of `make lock`.

conda itself brings python and pip alone. All else comes by pip, at the locked versions, so that the three ways of installing
(make, uv, conda) give the same packages.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PYTHON = "3.12"

HEAD = f"""\
# For conda (or mamba):  conda env create -f environment.yml && conda activate labkit && labkit open
# conda brings python and pip only; the rest are the versions of requirements.lock, each with the lesson or command that needs it.
# Written by `make lock` (tools/environment.py): edit pyproject.toml instead.
name: labkit
channels:
  - conda-forge
dependencies:
  - python={PYTHON}
  - pip
  - pip:
"""


def declared(pyproject: str) -> list[tuple[Requirement, str]]:
    """Each requirement in `pyproject` (the file's text) and its reason: the comment behind it, or on the line above. Extras count too."""
    found = []
    table = above = ""
    inside = False
    for line in pyproject.splitlines():
        if line.startswith("["):
            table = line
        elif line == "dependencies = [" or (table == "[project.optional-dependencies]" and re.match(r"[a-z]+ = \[$", line)):
            inside = True
        elif line == "]":
            inside = False
        elif inside and (match := re.match(r'\s+"(?P<what>[^"]+)",\s*(?:#\s*(?P<why>.*))?$', line)):
            found.append((Requirement(match["what"]), (match["why"] or above).strip()))
            above = ""
        elif inside and (match := re.match(r"\s+#\s*(.*)$", line)):
            above = match[1]
        elif inside:
            raise ValueError(f"pyproject.toml: one requirement a line, please: {line!r}")
    return found


def locked(lock: str) -> list[Requirement]:
    """Each requirement in `lock` (the text of requirements.lock), with its marker, in order."""
    return [Requirement(line.removesuffix("\\").strip()) for line in lock.splitlines() if re.match(r"[A-Za-z]", line)]


def version(name: str, pins: list[Requirement], python: str = PYTHON) -> str:
    """The version of `name` that the lock gives for this Python on Linux. Raises ValueError where it gives none, or two."""
    here = {"python_version": python, "python_full_version": f"{python}.5", "sys_platform": "linux", "os_name": "posix"}
    here |= {"platform_machine": "x86_64", "platform_system": "Linux", "implementation_name": "cpython"}
    fitting = {
        str(pin.specifier).removeprefix("==")
        for pin in pins
        if canonicalize_name(pin.name) == canonicalize_name(name) and (pin.marker is None or pin.marker.evaluate(here))
    }
    if len(fitting) != 1:
        raise ValueError(f"requirements.lock gives {sorted(fitting) or 'no version'} for {name} on Python {python}: run make lock")
    return fitting.pop()


def environment(pyproject: str, lock: str) -> str:
    """The text of environment.yml."""
    pins = locked(lock)
    rows = []
    for requirement, why in declared(pyproject):
        entry = f"{requirement.name}=={version(requirement.name, pins)}"
        if requirement.marker:
            entry += f" ; {requirement.marker}".replace('"', "'")
        rows.append((entry, why))
    rows.append(("-e .", "every lesson: labkit itself, from this folder"))
    width = max(len(entry) for entry, _ in rows if ";" not in entry)
    return HEAD + "".join(f"      - {entry:<{width}}  # {why}\n" for entry, why in rows)


if __name__ == "__main__":
    text = environment((ROOT / "pyproject.toml").read_text("utf-8"), (ROOT / "requirements.lock").read_text("utf-8"))
    new = ROOT / "environment.yml.new"
    new.write_text(text, encoding="utf-8", newline="\n")
    os.replace(new, ROOT / "environment.yml")
