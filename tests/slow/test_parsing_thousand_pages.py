"""A thousand pages: on all cores, in little memory, and the second time at once."""

from __future__ import annotations

import json
import subprocess
import sys

from reportlab.lib import colors
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Table

STYLES = getSampleStyleSheet()
SENTENCE = "Keep the receipt or the invoice: it is your proof of purchase, and nobody can look up what you bought without it. "
PROGRAM = """
import json, pathlib, re, resource, sys, time
from labkit.parsing.many import parse_many
seen = []
begun = time.monotonic()
first = parse_many([sys.argv[1]], cache=sys.argv[2], progress=lambda done, whole: seen.append((done, whole)))
middle = time.monotonic()
second = parse_many([sys.argv[1]], cache=sys.argv[2])
peaks = [resource.getrusage(who).ru_maxrss // 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
status = pathlib.Path("/proc/self/status")
if status.exists():  # Linux counts into ru_maxrss what the program held that started this one
    peaks[0] = int(re.search(r"VmHWM:\\s*(\\d+)", status.read_text())[1]) // 1024
print(json.dumps({
    "pages": len(first.documents[0].pages), "tables": sum(block.kind == "table" for block in first.documents[0].blocks),
    "sections": len(first.documents[0].sections), "equal": first.documents == second.documents, "from_cache": second.from_cache,
    "steps": len(seen), "last": seen[-1], "peaks": peaks, "first": middle - begun, "second": time.monotonic() - middle,
}))
"""


def test_a_thousand_pages(tmp_path):
    story = [Paragraph("A long code", STYLES["Title"])]
    for number in range(1, 1001):
        story += [Paragraph(f"Article {number}", STYLES["Heading2"]), *(Paragraph(SENTENCE * 4, STYLES["BodyText"]) for _ in range(6))]
        cells = [["Code", "Period"], *([f"{number}-{row:04}", f"{row} years"] for row in range(4))]
        story += [Table(cells, style=[("GRID", (0, 0), (-1, -1), 0.5, colors.black)]), PageBreak()]
    file = tmp_path / "code.pdf"
    SimpleDocTemplate(str(file)).build(story)
    run = subprocess.run([sys.executable, "-c", PROGRAM, file, tmp_path / "cache"], capture_output=True, text=True, check=True, timeout=300)
    said = json.loads(run.stdout)
    assert (said["pages"], said["tables"], said["sections"]) == (1000, 1000, 1000)
    assert said["equal"] and said["from_cache"] == 1
    assert said["steps"] > 10 and said["last"] == [1000, 1000]
    # megabytes: of this process, and of the largest of the others, which are as many as there are cores
    assert said["peaks"][0] + 2 * said["peaks"][1] < 500
    assert said["second"] < 2 and said["second"] < said["first"] / 5
    assert run.stderr == ""
