"""The parts of the design's form, in the order in which participants meet them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.admin.design.choices import Known, choices, types_of
from app.admin.design.fault_words import plain
from app.admin.design.faults import labels_are_shown
from app.admin.design.field_parts import (
    KINDS_HELP,
    LABELS,
    TAGS,
    by_default,
    help_of,
)
from app.admin.design.field_parts import (
    choices as open_choices,
)
from app.admin.design.field_parts import (
    widget as widget_of_leaf,
)
from app.admin.design.fields import labels_of, text_of
from app.admin.design.folding import folds, may_fold, stretches
from app.admin.design.gists import (
    arm_in_words,
    gist_of_card,
    gist_of_parts,
    pairs_line,
    rows_in_words,
    tag_title,
    title_of,
    whole_in_words,
)
from app.admin.design.nodes import Cards, Changes, Group, Leaf, Node, changes
from app.admin.design.outline import outline
from app.admin.design.places import ALL, part_of
from app.admin.design.scaleviews import scale_options, scales_view
from app.admin.design.translations import LANGUAGES, offered
from app.admin.design.values import dotted, entries, shown, value_at
from app.admin.design.views import (
    CardView,
    ChangesView,
    ChangeView,
    FieldsView,
    FieldView,
    GroupView,
    ListView,
    Options,
    PageName,
    Part,
    PicksView,
    SectionView,
)
from app.admin.design.words import translations_view
from app.core.money import sign_of
from app.core.problems import listed
from app.studies.file.comparable import has_blocks
from app.studies.file.fieldhelp import in_forms
from app.studies.file.languages import languages_in

Keys = Mapping[str, Any]
Errors = Mapping[str, str]
_CHOICE = "2afc"
_TO_SET = "When a number is known well enough"
_PARAMETERS = "Parameters"
_MAY_BE_EMPTY = ("text", "lines", "entries", "yaml")
# A section's id and its page, where these are not its key in the file.
_IDS = {
    "languages": "words",
    "viewing_conditions": "viewing",
    "title": "about",
    "background": "people",
    "instructions": "before",
    "blocks": "parts",
}
_PAGES: Mapping[str, PageName] = {
    "screening": "screening",
    "background": "background",
    "instructions": "instructions",
    "comprehension": "comprehension",
    "trials": "trial",
    "blocks": "trial",
    "completion": "debrief",
}
# Fields that stand in the section after them, and in that of the arms.
_WITH_NEXT = "block_order"
_IN_ARMS = ("target", "idle_minutes", "opens", "ends")


_NOTHING_KNOWN = Known()


def sections(
    keys: Keys, errors: Errors, known: Known = _NOTHING_KNOWN, *, of: str = ALL
) -> Sequence[SectionView]:
    """The parts of the form, or those on the page of one section: of a form, to make its parts takes longest."""
    return list(_Form(keys, errors, known, of).sections())


class _Form:
    def __init__(self, keys: Keys, errors: Errors, known: Known, of: str = ALL) -> None:
        self.keys, self.errors, self.known, self.of = keys, errors, known, of

    def _is_here(self, part: str) -> bool:
        return self.of in (ALL, part_of(part))

    def sections(self) -> Iterator[SectionView]:
        is_one = len(entries(self.keys, ("blocks",))) < 2
        order = [
            part
            for part in outline(self.keys).parts
            if _key(part) == _WITH_NEXT and not (is_one and isinstance(part, Leaf) and part.value is None)
        ]
        for part in outline(self.keys).parts:
            key = _key(part)
            if key == LANGUAGES and isinstance(part, Group):
                if self._is_here(_IDS[LANGUAGES]):
                    yield self._languages(part)
                continue
            if key in (_WITH_NEXT, *_IN_ARMS) or (key == "blocks" and not has_blocks(self.keys)):
                continue
            asked = _questions_of(part) if key == "trials" else None
            if asked is not None and isinstance(part, Group):
                rest = tuple(each for each in part.parts if each is not asked)
                if self._is_here(_IDS.get(key, key)):
                    yield self._section(key, replace(part, parts=rest), ())
                if self._is_here("questions"):
                    yield self._questions(asked)
            elif self._is_here(_IDS.get(key, key)):
                yield self._section(key, part, order if key == "blocks" else ())
            if key in ("trials", "blocks") and self._is_here("named"):
                n_faults = self._faults_at("scales")
                yield SectionView(
                    "named", "Scales", "trial", parts=[scales_view(self.keys, self.errors)], n_faults=n_faults
                )

    def _languages(self, part: Group) -> SectionView:
        """The languages, each with the texts and their translations."""
        own, *others = part.parts
        named = languages_in(self.keys)
        shown_in = f"Participants choose between {listed(named, 'and')}." if len(named) > 1 else ""
        fields = FieldsView([self._field(own)]) if isinstance(own, Leaf) else FieldsView([])
        intro = "Every text for participants is then translated here, beside the original."
        add = ListView(LANGUAGES, "", intro, (), "language", offered(self.keys), self._error(LANGUAGES))
        views = [
            translations_view(each, self.keys, self.errors) for each in others if isinstance(each, Group)
        ]
        n_faults = self._faults_at(LANGUAGES)
        return SectionView(
            _IDS[LANGUAGES], part.title, "consent", shown_in, [fields, *views, add], n_faults=n_faults
        )

    def _section(self, key: str, part: Node, before: Sequence[Node]) -> SectionView:
        is_trials = key == "trials"
        nodes = part.parts if isinstance(part, Group) else [*before, part]
        is_unset = key == "stop_when" and isinstance(part, Group) and part.value is None
        if is_unset and not self._faults_at(key):
            parts: list[Part] = [self._folded(f"{key}.unset", _TO_SET, [part])]
        else:
            parts = list(self._parts_of_block(nodes) if is_trials else self._parts(nodes))
        if is_trials:
            parts.append(self._first_blocks())
        if key == "arms":
            parts += self._parts([node for node in outline(self.keys).parts if _key(node) in _IN_ARMS])
        return SectionView(
            id=_IDS.get(key, key),
            title="The study" if key == "title" else part.label if isinstance(part, Leaf) else part.title,
            page=_PAGES.get(key, "consent"),
            intro=plain(in_forms(part.help)) if isinstance(part, Group) else "",
            parts=parts,
            pairs=pairs_line(self.keys) if is_trials else "",
            pairs_error=self._error("pairs") if is_trials else "",
            error=self._error(key) if isinstance(part, Group) else "",
            n_faults=sum(map(self._faults_at, (key, *{"trials": ("pairs",), "arms": _IN_ARMS}.get(key, ())))),
        )

    def _questions(self, asked: Cards) -> SectionView:
        """The questions of a trial, which have a section of their own."""
        cards = replace(self._list(asked), title="")
        return SectionView(
            "questions", asked.title, "trial", parts=[cards], n_faults=self._faults_at(cards.at)
        )

    def _first_blocks(self) -> ListView:
        """The list by which a study without blocks gets some."""
        cards = next(part for part in outline(self.keys).parts if _key(part) == "blocks")
        view = self._list(cards) if isinstance(cards, Cards) else None
        assert view is not None
        intro = (
            "A session may have several parts, each with a task of its own. These trials then become the "
            "first part, and keep their pairs and questions."
        )
        return ListView(view.at, "More blocks", intro, (), view.noun, view.types, view.error)

    def _error(self, at: str) -> str:
        return self.errors.get(at, "")

    def _faults_at(self, key: str) -> int:
        return sum(at == key or at.startswith(f"{key}.") for at in self.errors)

    # Parts

    def _parts(self, nodes: Sequence[Node]) -> Iterator[Part]:
        """Fields that follow one another together; groups and lists by themselves."""
        run: list[FieldView] = []
        for node in nodes:
            if isinstance(node, Leaf) and self._is_idle(node):
                continue
            if isinstance(node, Leaf):
                run.append(self._field(node))
                continue
            if run:
                yield FieldsView(run)
                run = []
            yield self._part(node)
        if run:
            yield FieldsView(run)

    def _is_idle(self, leaf: Leaf) -> bool:
        """True for the source of a measure that is of none."""
        is_source = (
            leaf.place[0] in ("hypotheses", "stop_when") and leaf.key == "source" and leaf.value is None
        )
        return is_source and value_at(self.keys, (*leaf.place[:-1], "measure")) != "preference"

    def _part(self, node: Group | Cards | Changes) -> Part:
        if isinstance(node, Cards):
            return self._list(node)
        if isinstance(node, Changes):
            return self._changes(node)
        return self._picks(node) if node.is_picks else self._group(node)

    def _picks(self, group: Group) -> PicksView:
        fields = [self._field(leaf) for leaf in group.parts if isinstance(leaf, Leaf)]
        at = dotted(group.place)
        return PicksView(at, group.title, plain(in_forms(group.help)), fields, self._error(at))

    def _changes(self, arm: Changes) -> ChangesView:
        at = dotted(arm.place)
        by_part: dict[str, list[tuple[str, str]]] = {}
        held = {str(each.place[-1]) for each in arm.entries}
        for path, leaf in arm.usual.items():
            if path not in held:
                by_part.setdefault(arm.where[path], []).append((path, leaf.label))
        return ChangesView(
            at,
            arm.title,
            [self._change(arm, each) for each in arm.entries],
            list(by_part.items()),
            self._error(at),
        )

    def _change(self, arm: Changes, node: Leaf | Group) -> ChangeView:
        path, at = str(node.place[-1]), dotted(node.place)
        where = arm.where.get(path, "")
        if isinstance(node, Leaf):
            return ChangeView(at, where, node.label, FieldsView([self._field(node)]))
        part = replace(self._group(node), intro=f"In the study: {whole_in_words(arm.usual[path])}.")
        return ChangeView(at, where, node.title, part)

    def _group(self, group: Group) -> GroupView:
        at = dotted(group.place)
        nodes: Sequence[Node] = group.parts
        way = next((node for node in nodes if isinstance(node, Leaf) and node.kind == "way"), None)
        is_of_presets = way is not None and way.ways is not None and not (way.ways.items or way.ways.entry)
        own = self._own(at, nodes[1:]) if is_of_presets else ()
        parts = [*self._parts(nodes[:1] if is_of_presets else nodes), *own]
        is_in_block = group.place[0] == "blocks"
        is_unset = group.is_optional and not group.value
        # Presets are shown until one is chosen.
        is_short = is_in_block and not (is_of_presets and group.value is None)
        is_folded = (is_unset if not is_in_block else is_short) and not self._faults_at(at)
        intro = plain(in_forms(group.help))
        gist = gist_of_parts([group]) if is_short else ""
        return GroupView(at, group.title, intro, parts, self._error(at), is_folded, group.sums, gist)

    def _own(self, at: str, nodes: Sequence[Node]) -> Iterator[GroupView]:
        """The parameters below a choice of presets, folded: a preset fills them in."""
        if nodes:
            yield self._folded(f"{at}.own", _PARAMETERS, nodes)

    def _field(self, leaf: Leaf, options: Options = ()) -> FieldView:
        value, said, at = text_of(leaf), leaf.widget, dotted(leaf.place)
        options = options or tuple(leaf.options.items())
        if said.chosen_from and leaf.kind == "text":
            options = choices(said.chosen_from, self.keys, self.known, leaf.place[-1])
        if leaf.key == "scale" and not options:
            options = scale_options(self.keys)
        if options and value not in dict(options):
            options = (*options, (value, f"{value}?" if value else "Please choose"))
        is_required, said_by_default = leaf.info.is_required(), by_default(leaf)
        return FieldView(
            name=at,
            label=leaf.ways.title if leaf.ways else TAGS.get(leaf.key) or LABELS.get(leaf.kind, leaf.label),
            widget=widget_of_leaf(leaf, options),
            value=value,
            help=self._usual(leaf) if leaf.how == "kept" else help_of(leaf, options),
            error=self._error(at),
            options=options,
            rows=said.rows if said.rows > 1 else 4,
            is_markdown=said.is_markdown,
            is_half=said.is_short or leaf.kind == "tag" or leaf.how == "setting",
            settles=leaf.kind in LABELS or leaf.key == "scale" or said.settles or leaf.named,
            optional=not is_required
            and leaf.kind in _MAY_BE_EMPTY
            and not leaf.named
            and leaf.how != "setting",
            placeholder=said.placeholder or said_by_default,
            counts=rows_in_words(value) if said.is_table else "",
            before=sign_of(leaf.currency) if leaf.currency else "",
            unit=said.unit,
            sums=leaf.sums,
            choices=open_choices(leaf, options),
            is_way=leaf.kind == "way",
        )

    def _usual(self, leaf: Leaf) -> str:
        """The study's value of a key that an arm sets."""
        usual = next((each.usual.get(leaf.key) for each in changes(outline(self.keys))), None)
        if usual is None:
            return KINDS_HELP["yaml"]
        text = " ".join(text_of(usual).split())
        words = usual.options.get(text, text) if usual.kind != "yes-no" else text
        how = KINDS_HELP.get(leaf.kind, "One per line." if leaf.kind == "lines" else "")
        short = words if len(words) <= 160 else f"{words[:159]}…"
        end = "" if short[-1:] in ".?!…" and short else "."
        return " ".join(filter(None, (f"In the study: {short or 'nothing'}{end}", how)))

    # Lists

    def _list(self, cards: Cards) -> ListView:
        at = dotted(cards.place)
        return ListView(
            at=at,
            title="" if len(cards.place) == 1 else cards.title,
            intro=plain(in_forms(cards.help)),
            cards=[self._card(cards, index, entry) for index, entry in enumerate(cards.entries)],
            noun=cards.noun,
            types=types_of(cards, None) if cards.tag else (),
            error=self._error(at),
        )

    def _card(self, cards: Cards, index: int, entry: Group) -> CardView:
        given = entry.value if isinstance(entry.value, Mapping) else {}
        has_points = labels_are_shown(given)
        is_block = cards.tag == "task"
        nodes = [node for node in entry.parts if not (has_points and _key(node) == "labels")]
        parts: list[Part] = []
        for part in self._parts_of_block(nodes) if is_block else self._parts(nodes):
            if isinstance(part, FieldsView) and cards.tag:
                part = self._with_types(part, cards, entry)
            parts.append(part)
        return CardView(
            at=dotted(entry.place),
            title=title_of(cards, given, index),
            parts=parts,
            about=tag_title(cards, given) if is_block else "",
            said=arm_in_words(self.keys, given) if cards.noun == "arm" else "",
            page=f"block-{index + 1}" if is_block else "",
            match=f"../draft/match/{index + 1}" if is_block and given.get("task") == "game" else "",
            gist=gist_of_card(cards, entry, given),
            is_folded=folds(cards, index) and not self._faults_at(dotted(entry.place))
            if may_fold(cards)
            else None,
            points=list(map(shown, labels_of(given, self.keys))) if has_points else (),
            error=self._error(dotted(entry.place)),
            is_named=bool(cards.name_key and given.get(cards.name_key)) and cards.noun != "question",
            is_first=index == 0,
            is_last=index == len(cards.entries) - 1,
        )

    def _parts_of_block(self, nodes: Sequence[Node]) -> Iterator[Part]:
        for stretch in stretches(nodes):
            if stretch.title:
                yield self._folded(stretch.at, stretch.title, stretch.nodes)
            else:
                yield from self._parts(stretch.nodes)

    def _folded(self, at: str, title: str, nodes: Sequence[Node]) -> GroupView:
        faulty = any(self._faults_at(dotted(node.place)) for node in nodes)
        inner = nodes[0].parts if at.endswith(".unset") and isinstance(nodes[0], Group) else nodes
        parts, gist = list(self._parts(inner)), gist_of_parts(nodes)
        return GroupView(at, title, "", parts, is_folded=not faulty, gist=gist)

    def _with_types(self, part: FieldsView, cards: Cards, entry: Group) -> FieldsView:
        """The fields with the types allowed for this entry; a block's task cannot be changed."""
        at = dotted((*entry.place, cards.tag))
        leaf = next(node for node in entry.parts if isinstance(node, Leaf) and node.key == cards.tag)
        field = self._field(leaf, types_of(cards, entry.value))
        return FieldsView([field if each.name == at else each for each in part.fields])


def _questions_of(part: Node) -> Cards | None:
    nodes = part.parts if isinstance(part, Group) else ()
    return next((each for each in nodes if isinstance(each, Cards)), None)


def _key(node: Node) -> str:
    return str(node.place[-1])
