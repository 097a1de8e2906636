"""Work in stages: what is finished stays, nothing goes on from what is half done, and every record says what happened."""

import hashlib
import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from labkit.errors import BadArgument, LabError
from labkit.stages import MANIFEST, Pipeline, Stage, StageError


class Kitchen:
    """Three stages that bake: flour -> dough -> bread -> slices. `done` notes which ones ran; `fails` makes one fail."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.flour = "wheat"
        self.cuts = 3
        self.done: list[str] = []
        self.fails: dict[str, list[BaseException]] = {}
        self.seen: list[tuple[str, int, int, str]] = []

    def stages(self, **changes) -> list[Stage]:
        made = {
            "dough": dict(inputs=lambda: {"flour": self.flour}, run=self.dough, check=self.has("dough.txt")),
            "bread": dict(inputs=lambda: {}, run=self.bread, needs=("dough",)),
            "slices": dict(inputs=lambda: {"cuts": self.cuts}, run=self.slices, needs=("bread",), owner="Grace"),
        }
        for name, change in changes.items():
            made[name] |= change
        return [Stage(name, f"makes {name}", **parts) for name, parts in made.items()]

    @staticmethod
    def has(name):
        return lambda folder: "" if (folder / name).is_file() else f"{name} is missing"

    def _begin(self, name: str) -> None:
        self.done.append(name)
        if self.fails.get(name):
            raise self.fails[name].pop(0)

    def dough(self, task) -> None:
        (task.folder / "half.txt").write_text("half")
        self._begin("dough")
        (task.folder / "half.txt").unlink()
        (task.folder / "dough.txt").write_text(f"dough of {self.flour}\n")
        task.progress(1, 2, "kneading")

    def bread(self, task) -> None:
        self._begin("bread")
        (task.folder / "deep" / "er").mkdir(parents=True)
        (task.folder / "deep/er/bread.txt").write_text((task.results["dough"] / "dough.txt").read_text()[:5])  # of any flour
        task.set_aside("one grain", "it is a stone")

    def slices(self, task) -> None:
        self._begin("slices")
        for number in range(self.cuts):
            (task.folder / f"{number}.txt").write_text((task.results["bread"] / "deep/er/bread.txt").read_text())

    def run(self, start=None, last=None, **changes):
        self.done.clear()
        with Pipeline(self.folder, self.stages(**changes), lambda *told: self.seen.append(told)) as work:
            return work.run(start, last)

    def manifest(self) -> dict:
        return json.loads((self.folder / MANIFEST).read_text("utf-8"))["stages"]


@pytest.fixture
def kitchen(tmp_path):
    return Kitchen(tmp_path / "kitchen")


def test_a_first_run_does_everything_and_records_it(kitchen):
    folders = kitchen.run()
    assert kitchen.done == ["dough", "bread", "slices"] and list(folders) and set(folders) == {"dough", "bread", "slices"}
    records = kitchen.manifest()
    assert {record["status"] for record in records.values()} == {"done"}
    assert records["dough"]["outputs"]["dough.txt"] == {
        "bytes": 15, "sha256": hashlib.sha256(b"dough of wheat\n").hexdigest(),
    }  # fmt: skip
    assert records["dough"]["bytes"] == 15 and records["dough"]["seconds"] >= 0 and records["dough"]["does"] == "makes dough"
    assert records["bread"]["set_aside"] == [{"item": "one grain", "reason": "it is a stone"}]
    assert records["slices"]["owner"] == "Grace" and set(records["slices"]["inputs"]) == {"cuts", "result of bread", "labkit"}
    assert (folders["dough"] / "dough.txt").read_text() == "dough of wheat\n" and not (folders["dough"] / "half.txt").exists()
    assert ("dough", 1, 2, "kneading") in kitchen.seen and ("slices", 1, 1, "done") in kitchen.seen


def test_a_second_run_does_nothing(kitchen):
    kitchen.run()
    kitchen.run()
    assert kitchen.done == [] and kitchen.seen[-1] == ("slices", 1, 1, "nothing changed")


def write(name: str, content: bytes):
    return lambda kitchen: (kitchen.folder / name).write_bytes(content)


@pytest.mark.parametrize(
    "change, done",
    [
        (lambda kitchen: setattr(kitchen, "cuts", 4), ["slices"]),
        # the bread came out the same, so nobody cuts it again
        (lambda kitchen: setattr(kitchen, "flour", "rye"), ["dough", "bread"]),
        (write("bread/deep/er/bread.txt", b"mould"), ["bread"]),
        (write("bread/crumb", b""), ["bread"]),
        (lambda kitchen: shutil.rmtree(kitchen.folder / "dough"), ["dough"]),
        (lambda kitchen: (kitchen.folder / MANIFEST).unlink(), ["dough", "bread", "slices"]),
        (write(MANIFEST, b"{"), ["dough", "bread", "slices"]),
        (write(MANIFEST, b"[]"), ["dough", "bread", "slices"]),
        (write(MANIFEST, b"\xff"), ["dough", "bread", "slices"]),
        (write(MANIFEST, b'{"layout": 1, "stages": {"dough": {"status": "done"}}}'), ["dough", "bread", "slices"]),
        (write(MANIFEST, b'{"layout": 99, "stages": {}}'), ["dough", "bread", "slices"]),
    ],
)
def test_only_what_follows_from_a_change_is_done_again(kitchen, change, done):
    kitchen.run()
    change(kitchen)
    kitchen.run()
    assert kitchen.done == done
    kitchen.run()
    assert kitchen.done == []


def test_from_a_named_stage(kitchen):
    kitchen.run()
    kitchen.run("bread")
    assert kitchen.done == ["bread", "slices"]
    kitchen.run("slices", "slices")
    assert kitchen.done == ["slices"]
    kitchen.run(last="dough")
    assert kitchen.done == []


@pytest.mark.parametrize(
    "spoil, said",
    [
        (lambda kitchen: setattr(kitchen, "flour", "rye"), "dough before it is out of date (flour changed)"),
        (write("dough/dough.txt", b""), "dough before it has a result that is not the one it left"),
        (write(MANIFEST, b""), "dough before it was never done"),
    ],
)
def test_a_named_stage_refuses_what_is_missing_or_out_of_date_before_it(kitchen, spoil, said):
    kitchen.run()
    spoil(kitchen)
    with pytest.raises(StageError, match="from slices") as error:
        kitchen.run("slices")
    assert said in str(error.value) and kitchen.done == []


@pytest.mark.parametrize(
    "error, status", [(KeyboardInterrupt(), "interrupted"), (LabError("no flour"), "failed"), (ZeroDivisionError("0"), "failed")]
)
def test_a_stage_that_fails_leaves_the_finished_ones_and_nothing_of_its_own(kitchen, error, status):
    kitchen.fails["bread"] = [error]
    with pytest.raises(type(error)):
        kitchen.run()
    assert kitchen.done == ["dough", "bread"]
    record = kitchen.manifest()["bread"]
    assert record["status"] == status and record["attempts"] == 1 and record["reason"].startswith(type(error).__name__)
    assert sorted(each.name for each in kitchen.folder.iterdir() if each.is_dir()) == ["dough", "kept"]
    with pytest.raises(StageError, match=f"bread before it is not finished .{status}"):
        kitchen.run("slices")
    kitchen.run()
    assert kitchen.done == ["bread", "slices"]


def test_the_earlier_result_is_not_used_while_its_stage_fails(kitchen):
    kitchen.run()
    kitchen.flour = "rye"
    kitchen.fails["dough"] = [LabError("rain")]
    with pytest.raises(LabError, match="rain"):
        kitchen.run()
    with Pipeline(kitchen.folder, kitchen.stages()) as work, pytest.raises(StageError, match="dough is not finished"):
        work.result("dough")


def test_an_error_of_the_system_is_tried_again_and_not_for_ever(kitchen):
    kitchen.fails["dough"] = [OSError("a hiccup")]
    kitchen.run()
    assert kitchen.done == ["dough", "dough", "bread", "slices"] and kitchen.manifest()["dough"]["attempts"] == 2
    kitchen.flour = "rye"
    kitchen.fails["dough"] = [OSError("no space left")] * 9
    with pytest.raises(OSError, match="no space"):
        kitchen.run()
    assert kitchen.done == ["dough", "dough"] and kitchen.manifest()["dough"]["attempts"] == 2


@pytest.mark.parametrize(
    "error, place",
    [(OSError(28, "No space left on device"), "{stage}"), (OSError(13, "No", "a.txt"), "a.txt"), (OSError("a hiccup"), None)],
)
def test_an_error_of_the_system_says_where(kitchen, error, place):
    kitchen.fails["dough"] = [error] * 2
    with pytest.raises(OSError) as raised:
        kitchen.run()
    assert raised.value.filename == (place and place.format(stage=kitchen.folder / "dough"))
    assert str(kitchen.folder) not in kitchen.manifest()["dough"]["reason"]


def test_a_result_that_is_not_whole_is_refused(kitchen):
    with pytest.raises(StageError, match=r"dough ended with a result that is not whole: cake\.txt is missing"):
        kitchen.run(dough={"check": kitchen.has("cake.txt")})
    assert kitchen.done == ["dough"] and kitchen.manifest()["dough"]["status"] == "failed"
    assert not (kitchen.folder / "dough").exists()


def test_a_stage_that_is_done_each_time_moves_nothing_where_it_comes_out_the_same(kitchen):
    kitchen.run(dough={"always": True})
    kitchen.run(dough={"always": True})
    assert kitchen.done == ["dough"]
    kitchen.run("slices", dough={"always": True})
    assert kitchen.done == ["slices"]


@pytest.mark.parametrize(
    "stages, said",
    [
        ([Stage("a", "", dict, print, needs=("b",))], "needs b"),
        ([Stage("a", "", dict, print), Stage("a", "", dict, print)], "stands twice"),
    ],
)
def test_stages_in_an_order_that_cannot_be(tmp_path, stages, said):
    with pytest.raises(BadArgument, match=said):
        Pipeline(tmp_path, stages)


def test_a_stage_that_there_is_not(kitchen):
    for run in (lambda: kitchen.run("toast"), lambda: kitchen.run(last="toast")):
        with pytest.raises(BadArgument, match="no stage 'toast' — there are dough, bread, slices"):
            run()
    with Pipeline(kitchen.folder, kitchen.stages()) as work, pytest.raises(BadArgument, match="no stage 'toast'"):
        work.result("toast")


def test_what_is_kept_outlives_failures(kitchen):
    def knead(task):
        kept = task.kept / "yeast"
        if not kept.exists():
            kept.write_text("alive")
            raise LabError("it has to rest")
        (task.folder / "dough.txt").write_text("risen")

    with pytest.raises(LabError):
        kitchen.run(dough={"run": knead})
    kitchen.run(dough={"run": knead})
    assert (kitchen.folder / "dough/dough.txt").read_text() == "risen"


@pytest.mark.parametrize("name", ["", "kept"])
def test_a_file_in_the_place_of_a_folder_stays(kitchen, name):
    place = kitchen.folder / name
    place.parent.mkdir(exist_ok=True)
    place.write_text("mine")
    with pytest.raises(StageError, match="is a file — take it away"):
        kitchen.run()
    assert place.read_text() == "mine"


@pytest.mark.parametrize("name", ["", "kept"])
def test_a_link_is_not_followed(kitchen, tmp_path, name):
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "dough").mkdir(parents=True)
    (kitchen.folder / name).parent.mkdir(exist_ok=True)
    (kitchen.folder / name).symlink_to(elsewhere, target_is_directory=True)
    with pytest.raises(StageError, match="is a link — take it away"):
        kitchen.run()
    assert [each.name for each in elsewhere.iterdir()] == ["dough"] and kitchen.done == []


def test_two_at_once_are_refused(kitchen):
    with Pipeline(kitchen.folder, kitchen.stages()), pytest.raises(StageError, match="in use by another labkit"):
        kitchen.run()
    kitchen.run()
    assert kitchen.done == ["dough", "bread", "slices"]


SLOW = """
import sys, time
from pathlib import Path
from labkit.stages import Pipeline, Stage

def first(task):
    (task.folder / "a").write_text("a")

def second(task):
    (task.folder / "b").write_text("half")
    print("begun", flush=True)
    time.sleep(60)

stages = [Stage("first", "", dict, first), Stage("second", "", dict, second, needs=("first",))]
with Pipeline(Path(sys.argv[1]), stages) as work:
    work.run()
"""


@pytest.mark.parametrize("how", ["SIGKILL", "SIGINT"])
def test_killed_in_the_middle_it_goes_on_from_there(tmp_path, how):
    folder = tmp_path / "w"
    process = subprocess.Popen([sys.executable, "-c", SLOW, str(folder)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout.readline() == "begun\n"
    process.send_signal(getattr(signal, how, signal.SIGTERM))
    process.wait(timeout=20)
    process.stdout.close()
    records = json.loads((folder / MANIFEST).read_text())["stages"]
    assert records["first"]["status"] == "done" and records["second"]["status"] in ("running", "interrupted")
    done = []

    def again(name):
        def run(task):
            done.append(name)
            (task.folder / name[0]).write_text(name)

        return run

    stages = [Stage("first", "", dict, again("first")), Stage("second", "", dict, again("second"), needs=("first",))]
    begun = time.process_time()
    with Pipeline(folder, stages) as work:
        work.run()
    assert done == ["second"] and time.process_time() - begun < 5
    assert sorted(each.name for each in (folder / "second").iterdir()) == ["s"]
