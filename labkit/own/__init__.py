"""A collection of somebody's own: from a folder of documents and questions to a report on what serves them (lesson 15)."""
