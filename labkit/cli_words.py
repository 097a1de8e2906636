"""Commands that take a question in plain words: what is an option, and what is a word of the question (lesson 00).

- What begins with two dashes and has no blank in it is an option. One that there is not is an error that names the nearest, and never a
  word that is searched for: '--acess staff' would find something, and for the wrong reader.
- Any word may begin with one dash: '-fox', '-5 °C'.
- What stands behind a bare -- is the question, whatever it looks like.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

import typer
from typer.core import TyperCommand

from labkit.cli_printing import complain
from labkit.errors import BadArgument

FREE_WORDS = {"ignore_unknown_options": True}
"""The settings of such a command: what it does not know may be a word of the question."""


class WordsCommand(TyperCommand):
    """A command with `FREE_WORDS` that refuses options that there are not. Exit code 2."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:
        options = [each for each in self.get_params(ctx) if each.param_type_name == "option"]
        try:
            refuse_unknown(args, {name: not each.is_flag for each in options for name in (*each.opts, *each.secondary_opts)})
        except BadArgument as error:
            complain(str(error))
            raise typer.Exit(2) from None
        return super().parse_args(ctx, args)


def refuse_unknown(args: Sequence[str], takes_value: dict[str, bool]) -> None:
    """`takes_value`: each option that there is, and whether the next argument belongs to it. Raises BadArgument for the first
    that there is not."""
    rest = iter(args)
    for word in rest:
        if word == "--":
            return
        name, equals, _ = word.partition("=")
        if name in takes_value:
            if takes_value[name] and not equals:
                next(rest, None)
        elif name.startswith("--") and not any(map(str.isspace, word)):
            near = get_close_matches(name, takes_value, n=1)
            instead = f"did you mean {near[0]}?" if near else f"there are {', '.join(takes_value)}."
            raise BadArgument(f"there is no option {name} — {instead} To ask for the word itself, put -- before the question: -- {word}")
