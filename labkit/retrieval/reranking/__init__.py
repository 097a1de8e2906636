"""A costlier judge for a few: the first results of a search in a better order (lesson 13)."""
