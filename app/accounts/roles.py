"""Roles and their permissions: without tables, for a command's help."""

from enum import StrEnum


class Role(StrEnum):
    """An owner sees and changes everything, an editor the studies shared with them, a viewer changes nothing."""

    OWNER = "owner"
    EDITOR = "editor"
    VIEWER = "viewer"
