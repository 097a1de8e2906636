"""Judging a search: what is relevant, hit and recall, intervals and paired tests, and why a question was missed."""
