"""Signed numbers for sentences and tables: a number rounded to 0 has no sign."""


def signed(value: float, digits: int = 2) -> str:
    """A number with its sign: ``+0.12``, ``-0.12``, and ``0.00`` if rounded to 0."""
    text = f"{value:+z.{digits}f}"
    return text if float(text) else text.removeprefix("+")
