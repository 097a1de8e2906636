"""The demonstration lesson's content. It is used in tests only."""
