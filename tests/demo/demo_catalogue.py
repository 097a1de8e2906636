"""The demonstration course: a catalogue that LABKIT_LESSONS can name."""

from labkit.lessons.catalogue import Row

LESSONS = (Row("90", "demonstration", "A demonstration", 5, "How a lesson is built", content="content.lesson_90"),)
