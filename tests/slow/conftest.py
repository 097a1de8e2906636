"""One browser for the tests of a file."""

import browser
import pytest


@pytest.fixture(scope="module")
def chromium():
    with browser.started() as found:
        yield found
