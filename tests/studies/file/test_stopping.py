"""`stop_when` in a study file: its rules, its defaults, and what a file without it means."""

from typing import Any

from app.studies.file.rules import broken_rules
from tests.factories import study_file

STOP = {"measure": "accuracy", "narrower_than": 0.1}


def said(stop: dict[str, Any], **changes: Any) -> list[tuple[Any, str]]:
    keys = {**study_file(**changes), "stop_when": stop}
    return [(fault.place, fault.message) for fault in broken_rules(keys)]


def test_a_good_target_has_no_faults() -> None:
    assert said(STOP) == []
    assert said({"measure": "preference", "source": "hybrid", "narrower_than": 0.1}) == []


def test_what_cannot_be_looked_at_is_refused() -> None:
    assert said({**STOP, "measure": "preference"}) == [
        (("stop_when", "measure"), "a preference is of a source")
    ]
    assert said({**STOP, "source": "hybrid"}) == [(("stop_when", "source"), "accuracy is of no source")]
    assert said(STOP, truth={"source": "none"}) == [
        (("stop_when", "measure"), "no answer is right or wrong: `truth.source` is none")
    ]
    blocks = [{"id": "rate", "task": "rating", "items": "item,text\n1,a\n", "questions": []}]
    found = said(STOP, sample=None, trials=None, blocks=blocks)
    assert (("stop_when",), "there is no block of pairs, whose answers are looked at") in found
