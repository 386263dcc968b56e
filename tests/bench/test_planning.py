"""The bench of who begins a rating: with a few sessions, as nobody sees otherwise that its statements have changed."""

from pathlib import Path

import pytest

from bench import planning


@pytest.mark.slow
def test_a_start_is_measured_by_the_services_own_statements(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"WORK": tmp_path, "N_SESSIONS": 40, "_BATCH": 20, "STARTS_A_REPEAT": 2}.items():
        monkeypatch.setattr(planning, name, value)
    monkeypatch.setattr(planning, "_postgres", planning._sqlite)  # the statements are the same
    found = planning.measure_planning(1)
    assert all(each.start_ms >= each.loads_ms + each.assign_ms > 0 for each in found)
    assert "40 sessions of 15 of 200 items" in planning.planning_text(found)
