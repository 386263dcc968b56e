"""What a user may do: without tables, for the help of a command."""

from enum import StrEnum


class Role(StrEnum):
    """An owner sees and changes everything, an editor the studies shared with them, a viewer changes nothing."""

    OWNER = "owner"
    EDITOR = "editor"
    VIEWER = "viewer"
