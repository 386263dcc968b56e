"""The parts of the design's form, in the order in which participants meet them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from app.admin.design import words
from app.admin.design.faults import plain, takes_points
from app.admin.design.fields import (
    dotted,
    entries,
    is_required,
    keys_to_fields,
    kind_of,
    labels_of,
    places_in,
    question_fields,
    scales,
    shown,
)
from app.admin.design.pages import BlockView, CardView, FieldView, ListView, Options, SectionView, Widget
from app.studies.file.comparable import has_blocks
from app.studies.file.fieldhelp import field_help
from app.studies.file.items import read_item_file
from app.studies.file.pairs import read_pair_file
from app.studies.file.problems import Place, counted, listed
from app.studies.file.questions import type_of
from app.studies.file.scales import SCALES
from app.tasks.pair.settings import Trials

Keys = Mapping[str, Any]
Errors = Mapping[str, str]
_WIDGETS: Mapping[str, Widget] = {"number": "number", "lines": "text", "yes-no": "check"}
_BEGINNING = 90
_HALF = frozenset({"id", "type", "minimum", "maximum", "version", "minimum_age"})


def sections(keys: Keys, errors: Errors) -> Sequence[SectionView]:
    return _Form(keys, errors).sections()


class _Form:
    def __init__(self, keys: Keys, errors: Errors) -> None:
        self.keys, self.errors = keys, errors
        self.values = keys_to_fields(keys)

    def sections(self) -> Sequence[SectionView]:
        return (
            SectionView("about", "The study", "consent", fields=self._fields("title")),
            SectionView(
                "consent",
                "Consent",
                "consent",
                "What people agree to before anything else. Who declines leaves nothing but that.",
                fields=self._fields("consent"),
                error=self._error("consent"),
            ),
            SectionView(
                "people",
                "About you",
                "background",
                list=self._questions(
                    ("background",), "Asked once, before the trials. Without questions there is no such page."
                ),
            ),
            SectionView(
                "before",
                "Instructions",
                "instructions",
                "The page before the first pair. Left empty, there is none.",
                fields=self._fields("instructions"),
            ),
            self._blocks() if has_blocks(self.keys) else self._trials(),
            SectionView("named", "Scales", "trial", list=self._scales()),
            SectionView(
                "completion",
                "End",
                "debrief",
                "Thanks, and the way back to where people came from.",
                fields=self._fields("completion"),
                error=self._error("completion"),
            ),
        )

    def _trials(self) -> SectionView:
        return SectionView(
            "trials",
            "Trials",
            "trial",
            fields=self._fields("trials"),
            pairs=pairs_line(self.keys),
            pairs_error=self._error("pairs"),
            list=self._questions(
                ("trials", "questions"),
                "Asked about every pair. Exactly one is the choice between the two clips.",
            ),
            error=self._error("trials"),
        )

    def _blocks(self) -> SectionView:
        blocks = entries(self.keys, ("blocks",))
        order = (
            "in random order, counterbalanced"
            if self.keys.get("block_order") == "random"
            else "in this order"
        )
        return SectionView(
            "blocks",
            "Blocks",
            "trial",
            f"The parts of a session, {order}." if len(blocks) > 1 else "What people do in a session.",
            error=self._error("blocks"),
            blocks=block_views(blocks, self.errors),
        )

    def _error(self, at: str) -> str:
        return self.errors.get(at, "")

    def _fields(self, section: str) -> Sequence[FieldView]:
        return [self._field(place, dotted(place)) for place in places_in(self.keys) if place[0] == section]

    def _field(self, place: Place, name: str, kind: str = "", options: Options = ()) -> FieldView:
        """A field at a place; `name` is how the words know it, `kind` the question's type."""
        key, at = str(place[-1]), dotted(place)
        value = self.values.get(at, "")
        options = options or words.CHOICES.get(name, ())
        if options and value not in dict(options):
            options = (*options, (value, f"{value}?" if value else "Please choose"))
        widget = "choice" if options else _WIDGETS.get(kind_of(key), "text" if name in words.ROWS else "line")
        return FieldView(
            name=at,
            label=words.LABELS[name],
            widget=widget,
            value=value,
            help=plain(words.HELP.get(name, "") or field_help(place, kind)),
            error=self._error(at),
            options=options,
            rows=words.ROWS.get(name, 1),
            is_markdown=name in words.MARKDOWN,
            is_half=key in _HALF,
            settles=key in ("type", "scale", "name"),
            optional=name in words.OPTIONAL,
            placeholder=words.PLACEHOLDERS.get(name, ""),
        )

    # Questions

    def _questions(self, at: tuple[str, ...], intro: str) -> ListView:
        questions = entries(self.keys, at)
        cards = [self._card(at, index, question) for index, question in enumerate(questions)]
        return ListView(
            at=dotted(at),
            title="Questions" if at[0] == "trials" else "",
            intro=intro,
            cards=cards,
            add="Add a question",
            types=self._types(at, None),
            error=self._error(dotted(at)),
        )

    def _card(self, at: tuple[str, ...], index: int, question: Any) -> CardView:
        is_mapping = isinstance(question, Mapping)
        has_points = is_mapping and takes_points(question)
        keys = [key for key in question_fields(question) if not (key == "labels" and has_points)]
        return CardView(
            at=f"{dotted(at)}.{index}",
            title=f"Question {index + 1}",
            fields=[self._asked(at, index, key, question) for key in keys],
            points=list(map(shown, labels_of(question, self.keys))) if has_points else (),
            error=self._error(f"{dotted(at)}.{index}"),
            is_first=index == 0,
            is_last=index == len(entries(self.keys, at)) - 1,
        )

    def _asked(self, at: tuple[str, ...], index: int, key: str, question: Any) -> FieldView:
        options: Options = ()
        if key == "type":
            options = self._types(at, question)
        elif key == "scale":
            options = self._scale_names()
        return self._field((*at, index, key), key, type_of(question) or "", options)

    def _types(self, at: tuple[str, ...], question: Any) -> Options:
        """The types that a question may have: one of a trial's alone is the choice between the clips."""
        others = (other for other in entries(self.keys, at) if other is not question)
        can_choose = at[0] == "trials" and all(type_of(other) != "2afc" for other in others)
        return [(type_, label) for type_, label in words.TYPES.items() if type_ != "2afc" or can_choose]

    def _scale_names(self) -> Options:
        known = {**scales(self.keys), **SCALES}
        return [("", words.OWN_LABELS), *((name, f"{shown(name)}: {_ends(known[name])}") for name in known)]

    # Scales

    def _scales(self) -> ListView:
        cards = [
            CardView(
                at=f"scales.{index}",
                title=f"Scale {index + 1}",
                fields=[
                    self._field(("scales", index, "name"), "name"),
                    self._field(("scales", index, "labels"), "labels"),
                ],
                error=self._error(f"scales.{index}"),
            )
            for index in range(len(scales(self.keys)))
        ]
        intro = f"Lists of labels that several questions share. {listed(SCALES, 'and').capitalize()} are built in."
        return ListView("scales", "", intro, cards, "Add a scale", error=self._error("scales"))


def _ends(labels: Any) -> str:
    """`never … very often`."""
    texts = list(map(shown, labels)) if isinstance(labels, (list, tuple)) else []
    return f"{texts[0]} … {texts[-1]}" if texts else "no labels"


def block_views(blocks: Sequence[Any], errors: Errors) -> Sequence[BlockView]:
    """The blocks as they can be made out, whatever is wrong with them."""
    return [_block_view(number, block, errors) for number, block in enumerate(blocks, start=1)]


def _block_view(number: int, block: Any, errors: Errors) -> BlockView:
    keys: Keys = block if isinstance(block, Mapping) else {}
    is_rating = keys.get("task") == "rating"
    asked = entries(keys, ("questions",) if is_rating else ("trials", "questions"))
    return BlockView(
        at=f"blocks.{number - 1}",
        page=f"block-{number}",
        name=shown(keys.get("id")) or f"Block {number}",
        task=words.TASKS.get(shown(keys.get("task")), shown(keys.get("task")) or "no task"),
        facts=[fact for fact in _facts(keys, is_rating=is_rating) if fact[1]],
        questions=[_asked(question) for question in asked if isinstance(question, Mapping)],
        error=errors.get(f"blocks.{number - 1}", ""),
    )


def _facts(keys: Keys, *, is_rating: bool) -> Iterator[tuple[str, str]]:
    yield ("Items", _items_line(keys.get("items"))) if is_rating else ("Pairs", pairs_line(keys))
    n = shown(keys.get("per_participant"))
    yield "Each participant", f"{n} main {'items' if is_rating else 'pairs'}" if n else "all of them"
    if is_rating:
        per_item = shown(keys.get("per_item"))
        yield "Each main item", f"{per_item} participants, then nobody new is taken" if per_item else ""
        yield "Order", "as in the file" if keys.get("order") == "fixed" else "random, counterbalanced"
    else:
        given = keys.get("trials")
        trials: Keys = given if isinstance(given, Mapping) else {}
        for key, label in (("order", "Order"), ("sides", "Sides"), ("watch", "Watching")):
            choices = dict(words.CHOICES[f"trials.{key}"])
            value = shown(trials.get(key)) or shown(Trials.model_fields[key].default)
            yield label, choices.get(value, value)
    yield "Instructions of its own", _beginning(shown(keys.get("instructions")))
    yield "Self-assessment after it", _beginning(shown(keys.get("self_assessment")))


def _beginning(text: str) -> str:
    """The first words of a text, without the marks of a heading."""
    first = " ".join(text.replace("#", " ").split())
    return first if len(first) <= _BEGINNING else f"{first[:_BEGINNING].rsplit(' ', 1)[0]} …"


def _items_line(text: Any) -> str:
    """`12 main, 1 for practice; 3 groups`."""
    rows = read_item_file("", text, by_row=True).rows if isinstance(text, str) else []
    kinds, groups = Counter(row.kind for row in rows), {row.group for row in rows if row.group}
    parts = [f"{kinds[kind]} {name}" for kind, name in words.KINDS.items() if kinds[kind]]
    if not parts:
        return "There are no items yet."
    texts = sum(bool(row.text) for row in rows)
    own = f"; {texts} of them with a text of their own" if texts else ""
    return ", ".join(parts) + own + (f"; {counted(len(groups), 'group')}" if groups else "") + "."


def _asked(question: Keys) -> tuple[str, str]:
    """What is asked, and how it is answered."""
    type_ = type_of(question) or ""
    labels, when = entries(question, ("labels",)), entries({"when": _groups(question)}, ("when",))
    parts = [words.TYPES.get(type_, type_)]
    parts += [f"{len(labels)} labels, {shown(labels[0])} to {shown(labels[-1])}"] if len(labels) > 1 else []
    parts += [f"scale {shown(question['scale'])}"] if question.get("scale") and not labels else []
    parts += ["with a text for its points"] if question.get("anchors") else []
    parts += ["required" if is_required(question) else "optional"]
    parts += [f"of {listed(map(shown, when), 'and')} alone"] if when else []
    return f"{shown(question.get('id'))}: {shown(question.get('ask'))}", "; ".join(parts)


def _groups(question: Keys) -> Any:
    when = question.get("when")
    group = when.get("group") if isinstance(when, Mapping) else None
    return [group] if isinstance(group, str) else group


def pairs_line(keys: Keys) -> str:
    """The pairs in one line."""
    rows, sample = keys.get("pairs"), keys.get("sample")
    if isinstance(rows, str) and rows.strip():
        return f"{counted(len(read_pair_file('', rows, by_row=True).rows), 'pair')}, listed one by one."
    if not isinstance(sample, Mapping):
        return "There are no pairs yet."
    main, practice = _counts(sample.get("conditions")), _counts(sample.get("practice"))
    match = sample.get("match")
    on = listed(map(shown, match if isinstance(match, (list, tuple)) else [match]), "and") if match else ""
    parts = [f"Drawn at random: {main or 'no condition yet'}"]
    parts += [f"for practice {practice}"] if practice else []
    parts += [f"both clips of a pair have the same {on}"] if on else []
    return "; ".join(parts) + "."


def _counts(value: Any) -> str:
    """`6 human-hybrid and 4 hybrid-symbolic`."""
    counts = value if isinstance(value, Mapping) else {}
    return listed((f"{shown(n)} {shown(name)}" for name, n in counts.items()), "and") if counts else ""
