"""The worked example of lesson 03: eight little sections, small enough to count by hand.

Question: *kettle refund*. A holds *kettle* twice (once with a capital), B once; C, D and E hold *refund* once; F, G and H hold neither.
Words: 6, 6, 8, 8, 9, 8, 7, 6, in all 58, so 7.25 on average. The sentences are Larkfield's in tone, and stand in no document.
"""

QUESTION = "kettle refund"

SECTIONS: dict[str, str] = {
    "A": "Kettle leaks? Bring your kettle back.",
    "B": "Descale a kettle once every month.",
    "C": "A refund goes back to your own card.",
    "D": "We pay your refund within five business days.",
    "E": "A gift card cannot be returned for a refund.",
    "F": "Our lamps carry a warranty of one year.",
    "G": "Parcels reach Quebec in about four days.",
    "H": "Keep the receipt in a drawer.",
}
