"""Study files keep their comments, their order and their quotes where nothing changed."""

from copy import deepcopy
from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.studies.file.keys import tidied
from app.studies.file.load import load_study, written_study
from app.studies.file.yamlpatch import WrittenFile, file_of_version, study_file
from app.studies.file.yamlsource import read_yaml
from app.studies.file.yamlwriter import draft_to_yaml
from tests.studies.file.draft_strategies import JSON, spoilt_drafts, whole_drafts
from tests.studies.file.study_folder import make_facts, make_folder

FILE = """# Our study, by Ann.
study: nav   # the address
title: 'Which is real?'

# The consent was agreed with the board.
consent:
  version: "2021-01"  # of January
  text: |
    # Consent

    Please read.

background:
    # age first
    - {id: age, type: number, ask: "Age", required: true}   # in years
    # then how often
    - id: often
      type: likert
      scale: familiarity   # a published scale
trials:
  sides: balanced # never change
  questions:
    - {id: choice, type: 2afc, ask: "Which?"}
# the end
completion:
  message: |
    Bye.
  code: "007"
# that is all
"""
KEYS = tidied(read_yaml(FILE).data)


def changed_lines(change: Any) -> list[str]:
    keys = deepcopy(KEYS)
    change(keys)
    text = study_file(keys, WrittenFile(FILE, KEYS))
    assert tidied(read_yaml(text).data) == tidied(keys)
    lines = unified_diff(FILE.splitlines(), text.splitlines(), n=0, lineterm="")
    return [line for line in lines if line[0] in "+-" and line[:3] not in ("+++", "---")]


def test_only_the_lines_of_what_changed_are_others() -> None:
    assert changed_lines(lambda keys: None) == []
    assert changed_lines(lambda keys: keys.update(title="Other")) == [
        "-title: 'Which is real?'",
        "+title: Other",
    ]
    assert changed_lines(lambda keys: keys["trials"].update(sides="random")) == [
        "-  sides: balanced # never change",
        "+  sides: random # never change",
    ]
    assert changed_lines(lambda keys: keys["trials"].update(order="fixed")) == ["+  order: fixed"]
    assert changed_lines(lambda keys: keys["completion"].pop("code")) == ['-  code: "007"']
    assert changed_lines(lambda keys: keys["background"].pop(0)) == [
        "-    # age first",
        '-    - {id: age, type: number, ask: "Age", required: true}   # in years',
    ]
    assert changed_lines(lambda keys: keys["background"][1].update(required=False)) == [
        "+      required: false"
    ]
    assert changed_lines(lambda keys: keys["consent"].update(text="Please read.\n\nDo.")) == [
        "-    # Consent",
        "+    Please read.",
        "-    Please read.",
        "+    Do.",
    ]
    new = {"id": "why", "type": "text", "ask": "Why: what?"}
    assert changed_lines(lambda keys: keys["trials"]["questions"].append(new)) == [
        '+    - {id: why, type: text, ask: "Why: what?"}'
    ]
    moved = changed_lines(lambda keys: keys["background"].reverse())
    assert sorted(line[1:] for line in moved if line[0] == "+") == sorted(
        line[1:] for line in moved if line[0] == "-"
    )


def test_what_a_file_does_not_say_and_what_places_share_has_another_meaning_never() -> None:
    more = {**KEYS, "instructions": "As it always was."}
    assert study_file({**more, "title": "Other"}, WrittenFile(FILE, more)) == FILE.replace(
        "'Which is real?'", "Other"
    )
    shared = "study: nav\ntitle: &t Real\ncompletion: {message: *t}\n"
    keys = tidied(read_yaml(shared).data)
    text = study_file({**keys, "title": "Other"}, WrittenFile(shared, keys))
    assert tidied(read_yaml(text).data) == {**keys, "title": "Other"}


def test_a_folders_file_is_kept_with_its_texts_and_pairs_in_it_and_makes_the_same_version(
    tmp_path: Path,
) -> None:
    path, facts = make_folder(tmp_path), make_facts()
    design, written = load_study(path, facts), written_study(path)
    text = file_of_version(design, written.keys, written, facts)
    assert text is not None
    assert "# asked once, before the trials" in text
    assert "# random | fixed | blocked" in text
    alone = tmp_path / "alone.yaml"
    alone.write_text(text)
    assert load_study(alone, make_facts(n=9)).sha256() == design.sha256(), (
        "its pairs stay drawn when clips come"
    )


@given(
    before=whole_drafts() | spoilt_drafts() | JSON,
    after=whole_drafts() | spoilt_drafts() | JSON,
    data=st.data(),
)
@settings(max_examples=30, deadline=None)
@pytest.mark.slow
def test_any_file_changed_to_any_keys_reads_as_these_keys_and_keeps_its_comments(
    before: Any, after: Any, data: st.DataObject
) -> None:
    lines = draft_to_yaml(before).splitlines()
    starts = [n for n, line in enumerate(lines) if line and line[0].isalpha()]
    commented = data.draw(st.sets(st.sampled_from(starts)) if starts else st.just(set()))
    text = "".join(f"# note {n}\n{line}\n" if n in commented else f"{line}\n" for n, line in enumerate(lines))
    held, wanted = tidied(read_yaml(text).data), tidied(after)
    some = data.draw(st.sets(st.sampled_from(sorted(wanted)))) if wanted else set()
    for keys in ({**held, **{key: wanted[key] for key in some}}, wanted):
        again = study_file(keys, WrittenFile(text, held))
        assert draft_to_yaml(read_yaml(again).data) == draft_to_yaml(keys)
    if read_yaml(text).data:
        assert study_file(held, WrittenFile(text, held)) == text
