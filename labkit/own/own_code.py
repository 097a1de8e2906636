"""A function of the practitioner's own, named in labkit.toml as 'module:function' and imported from their folder (lesson 15).

It is their code, in their folder, and runs with their rights: nothing of it is looked at before. A file `module.py` in the folder comes
first, whatever else of that name is installed. What it prints goes to stderr, since stdout is the report's.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from copy import deepcopy
from pathlib import Path

from labkit.errors import BadArgument

NAME = re.compile(r"([^\W\d]\w*(?:\.[^\W\d]\w*)*):([^\W\d]\w*)")


def own_function(name: str, folder: Path) -> Callable:
    """The function that 'module:function' names. Raises BadArgument: what is wrong — what to do."""
    found = NAME.fullmatch(name)
    if not found:
        raise BadArgument(f"{name!r} names no function — write module:function, as in my_chunkers:whole_blocks for my_chunkers.py")
    module, function = found[1], found[2]
    loaded = _module(module, folder)
    if not hasattr(loaded, function):
        raise BadArgument(f"{module} has no {function} — check its name")
    if not callable(getattr(loaded, function)):
        raise BadArgument(f"{name} is no function — name one that takes a parsed document and returns a list of chunks")
    return getattr(loaded, function)


def guarded(function: Callable) -> Callable:
    """A chunker of somebody's own with its slips kept to itself: it gets a copy of the document, since the other chunkers cut the same one,
    and where it ends the program, that is an error like others."""

    def cut(parsed):
        with redirect_stdout(sys.stderr):
            try:
                return function(deepcopy(parsed))
            except SystemExit as error:
                raise RuntimeError(f"it ends the program (sys.exit({error.code!r}))") from error

    return cut


def _module(name: str, folder: Path):
    folder = folder.resolve()
    file = folder.joinpath(*name.split(".")).with_suffix(".py")
    here = file.is_file() and file.resolve().is_relative_to(folder)
    sys.path.insert(0, str(folder))  # what it imports may lie beside it
    before = set(sys.modules)
    try:
        with redirect_stdout(sys.stderr):
            if not here:
                return importlib.import_module(name)
            spec = importlib.util.spec_from_file_location(f"own.{name}", file)
            loaded = importlib.util.module_from_spec(spec)
            sys.modules[spec.name] = loaded  # a dataclass looks itself up there
            spec.loader.exec_module(loaded)
            return loaded
    except ModuleNotFoundError as error:
        if error.name == name.partition(".")[0]:
            raise BadArgument(f"there is no {name}.py in the folder, and no such module is installed — check its name") from None
        raise BadArgument(f"{name} cannot be imported: {error} — install it, or mend the import") from error
    except (Exception, SystemExit) as error:
        raise BadArgument(f"{name} cannot be imported ({type(error).__name__}: {error}) — run it by itself to see where") from error
    finally:
        sys.path.remove(str(folder))
        for each in set(sys.modules) - before:  # another folder may have a module of the same name
            if (origin := getattr(sys.modules[each], "__file__", None)) and Path(origin).is_relative_to(folder):
                del sys.modules[each]
