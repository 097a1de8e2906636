"""Lesson 00, Start here: the learner reads what a search brings and finds the part number that fits."""

from __future__ import annotations

from labkit.lessons.exercises import ValueExercise, mistake
from labkit.lessons.predictions import Prediction

RIGHT_KIT = ValueExercise(
    "right-kit",
    stub='''
kit = ...  # the part number in quotation marks, such as "AB-1234-56"

lesson.check("right-kit", kit)
''',
    solution='''
kit = "PK-2200-07"  # the part number in quotation marks, such as "AB-1234-56"

lesson.check("right-kit", kit)
''',
    mistakes=[
        mistake("first-result", value="PK-2400-03"),
        mistake("the-machine", value="PW-2200"),
        mistake("the-other-machine", value="PW-2400"),
        mistake("zero-lost", value="PK-2200-7"),
        mistake("number-mixed", value="PK-2200-03"),
        mistake("model-mixed", value="PK-2400-07"),
        mistake("small-letters", value="pk-2200-07"),
        mistake("spaces", value="PK 2200 07"),
        mistake("space-around", value="PK-2200-07 "),
        mistake("space-before", value=" PK-2200-07"),
        mistake("hyphen-lost", value="PK2200-07"),
        mistake("half", value="PK-2200"),
        mistake("unknown", value="unknown"),
        mistake("nozzles", value="NZ-5-01"),
        mistake("filter", value="IF-34-02"),
        mistake("hose", value="PH-2400-10"),
        mistake("example", value="AB-1234-56"),
        mistake("a-sentence", value="pump kit PK-2200-07"),
        mistake("the-place", value="warranty-claims-procedure"),
    ],
)

EXERCISES = [RIGHT_KIT]
PREDICTIONS = [
    Prediction("slip", "A", kind="choice", choices=("A", "B", "C")),
    Prediction("first-right", "yes", kind="choice", choices=("yes", "no")),
    Prediction("how-many", 0, form=".0f", low=0, high=5),
]
