"""Rows of exports about made-up sessions."""

from typing import Any

from analysis.quality.records import SessionRecord, session_records


def person(session: str = "1", **columns: Any) -> dict[str, Any]:
    own = {"session": session, "version": 1, "arm": "main", "mode": "live", "status": "completed"}
    return {**own, "visit": 1, "duration_s": 600.0, **columns}


def pair(session: str = "1", trial: int = 1, **columns: Any) -> dict[str, Any]:
    own = {"session": session, "trial": f"{session}-{trial}", "kind": "main", "flags": None}
    shown = {"choice": "ab"[trial % 2], "left": "a", "uncertainty": 1 + trial % 5, "certainty": None}
    times = {"rt_ms": 9000 + trial, "hidden_ms": 0, "stalls": 0, "rationale": None}
    return {**own, **shown, **times, **columns}


def pairs(n: int, session: str = "1", **columns: Any) -> list[dict[str, Any]]:
    return [pair(session, trial, **columns) for trial in range(1, n + 1)]


def rating(trial: int, question: str, value: float, session: str = "1", **columns: Any) -> dict[str, Any]:
    own = {"session": session, "trial": f"{session}-{trial}", "kind": "main", "flags": None, "rt_ms": 9000}
    scale = {"scale_low": 1, "scale_high": 5, "level": "ordinal", "options": None}
    return {**own, "question": question, "value": value, "text": None, "hidden_ms": 0, **scale, **columns}


def session(responses: Any = (), **tables: Any) -> SessionRecord:
    """One session with these rows."""
    of = tables.pop("participant", {})
    return session_records([person(**of)], responses, **tables)[0]
