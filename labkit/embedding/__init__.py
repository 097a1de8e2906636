"""Meaning as numbers: a row of numbers a text, so that texts which mean the same lie close together (lesson 12)."""
