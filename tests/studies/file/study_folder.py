"""Folders with a study file in them, and what is known of made-up clips."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest
import yaml

from app.studies.file.load import StimulusFacts, StudyDesign, StudyFileProblems, load_study

# The example of the design, but for its two ways to pairs.
EXAMPLE = """\
study: hntt-1
title: Which navigation looks human?
consent: {version: 2021-01, text: consent.md, minimum_age: 18}
background:                                  # asked once, before the trials
  - {id: genre_familiarity, ask: "How familiar are you with third-person action games?", scale: familiarity}
instructions: instructions.md
PAIRS
trials:
  order: random                              # random | fixed | blocked
  sides: balanced                            # balanced | random | fixed
  watch: both-to-end                         # both-to-end | free
  questions:
    - {id: choice, type: 2afc, ask: "Which video is more likely to be human?"}
    - {id: rationale, type: text, ask: "Why do you think this is the case? Please provide as much detail as possible."}
    - {id: uncertainty, type: likert, ask: "How certain are you of your choice?",
       labels: [extremely certain, somewhat certain, neutral, somewhat uncertain, extremely uncertain]}
completion: {message: thanks.md, code: ABC123, redirect: null}
"""
SAMPLE = "sample: {match: goal, seed: 7, conditions: {human-hybrid: 6, hybrid-symbolic: 4}}"
PAIRS = "pairs: pairs.csv"
TEXTS = MappingProxyType(
    {
        "consent.md": "# Consent\n",
        "instructions.md": "# Instructions\n",
        "thanks.md": "# Thanks\n",
        "pairs.csv": "pair,a,b\np1,human-1,hybrid-1\np2,hybrid-2,symbolic-2\n",
    }
)


def make_facts(
    sources: tuple[str, ...] = ("human", "hybrid", "symbolic"), n: int = 6
) -> dict[str, StimulusFacts]:
    """`n` clips of each source, `human-1` with goal g1 and so on."""
    return {
        f"{source}-{i}": StimulusFacts(f"{source}-{i}", source, {"goal": f"g{i}"}, f"sha-{source}-{i}")
        for source in sources
        for i in range(1, n + 1)
    }


def make_folder(folder: Path, study: str = EXAMPLE, pairs: str = SAMPLE, **texts: str) -> Path:
    """Write a study file and its texts; `pairs` is the line that says where pairs come from."""
    for name, text in {**TEXTS, **{key.replace("_", "."): text for key, text in texts.items()}}.items():
        (folder / name).write_text(text, encoding="utf-8")
    path = folder / "study.yaml"
    path.write_text(study.replace("PAIRS", pairs), encoding="utf-8")
    return path


def example_keys() -> dict[str, object]:
    """The example as plain data, to be changed and written again."""
    keys: dict[str, object] = yaml.safe_load(EXAMPLE.replace("PAIRS", SAMPLE))
    return keys


def problems_of(path: Path, stimuli: Mapping[str, StimulusFacts] | None = None) -> list[tuple[str, int, str]]:
    """Load a study file that must not load; give file name, line and message of each problem."""
    with pytest.raises(StudyFileProblems) as refused:
        load_study(path, make_facts() if stimuli is None else stimuli)
    problems = refused.value.problems
    assert all(problem.remedy for problem in problems)
    assert str(refused.value).splitlines() == [str(problem) for problem in problems]
    return [(Path(problem.file).name, problem.line, problem.message) for problem in problems]


def loaded(path: Path, stimuli: Mapping[str, StimulusFacts] | None = None) -> StudyDesign:
    return load_study(path, make_facts() if stimuli is None else stimuli)
