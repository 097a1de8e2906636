"""`labkit open` starts JupyterLab anywhere: as root, without a display, where the port is taken."""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from labkit.errors import BadArgument, LabError
from labkit.lessons import jupyter

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def taken():
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        place.listen()
        yield place.getsockname()[1]


def test_a_taken_port_is_passed_over(taken):
    assert taken < jupyter.free_port(taken) < taken + 50


@pytest.mark.parametrize("port", [0, -1, 65536])
def test_a_port_that_is_none(port):
    with pytest.raises(BadArgument, match=str(port)):
        jupyter.free_port(port)


def test_no_port_left(monkeypatch, taken):
    monkeypatch.setattr(jupyter, "_TRIES", 1)
    with pytest.raises(LabError, match="--port"):
        jupyter.free_port(taken)


@pytest.mark.parametrize(
    ("environment", "platform", "display"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({"DISPLAY": ""}, "linux", False),
        ({}, "darwin", True),
        ({}, "win32", True),
        ({"SSH_CONNECTION": "x"}, "darwin", False),
        ({"BROWSER": "firefox"}, "linux", True),
    ],
)
def test_whether_a_browser_can_open(environment, platform, display):
    assert jupyter.has_display(environment, platform) is display


def test_root_is_allowed_and_only_root_says_so(monkeypatch, tmp_path):
    for user, there in ((0, True), (1000, False)):
        monkeypatch.setattr(os, "geteuid", lambda user=user: user, raising=False)
        assert ("--allow-root" in jupyter.command(tmp_path, 8888, browser=False)) is there


def test_kernels_get_keys_where_they_can(monkeypatch, tmp_path):
    import zmq

    for there in (True, False):
        monkeypatch.setattr(zmq, "has", lambda capability, there=there: there)
        assert ("--KernelManager.transport_encryption=auto" in jupyter.command(tmp_path, 8888, browser=False)) is there


def test_the_token_goes_by_the_environment_never_by_the_command_line(monkeypatch):
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "/a/learners/own")
    made = jupyter.environment(Path("/course"), "secret")
    assert (made["JUPYTER_TOKEN"], made["LABKIT_COURSE"]) == ("secret", str(Path("/course")))
    assert made["JUPYTER_CONFIG_PATH"].endswith(f"{os.pathsep}/a/learners/own")
    assert shutil.which("labkit", path=made["PATH"]) == str(Path(sys.executable).parent / "labkit")  # in a terminal opened there
    assert not any("token" in part.lower() for part in jupyter.command(Path("/course/work"), 8888, browser=True, first="00-start.ipynb"))


def test_a_server_that_does_not_start_is_an_error(monkeypatch, tmp_path):
    monkeypatch.setattr(jupyter, "command", lambda *_, **__: [sys.executable, "-c", "raise SystemExit(3)"])
    with pytest.raises(LabError, match="exit code 3"):
        jupyter.run(tmp_path, tmp_path, browser=False, say=lambda text: None)


def get(port: int, path: str, token: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path, headers={"Authorization": f"token {token}"})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body


def runs_a_kernel(port: int, token: str) -> str:
    """What 6 × 7 is, asked of a new kernel through the server as a browser would."""
    import asyncio

    from tornado.httpclient import HTTPRequest
    from tornado.websocket import websocket_connect

    key = {"Authorization": f"token {token}"}
    header = {"msg_id": "one", "msg_type": "execute_request", "username": "", "session": "test", "version": "5.3", "date": ""}
    asked = {"channel": "shell", "header": header, "parent_header": {}, "metadata": {}, "content": {"code": "print(6 * 7)"}}

    async def ask() -> str:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("POST", "/api/kernels", body="{}", headers=key)
        kernel = json.loads(connection.getresponse().read())["id"]
        socket = await websocket_connect(HTTPRequest(f"ws://127.0.0.1:{port}/api/kernels/{kernel}/channels", headers=key))
        await socket.write_message(json.dumps(asked))
        while True:
            message = json.loads(await asyncio.wait_for(socket.read_message(), 60))
            if message["msg_type"] == "stream":
                return message["content"]["text"].strip()

    return asyncio.run(ask())


def test_open_prints_the_address_stays_up_asks_no_news_and_stops_at_a_signal(tmp_path, taken):
    work = tmp_path / "mon travail é"
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")}
    environment |= {"JUPYTER_CONFIG_DIR": str(tmp_path / "config"), "JUPYTER_DATA_DIR": str(tmp_path / "data"),
                    "JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime"), "PYTHONUNBUFFERED": "1"}  # fmt: skip
    server = subprocess.Popen(
        [sys.executable, "-m", "labkit", "open", "--port", str(taken), "--work", str(work)],
        cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8",
    )  # fmt: skip
    said = ""
    try:
        for line in server.stdout:
            said += line
            if found := re.search(r"http://localhost:(\d+)/lab\S*\?token=(\w+)", line):
                break
        else:
            pytest.fail(f"no address in: {said}")
        port, token = int(found[1]), found[2]
        assert f"Port {taken} is taken" in said and port != taken
        assert get(port, "/lab", token)[0] == 200 and get(port, "/api/contents", "wrong")[0] == 403
        assert json.loads(get(port, "/api/contents", token)[1])["path"] == ""
        settings = json.loads(get(port, "/lab/api/settings/@jupyterlab/apputils-extension:notification", token)[1])
        properties = settings["schema"]["properties"]
        assert (properties["fetchNews"]["default"], properties["checkForUpdates"]["default"]) == ("false", False)
        assert runs_a_kernel(port, token) == "42"
        assert server.poll() is None and (work / ".labkit-work.json").is_file()
        server.send_signal(signal.SIGINT)
        assert server.wait(30) == 0
    finally:
        server.kill()
        said += server.stdout.read()
    assert not re.search(r"Traceback|^\[(?!C )|WARNING|encryption", said, re.MULTILINE), said  # C: that it was told to stop
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind(("127.0.0.1", port))  # nobody stayed behind
