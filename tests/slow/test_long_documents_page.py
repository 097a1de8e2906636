"""docs/long-documents.md says what really happens: its recorded parts are made anew, and are the same."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_page_is_what_happens():
    command = [sys.executable, str(ROOT / "tools" / "long_documents.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=300, cwd=ROOT, env=os.environ)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    assert done.stdout == "as it was: docs/long-documents.md\n"
