import json
from fractions import Fraction
from pathlib import Path

import pytest
from pydantic import ValidationError

from app.library.clips.errors import RulesProblems
from app.library.clips.rules import FIRST_RULES, Mask, Rules

WHOLE = """\
trim_start_s: 0.5
trim_end_s: 1
masks:
  - {x: 0.75, y: 0, width: 0.25, height: 0.2}
width: 640
height: 400
fps: 25
crf: 18
"""
MANY_WRONG = """\
trim_start_s: -1
masks:
  - {x: 0.5, y: 0, width: 0.6, height: 1}
  - {x: 0}
width: 641
height: 400
sound: keep
"""
KNOWN = "trim_start_s, trim_end_s, masks, width, height, fps, crf, preset"


def load(tmp_path: Path, text: str | bytes) -> Rules:
    path = tmp_path / "rules.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return Rules.load(path)


def refusals(tmp_path: Path, text: str | bytes) -> list[str]:
    with pytest.raises(RulesProblems) as caught:
        load(tmp_path, text)
    lines = str(caught.value).splitlines()
    assert len(lines) == len(caught.value.problems)
    return [line.removeprefix(f"{tmp_path / 'rules.yaml'}") for line in lines]


def test_every_rule_can_be_written(tmp_path: Path) -> None:
    rules = load(tmp_path, WHOLE)
    assert rules == Rules(
        trim_start_s=0.5,
        trim_end_s=1.0,
        masks=(Mask(x=0.75, y=0.0, width=0.25, height=0.2),),
        width=640,
        height=400,
        fps=25.0,
        crf=18,
    )
    assert rules.size == (640, 400)


@pytest.mark.parametrize("text", ["", "# nothing but a comment\n", "\ufeff"])
def test_an_empty_file_is_the_default_rules(tmp_path: Path, text: str) -> None:
    assert load(tmp_path, text) == Rules()


def test_equal_rules_have_equal_hashes_however_written(tmp_path: Path) -> None:
    one = load(tmp_path, "width: 640\nheight: 400\nfps: 25\ncrf: 18")
    other = load(tmp_path, "{crf: 18, fps: 25.0, height: 400, width: 640, masks: []}")
    assert one.sha256() == other.sha256()
    assert load(tmp_path, "fps: 30").sha256() == Rules().sha256()
    assert load(tmp_path, WHOLE).sha256() != Rules().sha256()


def test_the_canonical_form_is_plain_json_and_comes_back_as_the_same_rules(tmp_path: Path) -> None:
    rules = load(tmp_path, WHOLE)
    again = Rules.model_validate(json.loads(json.dumps(rules.canonical())))
    assert again == rules
    assert again.sha256() == rules.sha256()


def test_the_hash_of_the_default_rules_stays_what_it_was() -> None:
    # Stored beside every clip: a change here makes old clips look as if other rules had been applied.
    assert Rules().sha256() == "8fe1a0be87c3143cf69e1070f3a420ee9ff017c96fa02cd12a502962c0c96403"


def test_rates_of_film_and_television_are_exact() -> None:
    assert Rules(fps=30_000 / 1001).rate == Fraction(30_000, 1001)
    assert Rules(fps=23.976).rate == Fraction(2997, 125)
    assert Rules(fps=12.5).rate == Fraction(25, 2)


def test_rules_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        Rules().crf = 30


def test_all_errors_come_at_once_with_line_and_remedy(tmp_path: Path) -> None:
    assert refusals(tmp_path, MANY_WRONG) == [
        ":1: trim_start_s is '-1'; it is seconds, 0 to 1200",
        ":3: masks.0: the box reaches beyond the frame; x + width and y + height are at most 1",
        ":4: masks.1.y is missing; it is a fraction of the frame, 0 to 1",
        ":4: masks.1.width is missing; it is a fraction of the frame, above 0 and at most 1",
        ":4: masks.1.height is missing; it is a fraction of the frame, above 0 and at most 1",
        ":5: width is '641'; it is an even number of pixels, 16 to 4096",
        f":7: there is no rule 'sound'; known here: {KNOWN}",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("width: 640", "width and height go together"),
        ("fps: '30'", ":1: fps is '30'; it is frames per second"),
        ("fps: 0", ":1: fps is '0'; it is frames per second"),
        ("fps: .nan", ":1: fps is 'nan'"),
        ("fps: .inf", ":1: fps is 'inf'"),
        ("crf: true", ":1: crf is 'True'; it is x264's quality"),
        ("crf: 0", ":1: crf is '0'"),
        ("trim_end_s:", ":1: trim_end_s is 'None'; it is seconds"),
        ("trim_end_s: 2020-01-01", ":1: trim_end_s is '2020-01-01'; it is seconds"),
        ("trim_end_s: 2020-99-99", "cannot be read"),
        ("masks: 3", ":1: masks is '3'; it is a list of boxes"),
        ("masks: [3]", ":1: masks.0 is '3'; it is a list of boxes"),
        ("masks:\n- {x: 0, y: 0, width: 0, height: 1}", ":2: masks.0.width is '0'; it is a fraction"),
        (
            "masks:\n- {x: 0, y: 0, width: 1, height: 1, colour: red}",
            ":2: there is no rule 'masks.0.colour'",
        ),
        ("- fps", ":1: rules are written as `rule: value`"),
        ("just text", ":1: rules are written as `rule: value`"),
        ("fps: 30\ncrf: 20\nfps: 25", ":3: 'fps' stands in line 1 already"),
        ("fps: [1, 2", ":1: is not YAML"),
        ("a: &a [*a]", ":1: write the value out"),
        ("[" * 500 + "]" * 500, "nested too deeply"),
        ("fps: !!python/object:os.system 3", ":1: is not YAML: could not determine a constructor"),
        ("fps: 30\0", "is not YAML"),
        ("1: 2", ":1: 1 "),
        ("fps: 30\n---\nfps: 25", "is not YAML"),
        (b"fps: \xff", "is not UTF-8 text"),
        ("#" * 100_001, "too large"),
    ],
)
def test_what_is_not_a_rule_is_refused_with_the_place_and_what_is_allowed(
    tmp_path: Path, text: str | bytes, expected: str
) -> None:
    (line,) = refusals(tmp_path, text)
    assert expected in line


def test_the_page_for_experimenters_names_every_rule_and_its_example_can_be_loaded(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "clips.md").read_text(encoding="utf-8")
    for rule in Rules.model_fields:
        assert f"`{rule}`" in page
    example = page.split("```yaml\n")[1].split("```")[0]
    assert set(load(tmp_path, example).model_fields_set) == set(Rules.model_fields)


def test_a_missing_file_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(RulesProblems, match=r"none\.yaml: cannot be read"):
        Rules.load(tmp_path / "none.yaml")


@pytest.mark.parametrize("crf", ["1_8", "0:18", "022", "0x12"])
def test_a_number_is_not_what_yaml_makes_of_its_digits(tmp_path: Path, crf: str) -> None:
    """YAML 1.1 reads each of these as 18."""
    [said] = refusals(tmp_path, f"crf: {crf}\n")
    assert said == f":1: crf is {crf!r}; it is x264's quality, 1 (best) to 40 (smallest)"


def test_rules_of_before_there_was_a_preset_mean_medium_and_stay_equal_to_what_was_kept(
    tmp_path: Path,
) -> None:
    kept = {key: value for key, value in Rules().model_dump(mode="json").items() if key != "preset"}
    assert Rules.model_validate(kept).preset == "medium"
    assert Rules(preset="medium").canonical() == kept
    assert Rules.model_validate(FIRST_RULES.canonical()) == FIRST_RULES
    assert FIRST_RULES.canonical()["preset"] == "veryfast"
    assert refusals(tmp_path, "preset: fast") == [
        ":1: preset is 'fast'; it is x264's preset, medium or veryfast"
    ]


def test_rules_that_name_no_quality_or_preset_take_those_of_the_clips_that_are_there(tmp_path: Path) -> None:
    assert load(tmp_path, "fps: 25").encoded_like(FIRST_RULES) == Rules(fps=25.0, crf=19, preset="veryfast")
    assert load(tmp_path, "preset: medium\ncrf: 20").encoded_like(FIRST_RULES) == Rules()
    assert load(tmp_path, "").encoded_like(FIRST_RULES) == FIRST_RULES
    assert load(tmp_path, "crf: 30").encoded_like(Rules()) == Rules(crf=30)
