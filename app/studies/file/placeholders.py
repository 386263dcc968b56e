"""Numbers of the design in texts for participants: `{pairs}`, `{trials}`, `{minutes}` and `{pay}`.

A version keeps a text as it was written, so that hashes stay; the numbers are filled in where it is shown. No other
braces mean anything, and a word without a number in the design stays as it is.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from app.studies.file.design import StudyDesign
from app.studies.file.words import NO_TEXTS, TEXTS, WORD, texts_in
from app.tasks.listed import SHORT_TASK
from app.trials.design import Kind
from app.trials.parts import BlockDesign

Numbers = Mapping[str, str]


def numbers_of(design: StudyDesign, arm: str = "") -> Numbers:
    """The number of each word that has one: main pairs and trials of a participant, minutes and pay as they are set.

    Before an arm is drawn, a number that is another in some arm is a range: `6–12`.
    """
    arms = [each.id for each in design.arms]
    if arm in arms or not arms:
        return _numbers(design.for_arm(arm))
    own = [_numbers(design.for_arm(each)) for each in arms]
    found = {word: [numbers.get(word, "0") for numbers in own] for numbers in own for word in numbers}
    return {word: _range(values) for word, values in found.items()}


def _range(values: Sequence[str]) -> str:
    if not all(value.isdecimal() for value in values):
        return values[0]  # the pay, which all arms have the same
    return "–".join(map(str, sorted({min(map(int, values)), max(map(int, values))})))


def _numbers(design: StudyDesign) -> Numbers:
    n = [(block.task, n_main(block)) for block in design.blocks]
    pairs = sum(each for task, each in n if task == SHORT_TASK)
    minutes, pay = design.completion.minutes, design.completion.pay
    found = {"pairs": pairs, "trials": sum(each for _, each in n), "minutes": minutes, "pay": pay}
    return {word: str(value) for word, value in found.items() if value}


def n_main(block: BlockDesign) -> int:
    """The number of main trials that a participant has of a block."""
    return block.n_main(sum(unit.kind is Kind.MAIN for unit in block.units()))


def fill(text: str, numbers: Numbers) -> str:
    """The text with its numbers."""
    return WORD.sub(lambda found: numbers.get(found[1], found[0]), text)


def filled(design: StudyDesign, numbers: Numbers | None = None) -> StudyDesign:
    """The design as participants read it."""
    keys = design.model_dump(mode="json", exclude_defaults=True)
    if not any(WORD.search(text) for _, text in texts_in(keys)):
        return design
    changed = _filled(keys, numbers_of(design) if numbers is None else numbers)
    return StudyDesign.model_validate(changed)


def _filled(keys: Any, numbers: Numbers) -> Any:
    if isinstance(keys, Mapping):
        return {
            key: fill(value, numbers)
            if key in TEXTS and isinstance(value, str)
            else value
            if key in NO_TEXTS
            else _filled(value, numbers)
            for key, value in keys.items()
        }
    return [_filled(each, numbers) for each in keys] if isinstance(keys, list) else keys
