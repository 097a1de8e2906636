"""A file is there whole or not at all, with the mode that it had, and never through a link."""

from __future__ import annotations

import os
import stat

import pytest

from labkit import files
from labkit.files import write_atomically


@pytest.mark.parametrize("broken", ["fsync", "replace"])
def test_a_failure_in_the_middle_leaves_the_old_file(tmp_path, monkeypatch, broken):
    target = tmp_path / "a"
    target.write_text("old", encoding="utf-8")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, broken, full)
    with pytest.raises(OSError, match="No space") as error:
        write_atomically(target, "new")
    monkeypatch.undo()
    assert error.value.filename == str(target)
    assert target.read_text(encoding="utf-8") == "old" and [path.name for path in tmp_path.iterdir()] == ["a"]


def test_without_hard_links_nothing_is_overwritten_either(tmp_path, monkeypatch):
    def none(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(files.os, "link", none)
    assert write_atomically(tmp_path / "a", "one", overwrite=False)
    assert not write_atomically(tmp_path / "a", "two", overwrite=False)
    assert (tmp_path / "a").read_text(encoding="utf-8") == "one" and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("content", ["é\r\nb\n", b"\xff\x00\r\n", ""])
def test_what_is_written_is_what_stands_there(tmp_path, content):
    assert write_atomically(tmp_path / "a", content)
    assert (tmp_path / "a").read_bytes() == (content.encode() if isinstance(content, str) else content)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_file_keeps_its_mode_and_a_new_one_follows_the_umask(tmp_path, mode):
    (tmp_path / "a").write_text("old")
    (tmp_path / "a").chmod(mode)
    write_atomically(tmp_path / "a", "new")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == mode
    old = os.umask(0o027)
    try:
        write_atomically(tmp_path / "b", "new")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "b").stat().st_mode) == 0o640


def test_a_link_is_replaced_not_followed(tmp_path):
    (tmp_path / "elsewhere").write_text("theirs")
    (tmp_path / "a").symlink_to(tmp_path / "elsewhere")
    write_atomically(tmp_path / "a", "mine")
    assert (tmp_path / "elsewhere").read_text() == "theirs" and not (tmp_path / "a").is_symlink()


def test_what_killed_writers_left_is_swept_and_nothing_else(tmp_path):
    old, young = tmp_path / ".labkit-abcdefgh.part", tmp_path / ".labkit-ijklmnop.part"
    others = [tmp_path / name for name in (".labkit-work.json", "mine.part", ".labkit-x.part.txt")]
    for each in (old, young, *others):
        each.write_text("x")
    (tmp_path / ".labkit-folder.part").mkdir()
    (tmp_path / ".labkit-link.part").symlink_to(others[0])
    for each in (old, *others):
        os.utime(each, (1, 1))
    files.sweep([tmp_path, tmp_path / "missing"])
    left = {each.name for each in tmp_path.iterdir()}
    assert left == {young.name, ".labkit-folder.part", ".labkit-link.part", *(each.name for each in others)}


@pytest.mark.parametrize("through_a_link", [False, True])
def test_a_device_or_a_pipe_is_never_moved_over(tmp_path, through_a_link):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    target = tmp_path / "link" if through_a_link else pipe
    if through_a_link:
        target.symlink_to(pipe)
    before = sorted(os.listdir(tmp_path))
    for overwrite in (True, False):
        with pytest.raises(OSError, match="a device or a pipe"):
            write_atomically(target, "new", overwrite=overwrite)
    assert stat.S_ISFIFO(pipe.stat().st_mode) and sorted(os.listdir(tmp_path)) == before
