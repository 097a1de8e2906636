"""Long documents as a tree: parents that are read, and children that are searched (lesson 11)."""

from labkit.hierarchy.children import Child, children, children_counts, children_of
from labkit.hierarchy.parents import Parent, parents

__all__ = ["Child", "Parent", "children", "children_counts", "children_of", "parents"]
