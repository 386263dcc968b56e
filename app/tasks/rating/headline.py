"""What a score is worth in a study's number: its place between the lowest and the highest that can be given."""

from collections.abc import Iterator

from sqlmodel import SQLModel

from app.tasks.rating.settings import RatingDesign
from app.trials.headline import Answered, Headline, Worth, answers_that_count
from app.trials.responses import Response

_answers = SQLModel.metadata.tables[str(Response.__tablename__)].c.answers


def worth(answered: Answered, headline: Headline) -> Iterator[Worth]:
    """Scores by this criterion on this scale; one that another version asked on another scale is none."""
    blocks = {
        (version, block.id)
        for version, each in answered.blocks.items()
        for block in each
        if isinstance(block, RatingDesign) and headline.scale in block.scales().get(headline.measure, ())
    }
    if not blocks or headline.scale is None:
        return
    low, high = headline.scale
    # The answer alone and not all of a page's, which may have long texts.
    statement = answers_that_count(_answers[headline.measure].label("score"))
    for row in answered.rows(statement):
        score = row.score
        # An answer that was imported may be a text.
        is_number = isinstance(score, int | float) and not isinstance(score, bool)
        if is_number and (row.version_id, row.block) in blocks and low <= score <= high:
            yield Worth(row.id, row.ended_at, (score - low) / (high - low))
