"""The names that verdicts on a study may use: its pairs with their members, single stimuli, rated items, criteria."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from sqlmodel import Session, col, select

from app.jobs.queue import JobView
from app.judges.standing import JudgeHere, judges_here, runs_with_verdicts
from app.judges.study import judged_version, main_pairs_of
from app.library.tables import Stimulus
from app.questions.base import Level, Question
from app.questions.registry import NUMBERED, TYPES
from app.studies.file.design import StudyDesign
from app.studies.queries import study_named
from app.tasks.pair.design import Member
from app.tasks.pair.settings import PairDesign, pair_questions
from app.tasks.rating.settings import RatingDesign
from app.trials.design import Kind, Slot
from app.trials.tables import StudyVersion, Unit, UnitMember


@dataclass(frozen=True, slots=True)
class KnownPair:
    """A main pair, and the stimuli that are its members."""

    name: str
    a: str
    b: str


@dataclass(frozen=True, slots=True)
class Criterion:
    """A question about items: a judge's value is a number, or one of the `options`."""

    id: str
    ask: str
    is_number: bool
    options: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """The names of one study. `others` are pairs and items that exist and do not count, such as practice.

    `noun` is the word for its stimuli. `here` are the judges that have verdicts already. `number` is the version that
    is judged, 0 without one.
    """

    slug: str
    question: str = ""
    noun: str = "clip"
    pairs: Sequence[KnownPair] = ()
    others: Collection[str] = frozenset()
    stimuli: Collection[str] = frozenset()
    items: Sequence[str] = ()
    criteria: Sequence[Criterion] = ()
    here: Mapping[str, JudgeHere] = field(default_factory=dict)
    number: int = 0


def known_of(session: Session, slug: str, runs: Sequence[JobView] | None = None) -> Known:
    """The names of a study; of one without a version none. `runs` are its `runs_with_verdicts` where they were read.

    Raises NotFound.
    """
    study = study_named(session, slug)
    version = judged_version(session, study)
    if version is None:
        return Known(slug)
    versions = select(StudyVersion.id).where(StudyVersion.study_id == study.id)
    design = StudyDesign.model_validate_json(version.design)
    pairs = [
        KnownPair(str(pair["pair"]), str(pair["stimulus_a"]), str(pair["stimulus_b"]))
        for pair in main_pairs_of(session, slug, version)
    ]
    runs = runs_with_verdicts(session, study.id) if runs is None else runs
    here = judges_here(runs, "pairs" if pairs else "items")
    units = session.exec(
        select(Unit.name, UnitMember.slot, Unit.kind, Stimulus.name)
        .outerjoin(UnitMember, col(UnitMember.unit_id) == Unit.id)
        .outerjoin(Stimulus, col(Stimulus.id) == UnitMember.stimulus_id)
        .where(col(Unit.version_id).in_(versions))
        .order_by(col(Unit.version_id), col(Unit.position))
    ).all()
    rated = design.blocks_of(RatingDesign)
    # Matches and goals of walks are units of one slot, too, and nobody rates these.
    of_ratings = col(Unit.block).in_({block.id for block in rated})
    in_ratings = set(session.exec(select(Unit.name).where(col(Unit.version_id).in_(versions), of_ratings)))
    items = {
        name
        for name, slot, kind, _ in units
        if slot in (Slot.ITEM, None) and kind == Kind.MAIN and name in in_ratings
    }
    questions = [question for block in rated for question in block.questions]
    shown = {block.shows.value for block in design.blocks_of(PairDesign) if block.pairs}
    return Known(
        slug=slug,
        question=next((q.ask for q in pair_questions(design.blocks) if q.type == "2afc"), ""),
        noun=shown.pop() if len(shown) == 1 else "item",
        pairs=pairs,
        others=frozenset(name for name, *_ in units) - {pair.name for pair in pairs},
        stimuli=frozenset(name for _, slot, _, name in units if slot in list(Member)),
        items=[name for name in dict.fromkeys(name for name, *_ in units) if name in items],
        criteria=[_criterion(each) for each in {q.id: q for q in questions if _level(q)}.values()],
        here=here,
        number=version.number,
    )


def _level(question: Question) -> Level | None:
    return question.level or TYPES[question.type].level


def _criterion(question: Question) -> Criterion:
    return Criterion(question.id, question.ask, _level(question) in NUMBERED, question.options)
