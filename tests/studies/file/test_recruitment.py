"""The key `recruitment`: what it means, what is wrong with one, and that a study without it is what it was."""

from collections.abc import Mapping
from typing import Any

import pytest

from app.admin.design.fields import fields_to_keys, keys_to_fields
from app.studies.file.design import StudyDesign
from app.studies.file.difference import differences
from app.studies.file.drafts import check_draft, draft_of_design
from app.studies.file.recruiters import OTHER, RECRUITERS, known_parameters, query_of
from app.studies.file.recruitment import DesignRecruitment
from app.studies.file.yamlsource import read_yaml
from app.studies.file.yamlwriter import draft_to_yaml
from tests.studies.file.study_folder import make_facts


def keys(**changes: Any) -> dict[str, Any]:
    return {
        "study": "nav",
        "title": "T",
        "consent": {"version": "1", "text": "C"},
        "sample": {"match": "goal", "seed": 7, "conditions": {"human-hybrid": 1}},
        "trials": {"questions": [{"id": "choice", "type": "2afc", "ask": "Which?"}]},
        **changes,
    }


def design(**changes: Any) -> StudyDesign:
    found = check_draft(keys(**changes), make_facts())
    assert found.design is not None, found.faults
    return found.design


def faults(recruitment: Any, **changes: Any) -> list[tuple[Any, str]]:
    found = check_draft(keys(recruitment=recruitment, **changes), make_facts())
    return [(fault.place, fault.message) for fault in found.faults]


def test_a_study_without_it_has_the_canonical_text_that_it_had() -> None:
    assert "recruitment" not in design().canonical_json()
    assert design().recruitment is None


def test_defaults_are_left_out_and_ids_are_apart() -> None:
    of = design(recruitment={"from": "prolific"})
    assert of.recruitment == DesignRecruitment(recruiter="prolific")
    assert of.recruitment is not None
    assert of.recruitment.is_apart
    assert '"recruitment":{"recruiter":"prolific"}' in of.canonical_json()


@pytest.mark.parametrize(
    "recruitment",
    [
        {"from": "sona"},
        {"from": "mturk", "ids": "hashed", "not_if_in": ["a", "b"]},
        {"from": "other", "parameters": {"participant": "rid", "session": "tx"}, "ids": "plain"},
    ],
)
def test_design_draft_and_file_say_the_same(recruitment: Mapping[str, Any]) -> None:
    of = design(recruitment=recruitment)
    draft = draft_of_design(of, make_facts())
    assert draft["recruitment"] == recruitment
    again = check_draft(read_yaml(draft_to_yaml(draft)).data, make_facts())
    assert again.design == of
    assert differences(draft, keys(recruitment=recruitment, pairs=draft.get("pairs"))) == []


def test_a_default_written_out_is_no_difference_and_another_recruiter_is_one() -> None:
    short = keys(recruitment={"from": "prolific"})
    assert differences(short, keys(recruitment={"from": "prolific", "ids": "apart", "not_if_in": []})) == []
    (change,) = differences(short, keys(recruitment={"from": "connect"}))
    assert (change.place, change.before, change.after) == ("recruitment › from", "prolific", "connect")


@pytest.mark.parametrize(
    ("recruitment", "place", "words"),
    [
        ({}, ("recruitment", "from"), "from is missing"),
        ({"from": "craigslist"}, ("recruitment", "from"), "not allowed"),
        ({"from": "other"}, ("recruitment", "parameters", "participant"), "is not named"),
        (
            {"from": "other", "parameters": {"participant": "as"}},
            ("recruitment", "parameters", "participant"),
            "our own links",
        ),
        (
            {"from": "sona", "parameters": {"participant": "id", "session": "ID"}},
            ("recruitment", "parameters", "session"),
            "named twice",
        ),
        (
            {"from": "sona", "parameters": {"participant": "a b"}},
            ("recruitment", "parameters", "participant"),
            "is not",
        ),
        ({"from": "sona", "not_if_in": ["nav"]}, ("recruitment", "not_if_in", 0), "the study itself"),
        ({"from": "sona", "not_if_in": ["No!"]}, ("recruitment", "not_if_in", 0), "is not allowed"),
        ({"from": "sona", "id": "plain"}, ("recruitment", "id"), "unknown key"),
    ],
)
def test_what_is_wrong_is_named_at_its_place(recruitment: Any, place: Any, words: str) -> None:
    found = faults(recruitment)
    assert [at for at, _ in found] == [place]
    assert words in found[0][1]


def test_an_address_cannot_send_an_id_that_is_kept_as_a_hash_alone() -> None:
    completion = {
        "redirect": "https://a.org/x?id={participant}",
        "codes": {"full": "https://a.org/f?id={participant}"},
    }
    found = faults({"from": "sona", "ids": "hashed"}, completion=completion)
    assert [at for at, _ in found] == [("completion", "redirect"), ("completion", "codes", "full")]
    assert faults({"from": "sona"}, completion=completion) == []


def test_names_of_parameters_are_the_recruiters_unless_others_are_given() -> None:
    prolific = DesignRecruitment(recruiter="prolific")
    assert prolific.names == {"participant": "PROLIFIC_PID", "study": "STUDY_ID", "session": "SESSION_ID"}
    assert query_of("prolific", prolific.names) == (
        "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    )
    sona = design(recruitment={"from": "sona", "parameters": {"participant": "sona_id"}}).recruitment
    assert sona is not None
    assert query_of("sona", sona.names) == "sona_id=%SURVEY_CODE%"
    assert query_of("mturk", DesignRecruitment(recruiter="mturk").names) == ""
    assert query_of(OTHER, {"participant": "rid"}) == "rid=..."


def test_every_recruiter_names_an_id_and_steps_and_has_codes_or_a_way_back() -> None:
    for recruiter in RECRUITERS.values():
        assert recruiter.parameters["participant"]
        assert len(recruiter.steps) > 2
        assert recruiter.codes or recruiter.redirect
        assert recruiter.adds or recruiter.link.keys() == set(recruiter.parameters.values())
    assert {"prolific_pid", "workerid", "turksubmitto", "survey_code", "projectid"} <= known_parameters()


def test_the_form_takes_a_recruiter_and_takes_it_back() -> None:
    draft = keys()
    fields = keys_to_fields(draft)
    assert fields["recruitment.from"] == ""
    assert fields["recruitment.ids"] == "apart"
    chosen = fields_to_keys(
        draft, {**fields, "recruitment.from": "mturk", "recruitment.not_if_in": "one\ntwo"}
    )
    assert chosen.keys["recruitment"] == {"from": "mturk", "not_if_in": ["one", "two"]}
    again = keys_to_fields(chosen.keys)
    taken_back = {**again, "recruitment.from": "", "recruitment.not_if_in": ""}
    assert "recruitment" not in fields_to_keys(chosen.keys, taken_back).keys
