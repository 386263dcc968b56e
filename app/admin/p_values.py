"""p values in words, as `analysis.stats.p_values` has them, which the serving process may not load. A test compares."""


def p_cell(value: float | None, none: str = "–") -> str:
    """A p value in the cell of a table: ``.25``, ``.046``, ``< .001``; `none` where there is none."""
    if value is None:
        return none
    if value < 0.001:
        return "< .001"
    digits = f"{value:.3f}".removeprefix("0")
    if digits.startswith("1"):
        return "> .999"
    return digits[:-1] if digits.endswith("0") else digits


def p_words(value: float | None, none: str = "–") -> str:
    """A p value in a sentence: ``p = .25``, ``p < .001``."""
    cell = p_cell(value, none)
    return f"p {cell}" if cell[0] in "<>" else f"p = {cell}"
