"""Long documents as a tree: parents that are read, and children that are searched (lesson 11)."""

from labkit.hierarchy.children import Child, children, children_counts, children_of
from labkit.hierarchy.parents import Parent, parents
from labkit.hierarchy.records import child_lines, children_of_lines, parent_lines, parents_of_lines

__all__ = [
    "Child", "Parent", "child_lines", "children", "children_counts", "children_of", "children_of_lines", "parent_lines", "parents",
    "parents_of_lines",
]  # fmt: skip
