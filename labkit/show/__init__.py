"""Pictures and tables, each with a text twin computed from the same data."""
