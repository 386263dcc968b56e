"""p values in words: one form for the terminal, the report and the pages, as the APA's manual has it."""

_SMALLEST = 0.001


def p_cell(value: float | None, none: str = "-") -> str:
    """A p value in the cell of a table: ``.25``, ``.046``, ``< .001``; `none` if there is none.

    Three decimals without a leading zero and without one after the second; p is never shown as 0 or 1.
    """
    if value is None:
        return none
    if value < _SMALLEST:
        return "< .001"
    digits = f"{value:.3f}".removeprefix("0")
    if digits.startswith("1"):
        return "> .999"
    return digits[:-1] if digits.endswith("0") else digits


def p_words(value: float | None, none: str = "-") -> str:
    """A p value in a sentence: ``p = .25``, ``p < .001``."""
    cell = p_cell(value, none)
    return f"p {cell}" if cell[0] in "<>" else f"p = {cell}"
