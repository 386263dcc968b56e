"""The meaning of a study file: texts, scales and pairs resolved into one design."""

import random
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import app.demo
from app.questions.scales import SCALES
from app.studies.file.load import StudyDesign, StudyFile, check_study, load_study
from app.studies.file.model import DEFAULT_MESSAGE
from app.tasks.pair.design import Member
from app.tasks.pair.settings import PairDesign, pairs_of
from app.trials.design import Kind
from tests.studies.file.study_folder import (
    EXAMPLE,
    PAIRS,
    SAMPLE,
    example_keys,
    loaded,
    make_facts,
    make_folder,
)

ROOT = Path(__file__).parents[3]


def test_the_example_of_the_design_loads(tmp_path: Path) -> None:
    design = loaded(make_folder(tmp_path))
    assert (design.study, design.title) == ("hntt-1", "Which navigation looks human?")
    assert (design.consent.version, design.consent.text, design.consent.minimum_age) == (
        "2021-01",
        "# Consent",
        18,
    )
    assert design.background[0].labels == SCALES["familiarity"]
    assert design.background[0].type == "likert"
    assert design.instructions == "# Instructions"
    assert (
        design.blocks_of(PairDesign)[0].trials.order,
        design.blocks_of(PairDesign)[0].trials.sides,
        design.blocks_of(PairDesign)[0].trials.watch,
    ) == (
        "random",
        "balanced",
        "both-to-end",
    )
    assert [(q.id, q.type, q.required) for q in design.blocks_of(PairDesign)[0].trials.questions] == [
        ("choice", "2afc", True),
        ("rationale", "text", False),
        ("uncertainty", "likert", True),
    ]
    assert (
        design.blocks_of(PairDesign)[0].trials.questions[1].max_length,
        design.blocks_of(PairDesign)[0].trials.questions[2].labels[4],
    ) == (
        5000,
        "extremely uncertain",
    )
    assert (design.completion.message, design.completion.code, design.completion.redirect) == (
        "# Thanks",
        "ABC123",
        None,
    )
    assert len(pairs_of(design.blocks)) == 10


def test_a_pair_file_becomes_pairs_with_sources_truth_and_clip_hashes(tmp_path: Path) -> None:
    first, second = pairs_of(loaded(make_folder(tmp_path, pairs=PAIRS)).blocks)
    assert (first.id, first.a, first.b, first.condition) == ("p1", "human-1", "hybrid-1", "human-hybrid")
    assert (first.source_a, first.source_b, first.truth, first.kind) == (
        "human",
        "hybrid",
        Member.A,
        Kind.MAIN,
    )
    assert (first.clip_a_sha256, first.clip_b_sha256) == ("sha-human-1", "sha-hybrid-1")
    assert (second.condition, second.truth, second.position) == ("hybrid-symbolic", None, 2)


@pytest.mark.parametrize("version", ["2021-01", "2021-01-05", "1.0", "3", "0x1F", "1_000", "true", "'3'"])
def test_a_consent_version_is_taken_as_written(tmp_path: Path, version: str) -> None:
    path = make_folder(tmp_path, EXAMPLE.replace("version: 2021-01", f"version: {version}"))
    assert loaded(path).consent.version == version.strip("'")


def test_numbers_and_truths_are_what_they_look_like(tmp_path: Path) -> None:
    """YAML 1.1 would read 022 as 18, and `no`, `off` and `on` as truths, as which they stand where one is asked for."""
    designs = []
    for name, age, options, shown in (
        ("as-said", "022", "no, off, on", "yes"),
        ("sure", "22", "'no', 'off', 'on'", "true"),
    ):
        text = EXAMPLE.replace("minimum_age: 18", f"minimum_age: {age}, play_shown: {shown}")
        text = text.replace("scale: familiarity", f"type: choice, options: [{options}]")
        folder = tmp_path / name
        folder.mkdir()
        designs.append(loaded(make_folder(folder, text)))
    said, sure = designs
    assert said == sure
    assert said.consent.minimum_age == 22
    assert said.background[0].options == ("no", "off", "on")


@pytest.mark.parametrize("code", ["007", "1e5", "12:30", "no"])
def test_a_completion_code_is_taken_as_written(tmp_path: Path, code: str) -> None:
    assert loaded(make_folder(tmp_path, EXAMPLE.replace("ABC123", code))).completion.code == code


def test_labels_and_options_are_taken_as_written(tmp_path: Path) -> None:
    questions = """
    - {id: sure, type: likert, ask: "Sure?", labels: [yes, no]}
    - {id: year, type: choice, ask: "When?", options: [2020, 2021-01-05, off]}"""
    design = loaded(make_folder(tmp_path, EXAMPLE.replace("  questions:", f"  questions:{questions}")))
    assert design.blocks_of(PairDesign)[0].trials.questions[0].labels == ("yes", "no")
    assert design.blocks_of(PairDesign)[0].trials.questions[1].options == ("2020", "2021-01-05", "off")


def test_a_scale_of_ones_own_serves_as_labels(tmp_path: Path) -> None:
    study = EXAMPLE.replace("scale: familiarity", "scale: mine") + "scales: {mine: [little, much]}\n"
    assert loaded(make_folder(tmp_path, study)).background[0].labels == ("little", "much")


def test_number_limits_and_optional_questions_reach_the_design(tmp_path: Path) -> None:
    question = "\n  - {id: age, type: number, ask: Age, minimum: 18, maximum: 99.5, required: no}"
    design = loaded(make_folder(tmp_path, EXAMPLE.replace("background:", f"background:{question}")))
    age = design.background[0]
    assert (age.minimum, age.maximum, age.required) == (18.0, 99.5, False)


def test_what_is_left_out_gets_its_default(tmp_path: Path) -> None:
    keys = example_keys()
    for key in ("background", "instructions", "completion"):
        del keys[key]
    keys["trials"] = {"questions": [{"id": "choice", "type": "2afc", "ask": "Which?"}]}
    design = loaded(make_folder(tmp_path, yaml.safe_dump(keys)))
    assert (design.background, design.instructions) == ((), None)
    assert (
        design.blocks_of(PairDesign)[0].trials.order,
        design.blocks_of(PairDesign)[0].trials.sides,
        design.blocks_of(PairDesign)[0].trials.watch,
    ) == (
        "random",
        "balanced",
        "both-to-end",
    )
    assert design.completion.message == DEFAULT_MESSAGE.strip()


def test_a_text_of_more_than_one_line_stands_in_the_study_file_itself(tmp_path: Path) -> None:
    study = EXAMPLE.replace("instructions: instructions.md", "instructions: |\n  # Do this\n\n  and *that*\n")
    assert loaded(make_folder(tmp_path, study)).instructions == "# Do this\n\nand *that*"


@pytest.mark.parametrize("encode", [lambda s: b"\xef\xbb\xbf" + s, lambda s: s.replace(b"\n", b"\r\n")])
def test_files_saved_on_windows_read_the_same(tmp_path: Path, encode: object) -> None:
    path = make_folder(tmp_path, pairs=PAIRS)
    before = loaded(path)
    for file in tmp_path.iterdir():
        file.write_bytes(encode(file.read_bytes()))  # type: ignore[operator]
    assert loaded(path) == before


def test_a_design_survives_the_database(tmp_path: Path) -> None:
    design = loaded(make_folder(tmp_path))
    again = StudyDesign.model_validate_json(design.canonical_json())
    assert again == design
    assert again.canonical_json() == design.canonical_json()


def test_a_file_is_checked_without_knowing_the_stimuli(tmp_path: Path) -> None:
    study = check_study(make_folder(tmp_path, pairs=PAIRS, pairs_csv="pair,a,b\np1,unheard,of\n"))
    assert isinstance(study, StudyFile)
    assert study.pairs == "pairs.csv"
    assert (
        check_study(make_folder(tmp_path, pairs="sample: {seed: 1, conditions: {no-such: 3}}")).pairs is None
    )


# The canonical form


def _written(keys: object, rng: random.Random) -> str:
    """The same keys in another order and another style of YAML, with a comment."""

    def shuffled(value: object) -> object:
        if isinstance(value, dict):
            return {key: shuffled(value[key]) for key in rng.sample(list(value), len(value))}
        return [shuffled(item) for item in value] if isinstance(value, list) else value

    style = rng.choice([None, '"', "'"])
    text = yaml.dump(
        shuffled(keys),
        Dumper=_dumper(style),
        sort_keys=False,
        default_flow_style=rng.choice([True, False, None]),
        width=rng.choice([20, 80, 1000]),
        indent=rng.choice([2, 4]),
    )
    return f"# written {rng.random()}\n{text}"


def _dumper(style: str | None) -> type[yaml.SafeDumper]:
    class Dumper(yaml.SafeDumper):
        pass

    Dumper.add_representer(
        str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style)
    )
    return Dumper


@pytest.mark.slow
@given(seed=st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_the_hash_does_not_depend_on_key_order_or_yaml_style(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    folder = tmp_path_factory.mktemp("study")
    before = loaded(make_folder(folder)).sha256()
    path = make_folder(folder, _written(example_keys(), random.Random(seed)))
    assert loaded(path).sha256() == before


def test_the_hash_does_not_depend_on_where_a_text_or_a_scale_stands(tmp_path: Path) -> None:
    before = loaded(make_folder(tmp_path)).sha256()
    inline = EXAMPLE.replace("instructions: instructions.md", "instructions: |\n\n  # Instructions\n")
    named = inline.replace(
        "labels: [extremely certain, somewhat certain, neutral, somewhat uncertain, extremely uncertain]",
        "scale: uncertainty",
    )
    assert named != inline != EXAMPLE
    assert loaded(make_folder(tmp_path, named)).sha256() == before


@given(name=st.sampled_from(sorted(make_facts())))
@settings(max_examples=18, deadline=None)
def test_the_hash_changes_with_the_content_of_every_clip_in_use(
    tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    path = make_folder(tmp_path_factory.mktemp("study"))
    facts = make_facts()
    before = loaded(path, facts)
    after = loaded(path, {**facts, name: replace(facts[name], clip_sha256="other")})
    used = {clip for pair in pairs_of(before.blocks) for clip in (pair.a, pair.b)}
    assert (after.sha256() != before.sha256()) == (name in used)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("hntt-1", "hntt-2"),
        ("looks human", "looks natural"),
        ("2021-01", "2021-02"),
        ("minimum_age: 18", "minimum_age: 21"),
        ("scale: familiarity", "scale: agreement"),
        ("seed: 7", "seed: 8"),
        ("hybrid-symbolic: 4", "hybrid-symbolic: 3"),
        ("order: random", "order: fixed"),
        ("sides: balanced", "sides: random"),
        ("watch: both-to-end", "watch: free"),
        ("more likely", "less likely"),
        ("type: text,", "type: text, required: true,"),
        ("type: text,", "type: text, max_length: 4999,"),
        ("neutral", "undecided"),
        ("ABC123", "ABC124"),
        ("redirect: null", "redirect: https://example.org/"),
    ],
)
def test_the_hash_changes_with_every_key(tmp_path: Path, old: str, new: str) -> None:
    before = EXAMPLE.replace("PAIRS", SAMPLE)
    assert old in before
    changed = before.replace(old, new)
    assert loaded(make_folder(tmp_path, before)).sha256() != loaded(make_folder(tmp_path, changed)).sha256()


@pytest.mark.parametrize("name", ["consent_md", "instructions_md", "thanks_md"])
def test_the_hash_changes_with_every_text(tmp_path: Path, name: str) -> None:
    before = loaded(make_folder(tmp_path)).sha256()
    assert loaded(make_folder(tmp_path, **{name: "# Other\n"})).sha256() != before


def test_the_canonical_form_is_sorted_tight_and_readable(tmp_path: Path) -> None:
    text = loaded(make_folder(tmp_path, EXAMPLE.replace("human?", "menschlich, où?"))).canonical_json()
    assert text.startswith('{"background":[{"ask":')
    assert "où?" in text
    assert "\n" not in text


# The studies that come with the program


def test_the_example_study_loads() -> None:
    design = load_study(ROOT / "docs/example-study/study.yaml", make_facts())
    assert [pair.condition for pair in pairs_of(design.blocks)] == ["human-hybrid"] * 6 + [
        "hybrid-symbolic"
    ] * 4
    assert [pair.truth for pair in pairs_of(design.blocks)] == [Member.A] * 6 + [None] * 4


def test_the_example_study_is_the_published_one_word_for_word() -> None:
    text = (ROOT / "docs/example-study/study.yaml").read_text(encoding="utf-8")
    for line in EXAMPLE.replace("PAIRS", "").splitlines():
        assert line in text


def test_the_demo_tells_that_it_is_made_by_a_program_but_not_which_clip_is_which() -> None:
    folder = Path(app.demo.__file__).parent
    texts = {path.name: path.read_text(encoding="utf-8").lower() for path in folder.glob("*.md")}
    of_a_match = {name for name in texts if name.startswith(("play_", "rate_"))}
    assert set(texts) - of_a_match == {"consent.md", "instructions.md", "thanks.md"}
    assert "made by a computer program" in texts["consent.md"]
    assert "four computer programs" in texts["play_consent.md"]
    for text in texts.values():
        assert "hybrid" not in text
        assert "symbolic" not in text
