"""For authors: write corpus/SHA256SUMS anew after a change to documents or questions, so that `labkit doctor` knows them.

.venv/bin/python tools/digests.py
"""

from labkit.course import course_folder
from labkit.doctor import DIGESTS, digests

if __name__ == "__main__":
    course = course_folder()
    (course / DIGESTS).write_text(digests(course), encoding="utf-8", newline="\n")
    print(f"{DIGESTS} lists {digests(course).count(chr(10))} files.")
