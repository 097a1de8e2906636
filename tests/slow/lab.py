"""JupyterLab on a fresh work folder, and a learner in it: opens a lesson, runs it, types into cells, saves."""

from __future__ import annotations

import os
import secrets
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from labkit.course import course_folder
from labkit.lessons import jupyter
from labkit.lessons.workfolder import make_work_folder, open_lessons

PATIENCE = 90_000  # milliseconds for any one thing to happen
PANEL = "jupyterapp.shell.currentWidget"
PIECE = 3000  # pixels: the height of one screenshot of a long notebook

AT_REST = """() => {
    const panel = window.jupyterapp?.shell.currentWidget;
    return panel?.context?.isReady && panel.sessionContext?.session?.kernel?.status === 'idle';
}"""
ALL_RAN = f"""() => {PANEL}.content.widgets.every(cell => cell.model.type !== 'code' || cell.model.executionCount)
    && {PANEL}.sessionContext.session.kernel.status === 'idle'"""
PAINTED = """async () => {
    await document.fonts.ready;
    await Promise.all([...document.images].map(image => image.decode().catch(() => null)));
    for (let frame = 0; frame < 3; frame++) await new Promise(done => requestAnimationFrame(done));
}"""

# Cells above get their true height only when they are laid out, so that one scroll is not enough.
AT_THE_TOP = """async cell => {
    for (let still = 0, last = null; still < 5; ) {
        cell.scrollIntoView({ block: 'start' });
        await new Promise(done => requestAnimationFrame(done));
        const top = cell.getBoundingClientRect().top;
        still = top === last ? still + 1 : 0;
        last = top;
    }
}"""


class Server:
    """A running JupyterLab: its work folder, port and token."""

    def __init__(self, work: Path, port: int, token: str):
        self.work, self.port, self.token = work, port, token

    def address(self, notebook: str) -> str:
        """Where a browser finds this notebook, as `labkit open` prints it."""
        return f"http://127.0.0.1:{self.port}/lab/tree/{notebook}?token={self.token}"


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """JupyterLab as `labkit open` starts it, on a new work folder with all lessons inside `folder`; with nobody's own settings."""
    course = course_folder()
    work = make_work_folder(folder / "work")
    open_lessons(work, course / "notebooks")
    token = secrets.token_hex(16)
    port = jupyter.free_port(20_000 + os.getpid() % 20_000)  # apart from those of other workers
    environment = jupyter.environment(course, token) | {"TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONUNBUFFERED": "1"}
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        environment[name] = str(folder / name.lower())
    log = folder / "server.log"
    with log.open("wb") as said:
        # the page's own objects are how a test finds a cell by its id
        command = [*jupyter.command(work, port, browser=False), "--LabApp.expose_app_in_browser=True"]
        server = subprocess.Popen(command, env=environment, cwd=work, stdout=said, stderr=said)
        try:
            jupyter._wait_until_up(server, "127.0.0.1", port)
            yield Server(work, port, token)
        except BaseException:
            print(log.read_text("utf-8", errors="replace"))  # pytest shows it beside the failure
            raise
        finally:
            server.terminate()
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


class Learner:
    """Somebody in front of one lesson, in a Playwright page."""

    def __init__(self, page, server: Server, notebook: str):
        self.page, self.file = page, server.work / notebook
        page.set_default_timeout(PATIENCE)
        page.goto(server.address(notebook))
        self.wait(AT_REST)

    def wait(self, condition: str, argument=None) -> None:
        """Until the JavaScript `condition` holds."""
        self.page.wait_for_function(condition, arg=argument, timeout=PATIENCE)

    def run_all(self) -> None:
        """By the menu, and until the last cell has run."""
        self.page.get_by_role("menuitem", name="Run", exact=True).click()
        self.page.locator(".lm-Menu-itemLabel").get_by_text("Run All Cells", exact=True).click()
        self.wait(ALL_RAN)

    def model(self) -> dict:
        """The notebook as it stands in the page, in the form of its file."""
        return self.page.evaluate(f"{PANEL}.content.model.toJSON()")

    def cell(self, cell_id: str):
        """The cell of this id, as a Playwright Locator."""
        places = [each["id"] for each in self.model()["cells"]]
        return self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook .jp-Cell").nth(places.index(cell_id))

    def fill_in(self, cell_id: str, source: str) -> None:
        """Click into the cell and replace its text."""
        self.cell(cell_id).locator(".jp-InputArea .cm-content").click()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(source)

    def fill(self, cell_id: str, source: str) -> None:
        """The same, then run it by keyboard, and wait until it has run."""
        before = next(each for each in self.model()["cells"] if each["id"] == cell_id)["execution_count"] or 0
        self.fill_in(cell_id, source)
        self.page.keyboard.press("Shift+Enter")
        self.wait(
            f"""([id, before]) => {PANEL}.sessionContext.session.kernel.status === 'idle'
                && {PANEL}.content.widgets.find(cell => cell.model.id === id).model.executionCount > before""",
            [cell_id, before],
        )

    def note_below(self, cell_id: str, text: str) -> None:
        """A markdown cell of one's own under a cell, by keyboard alone after the click."""
        self.cell(cell_id).locator(".jp-InputPrompt").click()
        for key in ("b", "m", "Enter"):
            self.page.keyboard.press(key)
        self.page.keyboard.insert_text(text)
        self.page.keyboard.press("Shift+Enter")

    def answer(self, cell_id: str) -> str:
        """What the check under this cell says, as it can be read on the page."""
        found = self.cell(cell_id).locator(".labkit-answer")
        found.scroll_into_view_if_needed()  # JupyterLab lays out only what is in sight
        self.page.evaluate(PAINTED)
        return found.inner_text()

    def save(self) -> None:
        """Ctrl-S, and until the file is written."""
        self.page.keyboard.press("ControlOrMeta+s")
        self.wait(f"() => !{PANEL}.context.model.dirty")

    def theme(self, name: str) -> None:
        """'JupyterLab Light' or 'JupyterLab Dark'."""
        self.page.evaluate("name => jupyterapp.commands.execute('apputils:change-theme', { theme: name })", name)
        self.wait("name => document.body.dataset.jpThemeName === name", name)
        self.page.evaluate(PAINTED)

    def side_bar(self, shown: bool) -> None:
        """The list of files at the left, shown or put away."""
        self.page.evaluate(f"jupyterapp.shell.{'expandLeft' if shown else 'collapseLeft'}()")

    def show(self, cell_id: str) -> None:
        """Scroll until this cell stands at the top."""
        self.page.mouse.move(0, 0)
        self.cell(cell_id).evaluate(AT_THE_TOP)
        self.page.evaluate(PAINTED)

    def photograph(self, folder: Path, name: str, width: int = 1000) -> list[Path]:
        """The whole notebook at this width, in pieces, as `name`-1.png, `name`-2.png …"""
        self.side_bar(False)
        self.page.set_viewport_size({"width": width, "height": PIECE})
        self.page.evaluate(PAINTED)
        outer = self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-WindowedPanel-outer")
        step, height = outer.evaluate("it => [it.clientHeight, it.scrollHeight]")
        files = []
        for number, top in enumerate(range(0, height, step), 1):
            outer.evaluate("(it, top) => { it.scrollTop = top; }", top)
            self.page.evaluate(PAINTED)
            files.append(folder / f"{name}-{number}.png")
            outer.screenshot(path=files[-1])
        return files
