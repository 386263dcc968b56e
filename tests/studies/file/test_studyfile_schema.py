"""The JSON Schema and the documentation say what the model says."""

import copy
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from app.questions.base import RESERVED_IDS
from app.questions.scales import SCALES
from app.studies.file.arms import Arm
from app.studies.file.checks import Comprehension
from app.studies.file.devices import Devices
from app.studies.file.load import json_schema
from app.studies.file.model import DEFAULT_MESSAGE, Codes, Completion, Consent, StudyFile, Truth
from app.studies.file.recruitment import LinkParameters, Recruitment
from app.tasks.game.settings import GameBlock
from app.tasks.game.terms import PARTS, Checked
from app.tasks.pair.pairs import COLUMNS, REQUIRED
from app.tasks.pair.settings import PairBlock, pairs_of
from app.tasks.pair.terms import Sample, Trials
from app.tasks.rating.criteria import When
from app.tasks.rating.settings import RatingBlock
from app.tasks.walk.settings import WalkBlock
from app.trials.attention import Attention
from tests.studies.file.study_folder import EXAMPLE, example_keys, loaded, make_facts, make_folder
from tools import question_table
from tools.made import END, begin

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/study-file.md").read_text(encoding="utf-8")
SECTIONS: dict[str, type[BaseModel]] = {
    "": StudyFile,
    "consent.": Consent,
    "truth.": Truth,
    "sample.": Sample,
    "trials.": Trials,
    "study.comprehension.": Comprehension,
    "attention.": Attention,
    "devices.": Devices,
    "completion.": Completion,
    "codes.": Codes,
    "recruitment.": Recruitment,
    "parameters.": LinkParameters,
    "pair.": PairBlock,
    "rating.": RatingBlock,
    "when.": When,
    "game.": GameBlock,
    "walk.": WalkBlock,
    **{f"{name}.": model for name, model in PARTS.items()},
    "question.": Checked,
    "arm.": Arm,
}

TYPES: Mapping[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}


def fits(schema: Mapping[str, Any], value: Any, root: Mapping[str, Any]) -> bool:
    """True if a value is valid under the part of JSON Schema that ours uses; other keywords fail the test."""
    kinds = schema.get("type", list(TYPES))
    if not any(_is(kind, value) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
        return False
    assert schema.keys() <= {*KEYWORDS, "type", "title", "description", "default", "$defs", "$schema"}
    return all(
        KEYWORDS[keyword](rule, value, schema, root)
        for keyword, rule in schema.items()
        if keyword in KEYWORDS
    )


def _is(kind: str, value: Any) -> bool:
    return isinstance(value, TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _additional(rule: Any, value: Any, schema: Any, root: Any) -> bool:
    others = value.keys() - schema.get("properties", {}).keys()
    return not others if rule is False else all(fits(rule, value[key], root) for key in others)


def _matching(rule: Any, value: Any, schema: Any, root: Any) -> bool:
    return all(
        fits(inner, value[key], root)
        for pattern, inner in rule.items()
        for key in value
        if re.search(pattern, key)
    )


def _length(value: Any) -> int:
    return len(value) if isinstance(value, (str, list, dict)) else 1


KEYWORDS: Mapping[str, Callable[[Any, Any, Any, Any], bool]] = {
    "$ref": lambda rule, value, schema, root: fits(root["$defs"][rule.rpartition("/")[2]], value, root),
    "anyOf": lambda rule, value, schema, root: any(fits(option, value, root) for option in rule),
    "oneOf": lambda rule, value, schema, root: sum(fits(option, value, root) for option in rule) == 1,
    "not": lambda rule, value, schema, root: not fits(rule, value, root),
    "required": lambda rule, value, schema, root: set(rule) <= value.keys(),
    "properties": lambda rule, value, schema, root: all(
        fits(rule[key], value[key], root) for key in rule.keys() & value.keys()
    ),
    "patternProperties": _matching,
    "additionalProperties": _additional,
    "items": lambda rule, value, schema, root: all(fits(rule, item, root) for item in value),
    "const": lambda rule, value, schema, root: bool(value == rule),
    "enum": lambda rule, value, schema, root: value in rule,
    "pattern": lambda rule, value, schema, root: re.search(rule, value) is not None,
    "minLength": lambda rule, value, schema, root: bool(_length(value) >= rule),
    "maxLength": lambda rule, value, schema, root: bool(_length(value) <= rule),
    "minItems": lambda rule, value, schema, root: bool(_length(value) >= rule),
    "maxItems": lambda rule, value, schema, root: bool(_length(value) <= rule),
    "minProperties": lambda rule, value, schema, root: bool(_length(value) >= rule),
    "minimum": lambda rule, value, schema, root: bool(value >= rule),
    "maximum": lambda rule, value, schema, root: bool(value <= rule),
    "exclusiveMaximum": lambda rule, value, schema, root: bool(value < rule),
}


def changed(place: tuple[str | int, ...], value: object) -> dict[str, Any]:
    """The example with one value in another's place; `...` takes the key away."""
    keys = copy.deepcopy(example_keys())
    inner: Any = keys
    for part in place[:-1]:
        inner = inner[part]
    if value is ...:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    return keys


def fits_ours(keys: object) -> bool:
    schema = json_schema()
    return fits(schema, keys, schema)


def test_the_schema_is_json_of_the_2020_12_draft() -> None:
    assert json.loads(json.dumps(json_schema()))["$schema"] == "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("title",), "Another"),
        (("consent", "version"), 3),
        (("completion", "code"), 7),
        (("completion",), ...),
        (("instructions",), None),
        (("sample", "match"), ["goal", "player"]),
        (("sample", "practice"), {"human-symbolic": 1}),
        (("scales",), {"mine": [True, False]}),
        (("background", 0), {"id": "age", "type": "number", "ask": "Age?", "minimum": 18}),
        (("background", 0), {"id": "own", "type": "choice", "ask": "Own?", "options": ["yes", 2]}),
        (("trials", "questions", 0, "required"), True),
    ],
)
def test_the_schema_accepts_what_the_model_accepts(place: tuple[str | int, ...], value: object) -> None:
    assert fits_ours(example_keys())
    assert fits_ours(changed(place, value))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("titel",), "x"),
        (("title",), ...),
        (("study",), "HNTT"),
        (("pairs",), "pairs.csv"),
        (("sample",), ...),
        (("sample", "seed"), -1),
        (("sample", "conditions"), {}),
        (("sample", "conditions", "human-hybrid"), 0),
        (("consent", "minimum_age"), 121),
        (("consent", "texts"), "x"),
        (("trials", "order"), "shuffled"),
        (("trials", "questions"), []),
        (("trials", "questions", 0, "required"), False),
        (("trials", "questions", 0, "type"), "3afc"),
        (("trials", "questions", 1, "max_length"), 0),
        (("trials", "questions", 2, "labels"), ["one"]),
        (("trials", "questions", 2, "scale"), "uncertainty"),
        (("background", 0, "id"), "page"),
        (("background", 0, "id"), "Genre"),
        (("background", 0, "type"), "2afc"),
        (("scales",), {"mine": ["one"]}),
    ],
)
def test_the_schema_refuses_what_the_model_refuses(place: tuple[str | int, ...], value: object) -> None:
    assert not fits_ours(changed(place, value))


def test_every_key_of_the_schema_is_described() -> None:
    schema = json_schema()
    for part in (schema, *schema["$defs"].values()):
        for key, rule in part["properties"].items():
            assert len(rule.get("description", "")) > 5, f"{part['title']}: {key}"


# The page


def rows(heading: str) -> Iterator[list[str]]:
    """The cells of the table rows under a heading, without the table's head."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    table = [line for line in section.splitlines() if line.startswith("|")]
    return ([cell.strip() for cell in line.strip("|").split(" | ")] for line in table if "`" in line)


def default_in_words(model: type[BaseModel], key: str) -> str:
    field = model.model_fields[key]
    if field.is_required():
        return "needed"
    sections = (Completion(), Codes(), Truth(), Comprehension(), Attention(), Devices(), LinkParameters())
    if field.default in sections or isinstance(field.default, tuple(PARTS.values())):
        return "its defaults"
    if (key, field.default) == ("failed_checks", None):
        return "that of `screened_out`"
    if field.default == DEFAULT_MESSAGE:
        return "a short thank-you"
    return f"`{json.dumps(field.default).strip(chr(34))}`" if field.default not in (None, (), {}) else "none"


def test_the_page_lists_every_key_with_its_default_and_no_other() -> None:
    headings = (
        *("Top level", "consent", "truth", "trials", "completion", "recruitment", "Pairs by sampling"),
        "Blocks",
        "Arms and places",
    )
    documented = {cells[0].strip("`"): cells[2] for heading in headings for cells in rows(heading)}
    documented |= {cells[0].strip("`"): cells[2] for cells in (*rows("attention"), *rows("devices"))}
    # A block of matches has a key of the same name.
    documented |= {f"study.{cells[0].strip('`')}": cells[2] for cells in rows("comprehension")}
    assert documented == {
        prefix + key: default_in_words(model, key)
        for prefix, model in SECTIONS.items()
        for key in model.model_fields
    }


def test_the_table_of_question_types_is_made_from_their_settings() -> None:
    made = begin(question_table.MAKER) + question_table.table() + END
    assert made in PAGE, "run `python -m tools.question_table`"
    assert all(f"`{id_}`" in PAGE for id_ in RESERVED_IDS)


def test_the_page_shows_the_example_study_as_it_is() -> None:
    example = ROOT / "docs/example-study/study.yaml"
    assert f"```yaml\n{example.read_text(encoding='utf-8')}```" in PAGE


def test_the_pages_examples_load(tmp_path: Path) -> None:
    questions = PAGE.split("```yaml\nscales:")[1].split("```")[0]
    sample = PAGE.split("```yaml\nsample:")[1].split("```")[0]
    study = EXAMPLE.replace("background:", "instead:").replace("PAIRS", f"sample:{sample}")
    study = "\n".join(line for line in study.splitlines() if "instead:" not in line and "genre_" not in line)
    path = make_folder(tmp_path, f"{study}\nscales:{questions}")
    facts = {
        name: replace(clip, attributes={"goal": "g1", "light": "day"}) for name, clip in make_facts().items()
    }
    design = loaded(path, facts)
    assert [question.type for question in design.background] == [
        "likert",
        "likert",
        "number",
        "choice",
        "text",
    ]
    assert len(pairs_of(design.blocks)) == 11


def test_the_page_lists_every_built_in_scale() -> None:
    documented = {
        cells[0].strip("`"): tuple(cells[1].split(", ")) for cells in rows("Questions") if len(cells) == 2
    }
    assert documented == dict(SCALES)


def test_the_page_lists_every_column_of_a_pair_file() -> None:
    documented = {cells[0].strip("`"): cells[1] for cells in rows("Pairs by file")}
    assert tuple(documented) == COLUMNS
    assert tuple(column for column, default in documented.items() if default == "needed") == REQUIRED
