"""The key `exclude`: rules with bounds, two verdicts, and the word for the default rules."""

from pathlib import Path

import pytest

from analysis.quality.registry import DEFAULT, RULES
from app.studies.file.difference import Difference, design_differences, differences
from app.studies.file.drafts import check_draft, draft_of_design
from app.studies.file.exclusion import MODELS, resolved_rules
from app.studies.file.load import json_schema
from tests.studies.file.study_folder import SAMPLE, loaded, make_folder, problems_of
from tests.studies.file.test_drafts import FACTS, design_of, example


def with_rules(rules: str) -> str:
    return f"{SAMPLE}\nexclude: {rules}"


def test_a_rule_keeps_all_its_bounds_and_a_study_without_rules_its_hash(tmp_path: Path) -> None:
    plain = loaded(make_folder(tmp_path))
    design = loaded(make_folder(tmp_path, pairs=with_rules("[{rule: hidden, seconds: 60, pay: false}]")))
    (rule,) = design.exclude
    assert (rule.rule, rule.bounds, rule.use, rule.pay) == (
        "hidden",
        {"seconds": 60, "share": 0.33},
        False,
        False,
    )
    assert "exclude" not in plain.canonical_json()
    assert plain.sha256() != design.sha256()
    assert type(design).model_validate_json(design.canonical_json()) == design


def test_default_takes_the_default_rules_alone_or_round_a_rule_of_ones_own(tmp_path: Path) -> None:
    taken = loaded(make_folder(tmp_path, pairs=with_rules("default"))).exclude
    assert [rule.chosen.rule for rule in taken] == [rule.rule for rule in DEFAULT]
    assert all(set(rule.bounds) <= {each.name for each in RULES[rule.rule].parameters} for rule in taken)
    own = loaded(make_folder(tmp_path, pairs=with_rules("[{rule: hidden, use: true}, default]"))).exclude
    assert [rule.rule for rule in own].count("hidden") == 1
    assert own[0].use
    assert len(own) == len(taken)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("all", "exclude: 'all' is no list of rules"),
        ("[{rule: hiden}]", "rule: 'hiden' is no exclusion rule"),
        ("[{seconds: 3}]", "entry 1 of exclude has no rule"),
        ("[3]", "entry 1 of exclude must be a mapping, or `default`, not '3'"),
        ("[{rule: hidden, second: 3}]", "unknown key 'second'"),
        ("[{rule: hidden, seconds: long}]", "seconds: 'long' is not a number"),
        ("[{rule: hidden, share: 2}]", "share: '2' is too large"),
        ("[{rule: sped-up, at_least: 1.5}]", None),
        ("[{rule: hidden}, {rule: hidden, seconds: 9}]", "the rule 'hidden' comes twice"),
        ("[{rule: reaction-time, least: 5, most: 2}]", "least is 5 and most is 2: nothing is between them"),
        ("[{rule: hidden, use: perhaps}]", "use: 'perhaps' is not true or false"),
    ],
)
def test_whatever_is_wrong_is_named_with_its_line(tmp_path: Path, rules: str, message: str | None) -> None:
    path = make_folder(tmp_path, pairs=with_rules(rules))
    line = path.read_text(encoding="utf-8").splitlines().index(f"exclude: {rules}") + 1
    (problem,) = problems_of(path)
    assert problem[:2] == ("study.yaml", line)
    assert message is None or problem[2] == message


def test_a_rule_that_cannot_tell_surely_decides_nothing(tmp_path: Path) -> None:
    for name in (name for name, rule in RULES.items() if rule.flag_only):
        for verdict in ("use", "pay"):
            rules = f"[{{rule: {name}, {verdict}: false}}]"
            (problem,) = problems_of(make_folder(tmp_path, pairs=with_rules(rules)))
            assert problem[2] == f"{name} cannot tell surely enough to decide {verdict}"


def test_a_draft_lists_the_default_rules_and_makes_the_same_design() -> None:
    written = check_draft({**example(), "exclude": "default"}, FACTS).design
    assert written is not None
    draft = draft_of_design(written, FACTS)
    assert draft["exclude"][0] == {"rule": "attention-failed"}
    assert design_of(draft).sha256() == written.sha256()
    assert differences({**example(), "exclude": "default"}, draft) == []


def test_a_changed_rule_is_a_difference_between_versions() -> None:
    before = {**example(), "exclude": [{"rule": "hidden"}, {"rule": "stalls"}]}
    after = {
        **example(),
        "exclude": [{"rule": "hidden", "seconds": "45", "pay": "no"}, {"rule": "same-side"}],
    }
    expected = [
        Difference("exclude › hidden › seconds", "30", "45", "changed"),
        Difference("exclude › hidden › pay", "yes", "no", "changed"),
        Difference("exclude › stalls", "per_trial: 3; use: no; pay: yes", "", "removed"),
        Difference("exclude › same-side", "", "at_least: 8; share: 1; use: no; pay: yes", "added"),
    ]
    assert differences(before, after) == expected
    assert design_differences(design_of(before), design_of(after)) == expected


def test_every_rule_has_a_model_with_its_words() -> None:
    schema = json_schema()
    for name, rule in RULES.items():
        fields = MODELS[name].model_fields
        assert list(fields) == ["rule", *(each.name for each in rule.parameters), "use", "pay"]
        assert fields["rule"].title == rule.title
        assert all(fields[each.name].description == each.help for each in rule.parameters)
        assert name in schema["$defs"]
        (chosen,) = resolved_rules([MODELS[name].model_validate({"rule": name})])
        assert chosen.chosen.bounds == {
            each.name: each.default for each in rule.parameters if each.default is not None
        }
    assert schema["properties"]["exclude"]["anyOf"][0] == {"const": "default"}
