"""Constants about closing a study, without tables, for a command's help."""

from app.core.language import noop

# How a study closes unless its experimenter says otherwise.
DEFAULT_GRACE_MIN, LONGEST_GRACE_MIN = 60, 7 * 24 * 60
CLOSED_EARLY = noop(
    "This study ended before you came to its last page. What you had answered is saved, and we can see that you took "
    "part."
)
DEFAULT_CLOSING = noop(
    "This study ended before you came to its last page. What you had answered is saved, and we can see that you took "
    "part. About your pay, please ask; you need no completion code for that."
)
