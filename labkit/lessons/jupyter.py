"""Starts JupyterLab on a learner's folder: no account, no network, no news prompt; as root too; with or without a display (lesson 00)."""

from __future__ import annotations

import http.client
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from labkit.course import VARIABLE
from labkit.errors import BadArgument, LabError

FIRST_PORT = 8888
_TRIES = 50
_CONFIG = Path(__file__).parent / "jupyter_config"  # only default settings: a learner's own choices win


def free_port(first: int = FIRST_PORT, ip: str = "127.0.0.1") -> int:
    """The first port from `first` up that nobody listens on. BadArgument: not in 1 … 65535; LabError: 50 taken."""
    if not 1 <= first <= 65535:
        raise BadArgument(f"port {first}: a port is a number from 1 to 65535")
    for port in range(first, min(first + _TRIES, 65536)):
        with socket.socket(socket.AF_INET6 if ":" in ip else socket.AF_INET) as place:
            if os.name == "posix":
                place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a server that has just stopped is no obstacle
            with suppress(OSError):
                place.bind((ip, port))
                return port
    raise LabError(f"no free port from {first} to {min(first + _TRIES, 65536) - 1} on {ip} — name another with --port")


def has_display(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> bool:
    """Whether a browser window can open here."""
    if environment.get("BROWSER"):
        return True
    if platform in ("win32", "darwin"):
        return "SSH_CONNECTION" not in environment
    return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def command(work: Path, port: int, *, browser: bool, ip: str = "127.0.0.1", first: str | None = None) -> list[str]:
    """What is run. `first` is a notebook in `work` to show at the start."""
    from jupyter_client.manager import KernelManager

    from labkit.lessons.kernel import can_encrypt

    parts = [
        sys.executable, "-m", "jupyterlab",
        f"--ServerApp.root_dir={work}",
        f"--ServerApp.ip={ip}",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        f"--ServerApp.open_browser={browser}",
        "--ServerApp.answer_yes=True",
        "--LabApp.news_url=None",
        "--LabApp.extension_manager=readonly",  # the lock says what is installed; and nothing is asked of the network
        "--log-level=ERROR",
        "--LabApp.log_level=ERROR",  # it does not take the server's level
    ]  # fmt: skip
    if can_encrypt(KernelManager):  # else each kernel warns on the terminal that it talks in plain text
        parts.append("--KernelManager.transport_encryption=auto")
    if first:
        parts.append(f"--LabApp.default_url=/lab/tree/{first}")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        parts.append("--allow-root")
    return parts


def environment(course: Path, token: str) -> dict[str, str]:
    """The server's environment: ours, with the course's place, the token (never on the command line), our default settings, and `labkit`
    first among the commands of a terminal that is opened there."""
    inherited = dict(os.environ)
    paths = [str(_CONFIG), *filter(None, [inherited.get("JUPYTER_CONFIG_PATH")])]
    commands = [str(Path(sys.executable).parent), inherited.get("PATH", os.defpath)]
    own = {VARIABLE: str(course), "JUPYTER_TOKEN": token, "JUPYTER_CONFIG_PATH": os.pathsep.join(paths), "PATH": os.pathsep.join(commands)}
    return inherited | own


def run(
    work: Path,
    course: Path,
    *,
    port: int = FIRST_PORT,
    browser: bool | None = None,
    ip: str = "127.0.0.1",
    first: str | None = None,
    say: Callable[[str], None] = print,
) -> int:
    """Start JupyterLab, say its address, and stay until it stops. Returns 0, or the server's exit code where it failed.

    `browser` None: open one where there is a display. Raises LabError where the server does not start.
    """
    token = secrets.token_hex(16)
    found = free_port(port, ip)
    if found != port:
        say(f"Port {port} is taken, so this is {found}.")
    browser = has_display() if browser is None else browser
    address = (
        f"http://{'localhost' if ip in ('127.0.0.1', '0.0.0.0', '::') else ip}:{found}/lab{f'/tree/{first}' if first else ''}?token={token}"
    )
    say("Starting JupyterLab …")
    server = subprocess.Popen(command(work, found, browser=browser, ip=ip, first=first), env=environment(course, token), cwd=work)
    previous = signal.signal(signal.SIGTERM, lambda *_: server.terminate())
    try:
        _wait_until_up(server, "127.0.0.1" if ip == "0.0.0.0" else ip, found)
        say(f"\nJupyterLab runs here (stop it with Ctrl-C):\n\n    {address}\n")
        code = server.wait()
        return 0 if code in (0, -signal.SIGTERM) else code
    except KeyboardInterrupt:
        say("\nStopping JupyterLab …")
        return 0
    finally:
        signal.signal(signal.SIGTERM, previous)
        _stop(server)


def _wait_until_up(server: subprocess.Popen, host: str, port: int) -> None:
    while server.poll() is None:
        connection = http.client.HTTPConnection(host, port, timeout=5)
        try:
            connection.request("GET", "/api")
            if connection.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.1)
        except http.client.HTTPException:
            time.sleep(0.1)
        finally:
            connection.close()
    raise LabError(f"JupyterLab stopped at once (exit code {server.returncode}) — `labkit doctor` looks for the cause")


def _stop(server: subprocess.Popen) -> None:
    """It has had Ctrl-C from the terminal, or gets a word from us; whoever does not listen is stopped."""
    for patience, ask in ((2, lambda: None), (10, server.terminate), (10, server.kill)):
        if server.poll() is not None:
            return
        ask()
        with suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
            server.wait(patience)
