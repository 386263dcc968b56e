"""Files to hand to a recruiter: whom to approve, to ask to return, to reject and why, and bonuses, in its own form."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

from app.core.money import decimal
from app.core.spreadsheet import csv_text
from app.monitor.reconciling.reconcile import Action, Line, Reconciled

ALL = (
    "id", "submission", "there", "here", "session", "minutes_here", "minutes_there", "answers", "code", "verdict",
    "rules", "earned", "action", "reason",
)  # fmt: skip
BONUS_REASON = "Bonus for your decisions in the study. Thank you."
_MOST_REASON = 1_000


def lists_of(found: Reconciled) -> Mapping[str, str]:
    """Files by their names; those without a row are left out, but for the table of everything."""
    made = {
        "reconciled.csv": csv_text(ALL, map(_row, [*found.lines, *found.only_here])),
        **(_of_mturk(found) if found.recruiter == "mturk" else _by_ids(found)),
        "return.csv": _with_reasons(found.by(Action.RETURN)),
        "reject.csv": _with_reasons(found.by(Action.REJECT)),
        "bonuses.csv": _bonuses(found),
    }
    return {name: text for name, text in made.items() if text}


def _row(line: Line) -> Sequence[str]:
    one, here = line.submission, line.here
    verdict = "" if here is None or here.pay is None else "pay" if here.pay else "not to be paid"
    return [
        line.id or (here.participant if here else ""),
        one.submission if one else here.submission if here else "",
        one.said if one else "",
        here.status if here else "",
        str(here.session) if here else "",
        _number(here.minutes if here else None),
        _number(one.minutes if one else None),
        here.answers if here else "",
        line.code,
        verdict,
        ";".join(here.rules) if here else "",
        ";".join(f"{decimal(each.total_minor, each.currency)} {each.currency}" for each in here.earned)
        if here
        else "",
        line.action,
        line.reason,
    ]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"


def _by_ids(found: Reconciled) -> Mapping[str, str]:
    """One id in a line, as the fields for many approvals at once take them."""
    return {"approve.txt": "".join(f"{line.id}\n" for line in found.by(Action.PAY))}


def _of_mturk(found: Reconciled) -> Mapping[str, str]:
    """The batch file with its columns Approve and Reject filled in: `X`, or the reason for a rejection."""
    header = [name for name in found.submissions.header if name not in ("Approve", "Reject")]
    rows = []
    for line in found.by(Action.PAY, Action.REJECT):
        cells = line.submission.cells if line.submission else {}
        is_paid = line.action is Action.PAY
        decided = ["X" if is_paid else "", "" if is_paid else line.reason[:_MOST_REASON]]
        rows.append([*(cells.get(name, "") for name in header), *decided])
    return {"approve.csv": _as_it_stands([*header, "Approve", "Reject"], rows)} if rows else {}


def _with_reasons(lines: Sequence[Line]) -> str:
    rows = [[line.id, line.submission.submission if line.submission else "", line.reason] for line in lines]
    return csv_text(("id", "submission", "reason"), rows) if rows else ""


def _bonuses(found: Reconciled) -> str:
    rows = [
        (
            line.id,
            line.submission.submission if line.submission else "",
            decimal(each.total_minor, each.currency),
            each.currency,
        )
        for line, each in found.bonuses
    ]
    if not rows:
        return ""
    match found.recruiter:
        case "prolific":  # without a header: `id,amount`, in the currency of the study there
            return "".join(f"{id_},{amount}\n" for id_, _, amount, _ in rows)
        case "mturk":  # the fields of SendBonus
            head = ("WorkerId", "AssignmentId", "BonusAmount", "Reason")
            return csv_text(head, [(id_, at, amount, BONUS_REASON) for id_, at, amount, _ in rows])
    return csv_text(("id", "submission", "amount", "currency"), rows)


def _as_it_stands(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A file that goes back to where it came from: its cells are as they were."""
    table = io.StringIO()
    writer = csv.writer(table, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return table.getvalue()
