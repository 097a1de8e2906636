"""Makes the Consumer Code's documents from the parts beside this file: see code_text.py.

    python corpus/northmark/sources/make_code.py            writes the files below
    python corpus/northmark/sources/make_code.py --check    writes nothing; exits 1 if a file is not what its source gives

    documents/consumer-code.md                  the document that the inventory names
    print/consumer-code.pdf                     the same text as printed (code_pages.py)
    mineru/consumer-code_content_list.json      the printed Code as MinerU hands it over (code_mineru.py)
    mineru/consumer-code.md

Only the first is in the inventory, and only it lies in documents/: a text that is listed in three forms would be found three times.
"""

from __future__ import annotations

import sys
from pathlib import Path

from code_mineru import mineru_output
from code_pages import set_pages
from code_text import PARTS, blocks_of, code_markdown
from making import run  # code_text has found its folder

COLLECTION = Path(__file__).resolve().parent.parent


def made(parts: Path = PARTS) -> dict[str, bytes]:
    """What the sources give: file, from the collection's folder -> its bytes. Raises SourceFault."""
    markdown = code_markdown(parts)
    blocks = blocks_of(markdown)
    setting = set_pages(blocks)
    content_list, mineru_markdown = mineru_output(blocks, setting)
    return {
        "documents/consumer-code.md": markdown.encode("utf-8"),
        "print/consumer-code.pdf": setting.content,
        "mineru/consumer-code_content_list.json": content_list.encode("utf-8"),
        "mineru/consumer-code.md": mineru_markdown.encode("utf-8"),
    }


def main(arguments: list[str] | None = None, parts: Path = PARTS, collection: Path = COLLECTION) -> int:
    return run(lambda: made(parts), collection, "make_code.py", arguments)


if __name__ == "__main__":
    sys.exit(main())
