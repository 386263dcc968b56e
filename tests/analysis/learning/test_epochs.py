"""Accuracy over epochs: from the logits of windows, and drawn."""

from xml.etree import ElementTree

import numpy as np
import pytest

from analysis.figures.figure import Figure, NoFigure
from analysis.learning.epochs import epochs_figure
from analysis.learning.held import by_epoch

SVG = "{http://www.w3.org/2000/svg}"


def test_clips_right_after_each_epoch_by_hand() -> None:
    """Three clips of 2, 1 and 3 windows, the first a person's."""
    of_clip = np.array([0, 0, 1, 2, 2, 2])
    is_human = np.array([True, False, False])
    logits = np.array(
        [
            [-1.0, -1.0, 1.0, 1.0, 1.0, 1.0],  # all wrong
            [
                1.0,
                -1.0,
                -1.0,
                -1.0,
                -1.0,
                9.0,
            ],  # half of the person's, one agent right, the other by two of three
            [2.0, 3.0, -1.0, -2.0, -1.0, -4.0],  # all right
        ]
    )
    assert by_epoch(logits, of_clip, is_human, "share") == (0.0, 0.75, 1.0)
    # By mean logit the person's is even, and the last clip's window of 9 outweighs two others.
    assert by_epoch(logits, of_clip, is_human, "mean-logit") == (0.0, 0.5, 1.0)
    assert by_epoch(logits, of_clip, np.array([True, True, True]), "share") == ()


def test_curves_are_drawn_with_their_numbers() -> None:
    drawn = epochs_figure([(0.5, 0.75, 1.0), (0.5, 0.25, 0.5)])
    assert isinstance(drawn, Figure)
    assert drawn.numbers.head == ("epoch", "mean", "copy 1", "copy 2")
    assert drawn.numbers.rows == (
        ("1", "0.500", "0.500", "0.500"),
        ("2", "0.500", "0.750", "0.250"),
        ("3", "0.750", "1.000", "0.500"),
    )
    assert "0.50 after the first epoch, 0.75 after epoch 3 (copies 0.50 to 1.00)" in drawn.sentence
    assert ElementTree.fromstring(drawn.svg).findtext(f"{SVG}desc") == drawn.alt
    assert drawn.png.startswith(b"\x89PNG")


@pytest.mark.parametrize("curves", [[], [()]])
def test_without_a_curve_there_is_a_reason(curves: list[tuple[float, ...]]) -> None:
    drawn = epochs_figure(curves)
    assert isinstance(drawn, NoFigure)
    assert "no curve to draw" in drawn.reason
