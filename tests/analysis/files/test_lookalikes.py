"""Names that look alike and are not the same."""

import pytest

from analysis.files.faults import noting
from analysis.files.lookalikes import lookalikes, note_lookalikes


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["pair3", "pair3 "], "'pair3' and 'pair3 ' differ only in blanks"),
        (["a b", "a\u00a0b"], "'a b' and 'a\\xa0b' differ only in blanks"),
        (["pair3", "pair\u200b3"], "'pair3' and 'pair\\u200b3' differ only in invisible letters"),
        (["\u00e9", "e\u0301"], "'\\xe9' and 'e\\u0301' differ only in how accents are written (NFC, NFD)"),
        (["\uff21", "A"], "'\\uff21' and 'A' differ only in the width or form of letters"),
        (["P1", "p1"], "'P1' and 'p1' differ only in upper and lower case"),
        (
            ["x", "X\ufeff "],
            "'x' and 'X\\ufeff ' differ only in invisible letters and blanks and upper and lower case",
        ),
    ],
)
def test_texts_that_look_alike_are_told_with_what_they_differ_in(texts: list[str], said: str) -> None:
    assert [str(one) for one in lookalikes([*texts, "another", "pair4"])] == [said]


def test_a_note_is_made_once_for_each_column_and_names_a_few() -> None:
    with noting() as notes:
        for _ in range(2):
            note_lookalikes(
                "f.csv",
                [("pair", [f"{letter}{end}" for letter in "abcde" for end in ("", " ")]), ("x", ["y"])],
            )
    assert len(notes) == 1
    assert notes[0].startswith("f.csv: column pair: 'a' and 'a ' differ only in blanks; 'b' and")
    assert notes[0].endswith("; and more. They count as different")
