"""The columns of a mapped table on their way to `responses`."""

import re
from collections.abc import Mapping

import numpy as np
import pandas as pd

from analysis.data.codes import Groups, Mask, groups_of, same_codes
from analysis.data.columns import MEMBERS, ORDER_NOT_RECORDED, RESPONSE_COLUMNS, names
from analysis.data.elsewhere.mapped_cells import (
    constant,
    first_other,
    flipped,
    joined_texts,
    members_by_name,
    members_by_side,
    numbers_of,
    texts_of,
    with_ending,
    with_ties,
)
from analysis.data.elsewhere.mapping_file import MappingFile
from analysis.data.elsewhere.table_files import TableFile
from analysis.data.elsewhere.wide import long_table
from analysis.data.elsewhere.yaml_entries import Entry
from analysis.data.rating_table import as_number
from analysis.data.schema import check_responses
from analysis.errors import SchemaError, shown

PROSE = tuple(column.name for column in RESPONSE_COLUMNS if column.prose)
# What tells a member: its cells may be a side, or the name of a source or clip.
NAMED = ("left", "truth", "choice")

REPEAT = "repeat"
POSITIONS_FROM = "positions_from"
_DIGITS = re.compile(r"[0-9]{1,9}")
_CONSTANT = {"version": "1", "arm": "main", "mode": "live", "kind": "main"}
_SAME_AS = {"session": "participant", "trial": "pair"}
_OF_MEMBERS = ("stimulus", "source", "watched", "plays")


class MappedRows:
    """Our columns, made of a table and its mapping, whose names are known to be right."""

    def __init__(self, mapping: MappingFile, file: TableFile) -> None:
        self.mapping = mapping
        self.file = file
        self.long = long_table(mapping, file, PROSE)
        self.n = len(self.long)
        self.prose = {name: column for name, column in self.long.cells.items() if name in PROSE}
        self.cells = {
            name: texts_of(column, _values(mapping.values.get(name, {})))
            for name, column in self.long.cells.items()
            if name not in PROSE
        }
        for name, entry in mapping.constants.items():
            self.cells[name] = constant(entry.text, self.n)

    def responses(self) -> pd.DataFrame:
        """The checked table."""
        study = self.mapping.options.get("study")
        self._default("study", study.text if study else self.file.path.stem)
        for name in NAMED:
            if name in self.cells:
                self._tell(name)
        if "certainty" in self.cells:
            self._scale_certainty()
        self._pair()
        for name, text in _CONSTANT.items():
            self._default(name, text)
        for name, other in _SAME_AS.items():
            self.cells.setdefault(name, self.cells[other])
        if REPEAT in self.cells:
            self.cells["session"] = joined_texts(self.cells["session"], self.cells.pop(REPEAT))
        if "position" in self.cells:
            self._count_from_one()
        for member in MEMBERS:
            self.cells.setdefault(f"stimulus_{member}", with_ending(self.cells["pair"], f"-{member}"))
        columns = {name: self._column(name) for name in names(RESPONSE_COLUMNS)}
        if "position" not in self.cells:
            columns["position"] = self._positions()
            columns["flags"] = pd.Series(constant(ORDER_NOT_RECORDED, self.n))
        if self.mapping.wide:
            self._require_one_answer()
        try:
            return check_responses(pd.DataFrame(columns), str(self.file.path), self.file.first_row)
        except SchemaError as error:
            raise self._in_their_words(error) from error

    def _default(self, name: str, text: str) -> None:
        if name not in self.cells:
            self.cells[name] = constant(text, self.n)

    def _column(self, name: str) -> pd.Series:
        if name in self.prose:
            return self.prose[name].reset_index(drop=True)
        return pd.Series(self.cells[name] if name in self.cells else constant("", self.n))

    def _tell(self, name: str) -> None:
        """Turn sides, or names of sources or clips, into members."""
        if name in self.mapping.named_by:
            kind = self.mapping.named_by[name].text
            a, b = (self.cells[f"{kind}_{member}"] for member in MEMBERS)
            members, bad = members_by_name(self.cells[name], a, b)
            allowed = f"the {kind} of one, or empty"
            if name == "choice":
                members, tie = with_ties(self.cells[name], members)
                bad, allowed = bad & ~tie, f"the {kind} of one, tie, or empty"
            # A constant names what is right wherever it stands: elsewhere there is no truth.
            if name not in self.mapping.constants:
                self._refuse(name, bad, f"is not the {kind} of one of the clips", allowed)
        else:
            left = self.cells.get("left", constant("", self.n))
            members, bad = members_by_side(self.cells[name], left)
            remedy = (
                "a, b, or empty; else give `left`, such as `constants: {left: a}` where a was always there"
            )
            self._refuse(name, bad, "is a side, and nothing says which member was on the left", remedy)
        self.cells[name] = members

    def _scale_certainty(self) -> None:
        """Numbers without their percent sign, on their scale; where that runs from most to least, turned round."""
        scale = certainty_scale(self.mapping)
        cells, off = numbers_of(self.cells["certainty"], scale)
        if scale is not None:
            low, high = sorted(scale)
            remedy = f"{low:g} to {high:g}, or empty; say what else there is under `values`, `certainty`"
            self._refuse("certainty", off, f"is off the scale of {low:g} to {high:g}", remedy)
        self.cells["certainty"] = cells

    def _pair(self) -> None:
        """Give every row a pair, and every pair one member a."""
        shown_by = next((kind for kind in ("stimulus", "source") if self._has_both(kind)), None)
        if shown_by is None:
            return
        a, b = (self.cells[f"{shown_by}_{member}"] for member in MEMBERS)
        if "pair" not in self.cells:
            self.cells["pair"] = _both(a, b)
        pairs = groups_of([pd.Series(self.cells[name]) for name in ("study", "pair")])
        self._require_two_clips(pairs, a, b, shown_by)
        turned = flipped(pairs.codes, pairs.size, a, b)
        if turned.any():
            self._turn(turned)

    def _has_both(self, kind: str) -> bool:
        return all(f"{kind}_{member}" in self.cells for member in MEMBERS)

    def _require_two_clips(self, pairs: Groups, a: pd.Categorical, b: pd.Categorical, kind: str) -> None:
        found = first_other(pairs.codes, pairs.size, a, b)
        if found is None:
            return
        earlier, later = (f"{a[row]} and {b[row]} in row {self.long.rows[row]}" for row in found)
        problem = f"pair {shown(self.cells['pair'][found[1]])} shows {later}, but {earlier}"
        allowed = (
            f"the same two {kind} cells in all rows of a pair; give a column for pair that tells them apart"
        )
        raise self._fault("pair", found[1], problem, allowed)

    def _count_from_one(self) -> None:
        if self.mapping.option(POSITIONS_FROM, ("1", "0")) == "0":
            cells = self.cells["position"]
            texts = [str(int(text) + 1) if _DIGITS.fullmatch(text) else text for text in cells.categories]
            self.cells["position"] = texts_of(
                pd.Series(cells), dict(zip(cells.categories, texts, strict=True))
            )

    def _turn(self, turned: Mask) -> None:
        for kind in _OF_MEMBERS:
            a, b = (f"{kind}_{member}" for member in MEMBERS)
            if a not in self.cells and b not in self.cells:
                continue
            given = [self.cells.get(name, constant("", self.n)) for name in (a, b)]
            texts, (of_a, of_b) = same_codes(*given)
            index = pd.Index(texts, dtype="str")
            self.cells[a] = pd.Categorical.from_codes(np.where(turned, of_b, of_a), categories=index)
            self.cells[b] = pd.Categorical.from_codes(np.where(turned, of_a, of_b), categories=index)
        for name in NAMED:
            if name in self.cells:
                members = self.cells[name]
                # a and b are the first two categories.
                member = turned & (members.codes >= 0) & (members.codes < 2)
                codes = np.where(member, 1 - members.codes, members.codes)
                self.cells[name] = pd.Categorical.from_codes(codes, categories=members.categories)

    def _positions(self) -> pd.Series:
        runs = groups_of([pd.Series(self.cells[name]) for name in ("study", "session")]).codes
        return pd.Series(runs).groupby(runs).cumcount() + 1

    def _require_one_answer(self) -> None:
        """Refuse a second answer to a pair, by the rows of the file, one of which may hold several answers."""
        for name in ("trial", "pair"):
            keys = [pd.Series(self.cells[key]) for key in ("study", "session", name)]
            groups = groups_of(keys).codes
            again = pd.Series(groups).duplicated().to_numpy() & (groups >= 0)
            if again.any():
                second = int(again.argmax())
                first = self.long.rows[int((groups == groups[second]).argmax())]
                session = shown(self.cells["session"][second])
                problem = (
                    f"{shown(self.cells[name][second])} was already answered in row {first} by {session}"
                )
                raise self._fault(name, second, problem, f"one answer for each session and {name}")

    def _fault(self, name: str, at: int, problem: str, allowed: str) -> SchemaError:
        """The error of one of our cells, named by row and column as they are in their file."""
        return SchemaError(
            str(self.file.path), int(self.long.rows[at]), self._theirs(name, at), problem, allowed
        )

    def _theirs(self, name: str, at: int) -> str:
        """The table's name for our column, with ours in parentheses."""
        known = {*self.mapping.columns, *self.long.places}
        name = name if name in known else _SAME_AS.get(name, name)
        entry = self.mapping.columns.get(name)
        theirs = entry.text if entry else self.long.theirs(name, at)
        return f"{theirs} (our {name})" if theirs else name

    def _refuse(self, name: str, bad: Mask, problem: str, allowed: str) -> None:
        if bad.any():
            at = int(bad.argmax())
            raise self._fault(name, at, f"{shown(self.cells[name][at])} {problem}", allowed)

    def _in_their_words(self, error: SchemaError) -> SchemaError:
        allowed, at = error.allowed, error.row - self.file.first_row
        given = {*self.mapping.columns, *self.mapping.unfolded}
        if error.column in given and error.problem.endswith("is not allowed"):
            allowed += f"; say what it is with us under `values`, `{error.column}` in {self.mapping.path}"
        if error.column == "uncertainty":
            allowed += ", or map the column to `certainty`, which takes any scale"
        return self._fault(error.column, at, error.problem, allowed)


def certainty_scale(mapping: MappingFile) -> tuple[float, float] | None:
    """The number of no certainty and the number of the most, if the mapping says them; the first may be the larger."""
    if "certainty_scale" not in mapping.lists:
        return None
    entries, line = mapping.lists["certainty_scale"], mapping.lines["certainty_scale"]
    ends = [as_number(entry.text) for entry in entries]
    if len(ends) != 2 or not abs(ends[0] - ends[1]) > 0:
        given = ", ".join(entry.text for entry in entries)
        remedy = "give [least certain, most certain], such as [0, 100]"
        mapping.refuse(line, "certainty_scale", f"{shown(given)} is no scale", remedy)
    return ends[0], ends[1]


def _values(entries: Mapping[str, Entry]) -> dict[str, str]:
    return {theirs: entry.text for theirs, entry in entries.items()}


def _both(a: pd.Categorical, b: pd.Categorical) -> pd.Categorical:
    """The pair of two clips in either order; a row without one of them has no pair."""
    texts, (of_a, of_b) = same_codes(a, b)
    low, high = np.minimum(of_a, of_b).astype(np.int64), np.maximum(of_a, of_b).astype(np.int64)
    key = np.where(low < 0, -1, low * len(texts) + high)
    used, codes = np.unique(key, return_inverse=True)
    named = [f"{texts[k // len(texts)]} | {texts[k % len(texts)]}" if k >= 0 else "" for k in used.tolist()]
    return texts_of(pd.Series(np.array(named, dtype=object)[codes]), {})
