"""Names in the order in which people read them: q2 before q10."""

import re


def natural(text: str) -> list[tuple[int, int | str]]:
    """A sorting key that puts q2 before q10."""
    # Marked 0 or 1, because Python compares no number with a text.
    return [(0, int(part)) if part.isdecimal() else (1, part) for part in re.split(r"([0-9]+)", text)]
