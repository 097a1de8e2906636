"""One browser for the tests of a file."""

import sys
from pathlib import Path

import browser
import pytest

sys.path.append(str(Path(__file__).resolve().parent.parent))  # own_folders.py and its sisters


@pytest.fixture(scope="module")
def chromium():
    with browser.started() as found:
        yield found
