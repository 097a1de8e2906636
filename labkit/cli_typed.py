"""What a person typed behind a command: options, words of a question, paths (lesson 00).

- What begins with two dashes and has no blank in it is an option, in a question of plain words too. One that there is not is an error that
  names the nearest, and never a word that is searched for: '--acess staff' would find something, and for the wrong reader.
- A word may begin with one dash: '-fox', '-5 °C'. What stands behind a bare -- is the question, whatever it looks like.
- An empty argument names nothing, a word of a question apart: a script's variable that holds nothing must not mean the folder that it runs
  in.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

import typer
from typer.core import TyperCommand

from labkit.cli_printing import complain
from labkit.errors import BadArgument

FREE_WORDS = {"ignore_unknown_options": True}
"""The settings of a command that takes a question: what it does not know may be a word of it."""


class Typed(TyperCommand):
    """A command that looks at what was typed before it does anything. Exit code 2."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:
        parameters = self.get_params(ctx)
        options = [each for each in parameters if each.param_type_name == "option"]
        takes_value = {name: not each.is_flag for each in options for name in (*each.opts, *each.secondary_opts)}
        # the last argument may take many: the words of a question, of which one may be empty
        single = [each for each in parameters if each.param_type_name == "argument" and each.nargs == 1]
        arguments = [str(each.metavar or each.name).upper() for each in single]
        try:
            look_over(args, takes_value, arguments, ctx.ignore_unknown_options)
        except BadArgument as error:
            complain(str(error))
            raise typer.Exit(2) from None
        return super().parse_args(ctx, args)


class App(typer.Typer):
    """Typer, whose commands are `Typed`."""

    def command(self, *args, cls: type[TyperCommand] = Typed, **more):
        return super().command(*args, cls=cls, **more)


def look_over(args: Sequence[str], takes_value: dict[str, bool], arguments: Sequence[str], words: bool) -> None:
    """Raises BadArgument for the first thing that cannot be meant as it was typed.

    `takes_value`: each option that there is, and whether the next argument belongs to it. `arguments`: what the first arguments that are no
    options are called. `words`: whether what looks like an unknown option would be taken for a word; else it is refused elsewhere.
    """
    rest, named, only_words = iter(args), iter(arguments), False
    for word in rest:
        name, equals, value = word.partition("=")
        if only_words or not word.startswith("-"):
            _refuse_empty(next(named, ""), word)
        elif word == "--":
            only_words = True
        elif name in takes_value:
            if takes_value[name]:
                _refuse_empty(name, value if equals else next(rest, "left out"))
        elif words and name.startswith("--") and not any(map(str.isspace, word)):
            near = get_close_matches(name, takes_value, n=1)
            instead = f"did you mean {near[0]}?" if near else f"there are {', '.join(takes_value)}."
            raise BadArgument(f"there is no option {name} — {instead} To ask for the word itself, put -- before the question: -- {word}")


def _refuse_empty(name: str, value: str) -> None:
    if name and not value:
        raise BadArgument(f"{name} is empty, and names nothing — say what is meant; the folder that you are in is .")
