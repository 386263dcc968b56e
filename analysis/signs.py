"""Numbers that may be negative, as sentences and tables write them: what is rounded to 0 has no sign."""


def signed(value: float, digits: int = 2) -> str:
    """A number with its sign: ``+0.12``, ``-0.12``, and ``0.00`` for what is rounded to 0."""
    text = f"{value:+z.{digits}f}"
    return text if float(text) else text.removeprefix("+")
