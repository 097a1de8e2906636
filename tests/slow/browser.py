"""The Chromium of this machine, started without a window, and what a page in it asked for and complained of."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

VARIABLE = "LABKIT_CHROMIUM"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
TO_DO = f"install one (Debian: apt-get install chromium; macOS: brew install --cask chromium), or name one in {VARIABLE}"
FLAGS = [
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--disable-dev-shm-usage",  # a container's /dev/shm is small
    "--force-color-profile=srgb",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",  # nothing outside can be reached, whoever asks
]
HERE = ("127.0.0.1", "localhost")


class NoChromium(Exception):
    """No Chromium or Chrome on this machine."""


def find_chromium(environment: Mapping[str, str] = os.environ) -> str:
    """The browser to start: LABKIT_CHROMIUM, else the first of the usual names. Raises NoChromium with what to do."""
    named = environment.get(VARIABLE)
    if named:
        found = shutil.which(named, path=environment.get("PATH"))
        if not found:
            raise NoChromium(f"{VARIABLE} is {named}, which cannot be started: {TO_DO}")
        return found
    for name in (*NAMES, *MAC):
        if found := shutil.which(name, path=environment.get("PATH")):
            return found
    raise NoChromium(f"the tests in tests/slow need Chromium or Chrome: {TO_DO}")


@contextmanager
def started() -> Iterator:
    """A headless browser with a fresh profile, as a Playwright Browser; gone afterwards."""
    from playwright.sync_api import sync_playwright

    path = find_chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS, chromium_sandbox=False)  # root and containers have none
        try:
            yield browser
        finally:
            browser.close()


class Watch:
    """Everything that goes wrong in the pages of a Playwright context, and every host that they ask, from now on."""

    def __init__(self, context):
        self.errors: list[str] = []
        self.failed: list[str] = []
        self.asked: list[str] = []
        context.on("console", lambda said: said.type == "error" and self.errors.append(f"{said.text} ({said.location.get('url')})"))
        context.on("weberror", lambda raised: self.errors.append(str(raised.error)))
        context.on("request", lambda request: self.asked.append(request.url))
        context.on("requestfailed", lambda request: self.failed.append(f"{request.method} {request.url}: {request.failure}"))
        context.on("response", lambda got: got.status >= 400 and self.failed.append(f"{got.request.method} {got.url}: {got.status}"))
        context.on("page", lambda page: page.on("websocket", lambda socket: self.asked.append(socket.url)))

    def outside(self) -> list[str]:
        """The addresses asked for that are not on this machine."""
        parts = [(address, urlsplit(address)) for address in self.asked]
        return [address for address, url in parts if url.scheme not in ("data", "blob", "about") and url.hostname not in HERE]


def screenshot_folder() -> Path:
    """build/browser, where the pictures of a run are left to be looked at."""
    folder = Path(__file__).resolve().parents[2] / "build" / "browser"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
