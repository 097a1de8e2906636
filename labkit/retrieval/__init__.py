"""Finding passages: BM25's parts (bm25) and the keyword index (keyword)."""
