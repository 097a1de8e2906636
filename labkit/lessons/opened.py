"""Which notebooks are open in a JupyterLab on this machine, and could be saved over what a reset lays.

Every running server leaves a small file with its address and its key. Each is asked at once, and all together get one second: a server
that does not answer, or none at all, is no error.
"""

from __future__ import annotations

import json
import threading
import time
import urllib.request
from pathlib import Path

SECONDS = 1.0


def open_notebooks(folder: Path, seconds: float = SECONDS, servers: list[dict] | None = None) -> list[str]:
    """Names, relative to `folder`, of the notebooks with a running kernel in it; sorted. `servers`: None for those of this machine."""
    servers = running_servers() if servers is None else servers
    found: set[Path] = set()
    threads = [threading.Thread(target=_ask, args=(each, seconds, found.add), daemon=True) for each in servers]
    end = time.monotonic() + seconds
    for each in threads:
        each.start()
    for each in threads:
        each.join(max(0.0, end - time.monotonic()))
    top = folder.resolve()
    return sorted(path.relative_to(top).as_posix() for path in list(found) if path.is_relative_to(top))


def running_servers() -> list[dict]:
    """What the servers of this user say of themselves: url, token, root_dir. Files that cannot be read are passed over."""
    try:
        from jupyter_core.paths import jupyter_runtime_dir

        files = sorted(Path(jupyter_runtime_dir()).glob("jpserver-*.json"))
    except (ImportError, OSError):
        return []
    found = []
    for file in files:
        try:
            info = json.loads(file.read_text(encoding="utf-8"))
            if isinstance(info, dict) and str(info["url"]).startswith(("http://", "https://")):
                found.append(info)
        except (OSError, ValueError, KeyError):
            continue
    return found


def _ask(server: dict, seconds: float, tell) -> None:
    try:
        request = urllib.request.Request(
            f"{server['url'].rstrip('/')}/api/sessions", headers={"Authorization": f"token {server.get('token', '')}"}
        )
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # a proxy has no business on this machine
        with direct.open(request, timeout=seconds) as answer:
            sessions = json.loads(answer.read(10_000_000))
        root = Path(server.get("root_dir") or server.get("notebook_dir")).resolve()
        for each in sessions:
            if each.get("type") == "notebook":
                tell((root / each["path"].lstrip("/")).resolve())
    except Exception:  # whatever a server says or does, a reset goes on
        return
