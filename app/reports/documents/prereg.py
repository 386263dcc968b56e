"""The pre-registration of a study, in the order of the field's forms: AsPredicted's, or OSF's standard one.

The forms' headings alone are taken, so that each part can be copied into the form below its own question."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version

from app.core.problems import counted
from app.reports.documents.design_words import (
    blinding_lines,
    block_lines,
    conditions_of,
    questions_of,
    sources_line,
    yielded_lines,
)
from app.reports.documents.document import Chapter, Document, Grid, Items, Piece, blank
from app.reports.documents.exclusion_words import exclusion_lines
from app.reports.documents.hypothesis_words import expectation, smallest_words, test_line
from app.reports.documents.people_words import (
    arm_lines,
    eligibility_lines,
    recruited_line,
    size_lines,
    stopping_lines,
)
from app.reports.documents.planned import Planned
from app.reports.study_facts import StudyFacts, VersionFacts
from app.studies.file.design import StudyDesign
from app.studies.file.hypotheses import OF_PAIRS
from app.studies.registering import TEMPLATES
from app.trials.tables import Mode


@dataclass(frozen=True, slots=True)
class _Study:
    """A study as the parts see it."""

    facts: StudyFacts
    version: VersionFacts
    plans: Sequence[Planned]
    made_at: datetime

    @property
    def design(self) -> StudyDesign:
        return self.version.design


def prereg(facts: StudyFacts, template: str, plans: Sequence[Planned], made_at: datetime) -> Document:
    """The newest version's pre-registration. Raises ValueError for a study without a version."""
    if not facts.versions:
        raise ValueError("the study has no version")
    study = _Study(facts, facts.versions[-1], plans, made_at)
    order = _ASPREDICTED if template == "aspredicted" else _OSF
    chapters = tuple(
        Chapter(heading, tuple(part(study)) if part else (), level) for level, heading, part in order
    )
    return Document(f"Pre-registration: {study.design.title}", tuple(_about(study, template)), chapters)


def _about(study: _Study, template: str) -> Iterator[str]:
    yield (
        f"Study {study.facts.slug}, version {study.version.number}; SHA-256 of its design {study.version.sha256}. "
        f"Written {study.made_at:%Y-%m-%d %H:%M} UTC by Likely Human {version('likely-human')} from the study file, in "
        f"the order of {TEMPLATES[template]}."
    )


Part = Callable[[_Study], Iterator[Piece]]


def _existing(study: _Study) -> Iterator[Piece]:
    flows = study.facts.flows
    live, pilot = ((flows[mode].n("began") or 0) if mode in flows else 0 for mode in (Mode.LIVE, Mode.PILOT))
    if live:
        yield f"Data have been collected: {counted(live, 'live session')} had begun when this was written."
    else:
        yield "No data of the study itself had been collected when this was written."
    if pilot:
        yield f"{counted(pilot, 'pilot session')} had begun. Pilot data are kept apart and are in no analysis."


def _hypotheses(study: _Study) -> Iterator[Piece]:
    found = study.design.hypotheses
    if not found:
        yield blank("the hypotheses; the study file has none")
        return
    yield Items(tuple(f"{one.id}: {one.says or expectation(one)}" for one in found))


def _measured(study: _Study) -> Iterator[Piece]:
    tested = {one.measure for one in study.design.hypotheses}
    if "accuracy" in tested:
        yield (
            "Accuracy: of each participant, right choices over choices in main pairs that have a right member. Blank "
            "answers and answers of no difference are left out."
        )
    if "preference" in tested:
        yield (
            "Preference: of each participant, the share of choices of the source over all pairs that show it against "
            "another."
        )
    if "uncertainty" in tested:
        yield "Uncertainty: of each participant, the mean of the answers on the scale of the question."
    if tested - set(OF_PAIRS):
        yield "Questions about items: of each participant, the mean of the answers on the question's scale."
    if questions := questions_of(study.design):
        yield "What is asked in the trials:"
        yield Items(tuple(questions))
    yield from yielded_lines(study.design)
    if study.design.background:
        yield "Asked once about the participant:"
        yield Items(tuple(f"{one.id}: “{one.ask}”" for one in study.design.background))


def _conditions(study: _Study) -> Iterator[Piece]:
    named = conditions_of(study.design)
    if named:
        yield Grid(("condition", "main trials there are"), tuple((name, str(n)) for name, n in named.items()))
    yield from arm_lines(study.design)
    if said := sources_line(study.design):
        yield said


def _procedure(study: _Study) -> Iterator[Piece]:
    for block in study.design.blocks:
        yield " ".join(block_lines(block))
    if len(study.design.blocks) > 1:
        random = study.design.block_order == "random"
        yield (
            "The blocks come in a random order, counterbalanced over sessions."
            if random
            else "The blocks come in this order."
        )


def _analyses(study: _Study) -> Iterator[Piece]:
    found = study.design.hypotheses
    if not found:
        yield blank("the analyses that test the hypotheses")
        return
    yield Items(tuple(f"{one.id}: {test_line(one)}" for one in found))
    yield (
        "Each participant has one value on each side of a comparison. The service runs these tests and no other for "
        "the hypotheses; every other number that it reports is exploratory."
    )


def _inference(study: _Study) -> Iterator[Piece]:
    if not study.design.hypotheses:
        yield blank("when a hypothesis counts as supported")
        return
    yield (
        "A hypothesis is supported where the p of its test (after its correction) is below its alpha; not supported "
        "where it is not and the 95% interval of the difference excludes the smallest difference of interest as "
        "expected; and cannot be told where the interval does not exclude it."
    )
    yield Items(
        tuple(
            f"{one.id}: smallest difference of interest {smallest_words(one)}"
            for one in study.design.hypotheses
        )
    )


def _excluded(study: _Study) -> Iterator[Piece]:
    yield from exclusion_lines(study.design)


def _size(study: _Study) -> Iterator[Piece]:
    yield from size_lines(study.design)


def _rationale(study: _Study) -> Iterator[Piece]:
    if not study.plans:
        yield blank(
            "how the number of participants was determined; expected shares in a hypothesis let it be computed"
        )
        return
    for one in study.plans:
        yield from _plan(one)


def _plan(one: Planned) -> Iterator[Piece]:
    asked, found = one.hypothesis, one.found
    shares = " and ".join(f"{share:g}" for share in asked.expect or ())
    if found is None or found.power is None:
        why = one.reason or (found.reason if found else "") or "no number was found"
        yield f"{asked.id}, expecting {shares}: the plan has no number: {why}."
        return
    who = "participants in each group" if one.per_group else "participants"
    power = "" if found.power.value is None else f" {found.power.value:.2f}"
    between = (
        ""
        if found.needed_low is None
        else f" ({found.needed_low} to {found.needed_high or 'more'} by Monte Carlo error)"
    )
    yield (
        f"{asked.id}, expecting {shares}: {found.participants} {who}{between}, each with {one.trials} main trials on "
        f"a side, reach a power of{power} at alpha {asked.alpha:g} "
        f"({'two' if asked.direction == 'two-sided' else 'one'}-sided). By {found.simulations:,} simulated studies of "
        "each size; participants differ by 0.5 and pairs by 0.3 log odds."
    )
    yield Grid(
        (who, "power", "95% interval"),
        tuple(
            (
                str(point.participants),
                f"{point.power.value:.2f}" if point.power.value is not None else "",
                f"{point.power.interval.low:.2f} to {point.power.interval.high:.2f}"
                if point.power.interval.low is not None and point.power.interval.high is not None
                else "",
            )
            for point in found.curve
        ),
    )


def _stopping(study: _Study) -> Iterator[Piece]:
    yield from stopping_lines(study.design)


def _recruited(study: _Study) -> Iterator[Piece]:
    completion, consent = study.design.completion, study.design.consent
    yield recruited_line(study.design)
    age = (
        f"at least {consent.minimum_age} years old"
        if consent.minimum_age
        else "of any age (none is asked for)"
    )
    yield f"They are {age} and agree to consent text {consent.version}."
    yield from eligibility_lines(study.design)
    yield (
        f"Duration {counted(completion.minutes, 'minute')}." if completion.minutes else blank("the duration")
    )
    yield f"Pay: {completion.pay}." if completion.pay else blank("the pay")


def _title(study: _Study) -> Iterator[Piece]:
    yield study.design.title


def _description(study: _Study) -> Iterator[Piece]:
    yield blank("what the study is about, and why it is run")
    yield from _procedure(study)


def _type(study: _Study) -> Iterator[Piece]:
    yield "Experiment: what participants see is assigned by the service, at random as described under the conditions."


def _blinding(study: _Study) -> Iterator[Piece]:
    yield from blinding_lines(study.design)
    yield (
        "Experimenters are kept from live results until the study is closed; who opens them before is in the audit log."
    )


def _further_blinding(study: _Study) -> Iterator[Piece]:
    yield (
        "Arms, pairs, items and sides are assigned by the service, and nobody who runs the study meets participants "
        "through it. The analyses above are fixed by the study file and computed by the service."
    )


def _randomised(study: _Study) -> Iterator[Piece]:
    yield from _procedure(study)


def _other(study: _Study) -> Iterator[Piece]:
    yield (
        "The numbers are computed by Likely Human "
        f"{version('likely-human')}; the design is fixed by its SHA-256 above. {blank('anything else')}"
    )


def _exploratory(study: _Study) -> Iterator[Piece]:
    yield "Everything in the service's report but the hypotheses above: it is marked there as exploratory."


def _missing(study: _Study) -> Iterator[Piece]:
    yield (
        "A blank answer is missing, not wrong. A participant without a value on a side is left out of that comparison, "
        "and their number is reported."
    )


def _manipulated(study: _Study) -> Iterator[Piece]:
    yield from _conditions(study)


def _nothing(what: str) -> Part:
    def part(study: _Study) -> Iterator[Piece]:
        yield blank(what)

    return part


def _said(text: str) -> Part:
    def part(study: _Study) -> Iterator[Piece]:
        yield text

    return part


def _all(*parts: Part) -> Part:
    def part(study: _Study) -> Iterator[Piece]:
        for one in parts:
            yield from one(study)

    return part


Order = Sequence[tuple[int, str, Part | None]]
_ASPREDICTED: Order = (
    (1, "1. Data collection", _existing),
    (1, "2. Hypothesis", _hypotheses),
    (1, "3. Dependent variable", _measured),
    (1, "4. Conditions", _all(_conditions, _procedure)),
    (1, "5. Analyses", _all(_analyses, _inference)),
    (1, "6. Outliers and exclusions", _all(_excluded, _missing)),
    (1, "7. Sample size", _all(_size, _rationale, _stopping)),
    (1, "8. Other", _all(_recruited, _other)),
    (1, "9. Name", _title),
    (1, "10. Type of study", _type),
)
_OSF: Order = (
    (1, "Study information", None),
    (2, "Title", _title),
    (2, "Description", _description),
    (2, "Hypotheses", _hypotheses),
    (1, "Design plan", None),
    (2, "Study type", _type),
    (2, "Blinding", _blinding),
    (2, "Additional blinding", _further_blinding),
    (2, "Study design", _conditions),
    (2, "Randomization", _randomised),
    (1, "Sampling plan", None),
    (2, "Existing data", _existing),
    (2, "Explanation of existing data", _nothing("what is known of existing data, if there are any")),
    (2, "Data collection procedures", _recruited),
    (2, "Sample size", _size),
    (2, "Sample size rationale", _rationale),
    (2, "Stopping rule", _stopping),
    (1, "Variables", None),
    (2, "Manipulated variables", _manipulated),
    (2, "Measured variables", _measured),
    (2, "Indices", _said("Participants' means and shares, as described under the measured variables.")),
    (1, "Analysis plan", None),
    (2, "Statistical models", _analyses),
    (2, "Transformations", _said("None: values are the participants' means and shares as they are.")),
    (2, "Inference criteria", _inference),
    (2, "Data exclusion", _excluded),
    (2, "Missing data", _missing),
    (2, "Exploratory analysis", _exploratory),
    (1, "Other", _other),
)
