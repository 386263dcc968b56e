"""A file of verdicts checked against a study before anything is added: every fault with its row and its remedy.

The page, the API and `judge validate` call `check_file`. The rules are those of `analysis.judging.verdicts`, which
stops at the first fault and knows no study.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from app.core.errors import StudyError
from app.core.problems import Problem, counted, listed, nearest, one_line
from app.core.spreadsheet import BadTable
from app.judges.known import Known
from app.judges.rules import EXAMPLE_JUDGE, Found, item_faults, number_in, pair_faults
from app.judges.runner import COLUMNS
from app.judges.standing import About
from app.judges.verdict_files import Line, Sent, read_sent

MOST_JUDGES = 50  # of one file: each judge costs about a second of resampling
MOST_SHOWN = 20
_MOST_NAMED = 5
_LONGEST = 60
_KEYS_OF_ITEMS = ("judge", "item", "value")
_OF_EXAMPLE = ("stimulus_a", "stimulus_b")
_READ = (
    "judge",
    "run",
    "study",
    "pair",
    "stimulus",
    "choice",
    "score",
    "scale",
    "item",
    "value",
    "criterion",
)

__all__ = ["EXAMPLE_JUDGE", "MOST_JUDGES", "BadVerdicts", "Check", "Checked", "check_file"]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A row of an excerpt, its cells in the order of the check's columns."""

    row: int
    cells: Sequence[str]
    is_wrong: bool


@dataclass(frozen=True, slots=True)
class Wrong:
    """A fault: `row` 0 is the whole file; `remedy` says how to put it right; `rows` are the row and its neighbours."""

    row: int
    what: str
    remedy: str
    columns: Sequence[str] = ()
    rows: Sequence[Neighbour] = ()

    def __str__(self) -> str:
        place = f"Row {self.row}: " if self.row else ""
        return " ".join(
            part for part in (f"{place}{self.what}.", f"{self.remedy}." if self.remedy else "") if part
        )


@dataclass(frozen=True, slots=True)
class JudgeSeen:
    """A judge in the file. Of `n_all` pairs or items it judges `n_judged`; `missing` names the first of the others.

    `chooses` are the pairs in which it chooses a, b and neither. `replaces` is true where it has verdicts here already.
    """

    name: str
    n_rows: int
    n_all: int
    n_judged: int
    n_missing: int
    missing: Sequence[str]
    chooses: Sequence[int]
    replaces: bool


@dataclass(frozen=True, slots=True)
class Check:
    """The outcome: nothing is added where there is anything `wrong`, of which the first `MOST_SHOWN` are listed."""

    file: str
    n_bytes: int
    n_rows: int
    about: About
    columns: Sequence[str]
    judges: Sequence[JudgeSeen]
    n_wrong: int
    n_fine: int
    wrong: Sequence[Wrong]
    notes: Sequence[str]

    @property
    def wrong_lines(self) -> Sequence[str]:
        """A line for each problem that is listed, and one for the others."""
        more = self.n_wrong - len(self.wrong)
        rest = [f"{counted(more, 'more problem')} not listed."] if more else []
        return [*map(str, self.wrong), *rest]

    @property
    def replaced(self) -> Sequence[str]:
        return [judge.name for judge in self.judges if judge.replaces]


class BadVerdicts(StudyError):
    """A file of verdicts with faults; nothing of it was added."""

    status_code = 422

    def __init__(self, check: Check) -> None:
        self.check = check
        super().__init__(
            f"{one_line(check.file)} has {counted(check.n_wrong, 'problem')}; nothing was added. "
            f"{' '.join(check.wrong_lines)}"
        )


@dataclass(frozen=True, slots=True)
class Checked:
    """A check, and the table as plain CSV for readers that take nothing else."""

    check: Check
    text: str

    def require_fine(self) -> None:
        """Raises BadVerdicts."""
        if self.check.n_wrong:
            raise BadVerdicts(self.check)


def check_file(data: bytes, name: str, known: Known | None = None, about: About | None = None) -> Checked:
    """Check a file of verdicts. Without `known`, names are not compared with a study's.

    `about` says whether it is of pairs or of rated items; else the columns and names do.
    """
    try:
        sent = read_sent(data, name)
    except BadTable as error:
        sent = Sent(problems=[error.problem])
    columns = [column for column in _READ if column in sent.header]
    about = about or _about(sent, known)
    found = [_of_table(problem) for problem in sent.problems]
    if sent.header:
        missing = list(_missing_columns(sent.header, about))
        found += missing
        if not missing:
            rules = item_faults if about == "items" else pair_faults
            found += rules(sent.lines, sent.header, known)
            found += _whole_file(sent, known)
    elif not found:
        found = [
            Found("The file is empty", "The first line names the columns, each line after it is a verdict")
        ]
    found.sort(key=lambda one: one.row)
    rows_wrong = {row for one in found for row in (one.row, *one.others) if row}
    check = Check(
        file=name,
        n_bytes=len(data),
        n_rows=len(sent.lines),
        about=about,
        columns=columns,
        judges=_judges(sent, known, about) if sent.header else (),
        n_wrong=len(found),
        # What is wrong with the whole table leaves no row fine.
        n_fine=0
        if any(not one.row for one in found)
        else sum(line.row not in rows_wrong for line in sent.lines),
        wrong=[_wrong(one, sent.lines, columns) for one in found[:MOST_SHOWN]],
        notes=[*sent.notes, *_notes(sent, known, about)],
    )
    return Checked(check, sent.csv() if sent.header and not found else "")


def _about(sent: Sent, known: Known | None) -> About:
    if known is None:
        return "pairs"
    if not known.items:
        return "pairs"
    if not known.pairs:
        return "items"
    is_table_of_items = {"item", "value"} <= set(sent.header) and not {"pair", "stimulus"} & set(sent.header)
    names = set(known.items)
    are_items = all(line.cells["item"] in names for line in sent.lines) if is_table_of_items else False
    return "items" if are_items else "pairs"


def _of_table(problem: Problem) -> Found:
    """A fault of the table itself, before any rule is asked."""
    value = "" if problem.value is None else f": {problem.value}"
    message = f"{problem.message[:1].upper()}{problem.message[1:]}{value}"
    remedy = f"{problem.remedy[:1].upper()}{problem.remedy[1:]}".rstrip("?.")
    if problem.row is not None:
        message = (
            f"the row {problem.message}{value}" if problem.message.startswith("has ") else problem.message
        )
    elif problem.message.startswith(("is ", "has ", "cannot ")):
        message = f"The file {problem.message}{value}"
    return Found(message, remedy, row=problem.row or 0, columns=(problem.column,) if problem.column else ())


def _missing_columns(header: Sequence[str], about: About) -> list[Found]:
    needed: Sequence[Sequence[str]] = [(name,) for name in _KEYS_OF_ITEMS]
    if about == "pairs":
        needed = [("judge",), ("pair", "stimulus", "item"), ("choice", "score", "value")]
    found: list[Found] = []
    lower = {name.strip().lower(): name for name in header}
    here = ""
    for options in needed:
        if set(options) & set(header):
            continue
        first = options[:2]
        named = listed(first)
        alike = next((lower[option] for option in options if option in lower), "")
        remedy = f"Write {alike.strip().lower()} for {alike}" if alike else ""
        if not remedy and not here:  # once, not with each column that is missing
            here = remedy = (
                f"The columns here are {', '.join(one_line(name) or '(no name)' for name in header)}"
            )
        if len(header) == 1 and not found:
            remedy = f"{remedy}; separate columns with commas, semicolons or tabs"
        found.append(Found(f"The column {named} is missing", remedy, columns=first))
    return found


def _whole_file(sent: Sent, known: Known | None) -> list[Found]:
    judges = {line.cells["judge"] for line in sent.lines}
    found = []
    if not sent.lines and not sent.problems:
        found.append(Found("The file has no rows", "Each line after the first is a verdict"))
    if known is not None and len(judges) > MOST_JUDGES:
        remedy = (
            f"One file takes {MOST_JUDGES}: send it in parts, or compare them with people at the "
            "command line, which has no limit"
        )
        found.append(Found(f"The file has {len(judges):,} judges", remedy, columns=("judge",)))
    return found


def _wrong(found: Found, lines: Sequence[Line], columns: Sequence[str]) -> Wrong:
    remedy = found.remedy
    if found.known is not None:
        close = nearest(found.value, found.known, "")
        remedy = f"{close[:1].upper()}{close[1:-1]}? {remedy}" if close else remedy
    place = next((at for at, line in enumerate(lines) if line.row == found.row), None) if found.row else None
    rows = []
    if place is not None:
        rows = [
            Neighbour(line.row, [line.cells[name][:_LONGEST] for name in columns], line.row == found.row)
            for line in lines[max(0, place - 1) : place + 2]
        ]
    return Wrong(found.row, found.what, remedy, found.columns, rows)


def _judges(sent: Sent, known: Known | None, about: About) -> Sequence[JudgeSeen]:
    by_judge: dict[str, list[Line]] = {}
    for line in sent.lines:
        by_judge.setdefault(line.cells.get("judge", ""), []).append(line)
    return [_seen(name, lines, known, about) for name, lines in list(by_judge.items())[:MOST_JUDGES] if name]


def _seen(name: str, lines: Sequence[Line], known: Known | None, about: About) -> JudgeSeen:
    here = [line for line in lines if known is None or line.cells.get("study", "") in ("", known.slug)]
    key, names = "pair", [pair.name for pair in known.pairs] if known else []
    if about == "items":
        key, names = "item", list(known.items) if known else []
    given = {line.cells.get(key, "") for line in here if _says(line)}
    stimuli = {line.cells.get("stimulus") or line.cells.get("item", "") for line in here if _says(line)}
    if known and about == "pairs" and not given - {""}:
        given = {pair.name for pair in known.pairs if {pair.a, pair.b} <= stimuli}
    missing = [one for one in names if one not in given]
    middle = _middle(here)
    chosen = Counter(_choice(line, middle) for line in here if line.cells.get("pair"))
    return JudgeSeen(
        name=name,
        n_rows=len(lines),
        n_all=len(names),
        n_judged=len(names) - len(missing) if names else len(given - {""} or stimuli - {""}),
        n_missing=len(missing),
        missing=missing[:_MOST_NAMED],
        chooses=[chosen["a"], chosen["b"], chosen["tie"]] if about == "pairs" and chosen else (),
        replaces=bool(known and name in known.here),
    )


def _says(line: Line) -> bool:
    return any(line.cells.get(name) for name in ("choice", "score", "value"))


def _middle(lines: Sequence[Line]) -> float:
    """The score that favours neither: of probabilities a half, of support 0."""
    if any(line.cells.get("scale") == "support" for line in lines):
        return 0.0
    scores = [score for line in lines if (score := number_in(line.cells.get("score", ""))) is not None]
    return 0.5 if all(0 <= score <= 1 for score in scores) else 0.0


def _choice(line: Line, middle: float) -> str:
    """The choice of a row of a pair; where it has none, the one that its score tells."""
    score = number_in(line.cells.get("score", ""))
    if line.cells.get("choice") or score is None:
        return line.cells.get("choice", "")
    return "a" if score > middle else "b" if score < middle else "tie"


def _support_notes(sent: Sent) -> list[str]:
    """A sentence for each judge whose scores are read as support, as are percentages where every choice is a."""
    by_judge: dict[str, list[float]] = {}
    for line in sent.lines:
        number = number_in(line.cells.get("score", ""))
        if number is not None and line.cells.get("pair") and not line.cells.get("scale"):
            by_judge.setdefault(line.cells.get("judge", ""), []).append(number)
    return [
        f"The scores of {one_line(judge)} go from {min(scores):g} to {max(scores):g}: they are read as support for a "
        "where above 0. Divide percentages by 100."
        for judge, scores in by_judge.items()
        if min(scores) >= 0 and max(scores) > 1
    ][:_MOST_NAMED]


def _notes(sent: Sent, known: Known | None, about: About) -> list[str]:
    notes: list[str] = []
    if known is None:
        return notes
    if about == "pairs":
        notes += _support_notes(sent)
    if unread := [name for name in sent.header if name and name not in {*_READ, *COLUMNS, *_OF_EXAMPLE}]:
        shown = ", ".join(map(one_line, unread[:_MOST_NAMED]))
        notes.append(f"Columns that are not read: {shown}{' and more' if len(unread) > _MOST_NAMED else ''}.")
    elsewhere = Counter(
        study for line in sent.lines if (study := line.cells.get("study", "")) not in ("", known.slug)
    )
    notes += [
        f"{counted(n, 'row')} {'is' if n == 1 else 'are'} of the study {one_line(study)} and not counted here."
        for study, n in elsewhere.most_common(_MOST_NAMED)
    ]
    key = "item" if about == "items" else "pair"
    others = sum(line.cells.get(key, "") in known.others for line in sent.lines)
    if others:
        noun = counted(others, "row")
        notes.append(
            f"{noun} of practice, of attention checks or of an earlier version: these are not counted."
        )
    return notes
