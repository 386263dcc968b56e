"""The same answers with the clips named the other way round: no result may tell."""

_MIRROR = {"a": "b", "b": "a", "": "", "tie": "tie"}


def mirrored(row: dict[str, str]) -> dict[str, str]:
    """One row of `responses` in which a is called b."""
    turned = row | {name: _MIRROR[row[name]] for name in ("truth", "left", "choice")}
    for name in ("stimulus", "source"):
        turned |= {f"{name}_a": row[f"{name}_b"], f"{name}_b": row[f"{name}_a"]}
    return turned
