from labkit import evaluate, load_questions, section_search, summarise


def test_sections():
    found = len(section_search().passages)
    assert found == 154


def test_baseline():
    whole = summarise(evaluate(load_questions(), section_search(), k=5)).iloc[0]
    hits, scored = int(whole["hits"]), int(whole["n"])
    assert (hits, scored) == (41, 59)
