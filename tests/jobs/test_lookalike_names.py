"""Names that look alike are cautions on the page of results, without people's own."""

import pandas as pd

from app.worker.handlers.results import names_cautions


def test_names_that_look_alike_are_a_caution_and_participants_are_not_named() -> None:
    answers = pd.DataFrame(
        {
            "participant": ["secret", "Secret"],
            "pair": ["p1", "p1 "],
            "source_a": ["human", "human"],
            "source_b": ["Human", "bot"],
        }
    ).astype("category")
    found = names_cautions(answers, answers[:0])
    assert [str(one.text) for one in found] == [
        "column pair: 'p1' and 'p1 ' differ only in blanks. They count as different.",
        "column source: 'human' and 'Human' differ only in upper and lower case. They count as different.",
    ]
    assert names_cautions(answers[:0]) == []
