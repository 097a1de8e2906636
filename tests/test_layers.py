"""labkit is built in one direction: a module imports what lies below it, never what lies above or beside it."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# From the ground floor up. A new module gets its place here, and needs no other edit.
LEVELS = [
    ["errors", "numeric"],
    ["course", "dates", "files", "passages", "processes"],
    ["textfiles", "jsonshape", "toml_lines"],
    ["csvtable"],
    ["collection"],
    ["sections"],
    ["questions_markdown"],
    ["questions"],
    ["parsing"],
    ["validation"],
    ["chunking"],
    ["embedding"],
    ["hierarchy"],
    ["retrieval"],
    ["evaluation"],
    ["show"],
    ["stages"],
    ["own"],
    ["lessons"],
    ["doctor"],
    ["cli_printing", "cli_keys"],
    ["cli_places", "cli_watching", "cli_typed"],
    ["cli_lessons"],
    ["cli_classroom"],
    ["cli_reading"],
    ["cli_index"],
    ["cli_own", "cli_own_judging", "cli_own_making", "cli_ask"],
    ["cli"],
    ["__main__"],
]
LEVEL = {name: level for level, names in enumerate(LEVELS) for name in names}


def modules(folder: Path) -> dict[str, ast.Module]:
    """Dotted name -> syntax tree, for each Python file of the package in `folder`; a package goes by its own name."""
    found = {}
    for file in sorted(folder.rglob("*.py")):
        parts = [folder.name, *file.relative_to(folder).with_suffix("").parts]
        if parts[-1] == "__init__":
            parts.pop()
        found[".".join(parts)] = ast.parse(file.read_text("utf-8"), str(file))
    return found


def public_names(trees: dict[str, ast.Module]) -> dict[str, str]:
    """'labkit.words' -> 'labkit.retrieval.keyword', from the table in the package's own file; __version__ stands in it itself."""
    found = {}
    for module, tree in trees.items():
        if "." not in module:
            found[f"{module}.__version__"] = f"{module}.errors"
            for node in tree.body:
                if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "_WHERE":
                    found |= {f"{module}.{name}": where for name, where in ast.literal_eval(node.value).items()}
    return found


def own_imports(module: str, tree: ast.Module, trees: dict[str, ast.Module], packages: set[str]) -> list[tuple[str, int]]:
    """(module of ours, line) for each import in `tree`: at the top, in a function, relative, by import_module, or by a public name."""
    public = public_names(trees)
    root = module.partition(".")[0]
    found = []
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = module.split(".") if module in packages else module.split(".")[:-1]
            start = ".".join(base[: len(base) - node.level + 1]) if node.level else ""
            source = ".".join(part for part in (start, node.module) if part)
            # `from labkit.retrieval import bm25` means the module, where there is one of that name
            full = [f"{source}.{alias.name}" for alias in node.names]
            names = [name if name in trees else public.get(name, source) for name in full]
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            function = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if function in ("import_module", "__import__"):
                names = [str(node.args[0].value)]
        found += [(name, node.lineno) for name in names if name.partition(".")[0] == root]
    return found


def floor(module: str) -> str:
    """'labkit.retrieval.bm25' stands on the floor 'retrieval'."""
    return module.split(".")[1] if "." in module else ""


def wrong_imports(trees: dict[str, ast.Module], packages: set[str]) -> list[str]:
    """A sentence for each import that does not run downwards."""
    wrong = []
    for module, tree in trees.items():
        if not floor(module):
            continue  # the package's own file imports by name, on first use
        if floor(module) not in LEVEL:
            wrong.append(f"{module} has no place in LEVELS")
            continue
        for target, line in own_imports(module, tree, trees, packages):
            if not floor(target):
                wrong.append(f"{module}:{line} imports from the top of {target} what is no public name: name the module")
            elif floor(target) not in LEVEL:
                wrong.append(f"{module}:{line} imports {target}, which has no place in LEVELS")
            elif floor(target) != floor(module) and LEVEL[floor(target)] >= LEVEL[floor(module)]:
                wrong.append(f"{module}:{line} imports {target}, which is not below it")
    return wrong


def circle(trees: dict[str, ast.Module], packages: set[str]) -> list[str]:
    """A chain of imports that comes back to its beginning, or nothing."""
    edges = {module: [t for t, _ in own_imports(module, tree, trees, packages)] for module, tree in trees.items()}
    done: set[str] = set()

    def walk(module: str, path: list[str]) -> list[str]:
        if module in path:
            return [*path[path.index(module) :], module]
        if module in done:
            return []
        for target in edges.get(module, []):
            if target != module and (found := walk(target, [*path, module])):
                return found
        done.add(module)
        return []

    for module in trees:
        if found := walk(module, []):
            return found
    return []


def packages_in(folder: Path) -> set[str]:
    return {".".join([folder.name, *file.parent.relative_to(folder).parts]) for file in folder.rglob("__init__.py")}


LABKIT = modules(ROOT / "labkit")
PACKAGES = packages_in(ROOT / "labkit")


def public_functions(tree: ast.Module):
    """Functions and classes at the top that carry no underscore, and the methods of classes that inherit nothing.

    What a method means that a base class asks for is said in the base class, and what a hook of pytest means, by pytest.
    """
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith(("_", "pytest_")):
            yield node.name, node
            if isinstance(node, ast.ClassDef) and not node.bases:
                for inner in node.body:
                    if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef) and not inner.name.startswith("_"):
                        yield f"{node.name}.{inner.name}", inner


def test_imports_run_downwards():
    assert wrong_imports(LABKIT, PACKAGES) == []


def test_no_circle_of_imports():
    assert circle(LABKIT, PACKAGES) == []


MADE_UP = [
    ("an import upwards", "errors.py", "import labkit.cli", "errors:1 imports labkit.cli"),
    ("from a module above", "collection.py", "from labkit.sections import split_sections", "collection:1 imports labkit.sections"),
    ("a module above, by its package", "passages.py", "from labkit.retrieval import bm25", "passages:1 imports labkit.retrieval.bm25"),
    ("inside a function", "sections.py", "def f():\n    from labkit.evaluation import metrics", "sections:2 imports labkit.evaluation"),
    ("relative", "retrieval/bm25.py", "from ..evaluation.metrics import x", "retrieval.bm25:1 imports labkit.evaluation.metrics"),
    ("relative, from a package", "retrieval/__init__.py", "from .. import cli", "retrieval:1 imports labkit.cli"),
    ("by name", "errors.py", "import importlib\nimportlib.import_module('labkit.show.style')", "errors:2 imports labkit.show.style"),
    ("a neighbour on the same floor", "jsonshape.py", "from labkit.textfiles import shown", "jsonshape:1 imports labkit.textfiles"),
    ("what the package does not offer", "show/style.py", "from labkit import secret", "show.style:1 imports from the top"),
    ("upwards by a public name", "sections.py", "from labkit import bm25", "sections:1 imports labkit.retrieval"),
    ("a module without a place", "utils.py", "", "utils has no place"),
    ("an import of one without a place", "cli.py", "import labkit.misc", "cli:1 imports labkit.misc"),
]


@pytest.mark.parametrize("kind, file, source, said", MADE_UP, ids=[row[0] for row in MADE_UP])
def test_a_made_up_wrong_import_is_caught(tmp_path, kind, file, source, said):
    folder = tmp_path / "labkit"
    for name in ("__init__.py", "errors.py", "cli.py", "sections.py", "retrieval/__init__.py", "retrieval/bm25.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("", "utf-8")
    (folder / "__init__.py").write_text('_WHERE = {"bm25": "labkit.retrieval"}', "utf-8")
    (folder / file).parent.mkdir(exist_ok=True)
    (folder / file).write_text(source, "utf-8")
    (sentence,) = wrong_imports(modules(folder), packages_in(folder))
    assert f"labkit.{said}" in sentence


@pytest.mark.parametrize(
    "file, source",
    [
        ("cli.py", "import labkit.errors\nfrom labkit.retrieval import bm25\nfrom . import __version__"),
        ("retrieval/bm25.py", "from ..errors import BadArgument\nfrom labkit.retrieval import keyword\nimport json"),
        ("retrieval/__init__.py", "from .bm25 import gain"),
        ("cli.py", "from labkit import words, __version__"),
    ],
)
def test_imports_downwards_and_inside_a_package_are_right(tmp_path, file, source):
    (tmp_path / "labkit/retrieval").mkdir(parents=True)
    for name in ("__init__.py", "errors.py", "cli.py", "retrieval/__init__.py", "retrieval/bm25.py", "retrieval/keyword.py"):
        (tmp_path / "labkit" / name).write_text("", "utf-8")
    (tmp_path / "labkit/__init__.py").write_text('_WHERE = {"words": "labkit.retrieval.keyword"}', "utf-8")
    (tmp_path / "labkit" / file).write_text(source, "utf-8")
    assert wrong_imports(modules(tmp_path / "labkit"), packages_in(tmp_path / "labkit")) == []


def test_a_made_up_circle_is_caught(tmp_path):
    folder = tmp_path / "labkit"
    (folder / "show").mkdir(parents=True)
    sources = {"style": "from labkit.show import tables", "tables": "from .figures import x", "figures": "import labkit.show.style"}
    for name, source in sources.items():
        (folder / f"show/{name}.py").write_text(source, "utf-8")
    (folder / "show/__init__.py").write_text("", "utf-8")
    assert set(circle(modules(folder), packages_in(folder))) == {"labkit.show.style", "labkit.show.tables", "labkit.show.figures"}


@pytest.mark.parametrize("module", [module for module in LABKIT if module != "labkit.__main__"])
def test_each_module_says_what_it_is_for(module):
    assert ast.get_docstring(LABKIT[module])


@pytest.mark.parametrize("module", LABKIT)
def test_each_public_function_says_what_it_does(module):
    silent = [name for name, node in public_functions(LABKIT[module]) if not ast.get_docstring(node)]
    assert silent == [], f"{module}: no docstring"


def test_no_module_is_called_utils():
    assert not [module for module in LABKIT if module.rpartition(".")[2] in ("util", "utils", "helpers", "misc", "common")]
