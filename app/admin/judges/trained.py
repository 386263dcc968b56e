"""A trained judge in the four facts of its card: its input, its training, its accuracy, and its limits."""

from collections.abc import Sequence

from app.judges.models import TrainedHere

_READS = (
    ("turn-speed", "turn and speed"),
    ("vis-", "the picture"),
    ("sym-", "positions"),
    ("bc-", "the picture"),
)


def facts_of(model: TrainedHere) -> Sequence[tuple[str, str]]:
    """The facts, each with its name."""
    if model.is_of_votes:
        return (
            ("Reads", "ten numbers of each path"),
            ("Learnt from", f"what people of {model.on} chose"),
            ("Unseen pairs", _right(model, "agrees with the majority in")),
            ("Do not use for", "clips of another game, and pairs of other sources"),
        )
    leaks = f"; clues that it may have used: {', '.join(model.allowed)}" if model.allowed else ""
    return (
        ("Reads", next((words for start, words in _READS if model.network.startswith(start)), model.title)),
        ("Learnt from", f"{model.n_clips} clips of {model.on}: who made each"),
        ("Unseen pairs", _right(model, "right in")),
        ("Do not use for", f"clips of another game or of another length{leaks}"),
    )


def _right(model: TrainedHere, verb: str) -> str:
    if model.pairs is None:
        return "none was held out, so nobody knows"
    n_right = round(model.pairs * model.n_pairs)
    said = f"{verb} {n_right} of {model.n_pairs}, {100 * model.pairs:.0f}%"
    if model.low is not None and model.high is not None:
        said += f", 95% interval {100 * model.low:.0f} to {100 * model.high:.0f}"
    if model.null is not None:
        said += f"; {100 * model.null:.0f}% after training on permuted labels"
    return said
