"""Cards of the form in a few words: their titles, and what stands in them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from analysis.files.faults import TableFault
from analysis.quality.registry import RULES
from analysis.quality.rules import Parameter
from app.admin.design.fields import text_of
from app.admin.design.nodes import Cards, Group, Leaf, Node
from app.admin.design.outline import tag_of
from app.admin.design.values import entries, shown, value_at
from app.core.money import sign_of
from app.core.problems import counted, listed
from app.core.spreadsheet import csv_rows
from app.studies.file.comparable import blocks_in
from app.studies.file.exclusion import TAG, rule_of
from app.tasks.pair.pairs import read_pair_file

Keys = Mapping[str, Any]
_KINDS = {"practice": "for practice", "attention": "for attention"}
_DIRECTIONS = {"less": "lower than", "greater": "higher than", "two-sided": "differs from"}
_MOST_SAID, _LONGEST_SAID = 3, 60
_TESTS = {"wilcoxon": "Wilcoxon", "mann-whitney": "Mann-Whitney"}


def title_of(cards: Cards, given: Keys, index: int) -> str:
    """A card's title: its name in the data where it has a part of the study to itself, else its number."""
    if cards.tag == TAG:
        rule = RULES.get(rule_of(given) or "")
        return rule.title if rule else "A rule"
    is_named = cards.tag == "task" or (cards.name_key and cards.noun != "question")
    named = shown(given.get(cards.name_key or "id")) if is_named else ""
    return named or f"{cards.noun.capitalize()} {index + 1}"


def gist_of(cards: Cards, given: Keys) -> str:
    """A question's text and type, an exclusion rule's bounds and verdicts, or a hypothesis."""
    if cards.tag == TAG:
        return _rule(given)
    if cards.noun == "hypothesis":
        return _hypothesis(given)
    if words := getattr(cards.variants.get(""), "gist", None):
        return str(words(given))
    asked = " ".join(shown(given.get("ask")).split()) or "no words yet"
    return f"{asked} · {tag_title(cards, given)}"


def gist_of_card(cards: Cards, entry: Group, given: Keys) -> str:
    """The same for any card: an arm has none, and an entry without a name has what is set in it."""
    if cards.noun == "arm":
        return ""
    return gist_of(cards, given) if cards.tag or cards.name_key else gist_of_parts(entry.parts)


def tag_title(cards: Cards, given: Keys) -> str:
    """The type of a question or the task of a block, in words."""
    named = tag_of(given, cards.tag) or shown(given.get(cards.tag))
    model = cards.variants.get(named)
    return str(model.model_fields[cards.tag].title or named) if model else named or f"no {cards.tag}"


def _unit(parameter: Parameter, value: str) -> str:
    unit = parameter.unit.removesuffix("s") if value == "1" else parameter.unit
    return "" if not unit or parameter.unit in parameter.title.lower() else f" {unit}"


def _rule(given: Keys) -> str:
    """`trials, at least 3; not in the numbers`."""
    if (rule := RULES.get(rule_of(given) or "")) is None:
        return "no rule yet"
    bounds = [
        f"{each.title[:1].lower()}{each.title[1:]} {value}{_unit(each, value)}"
        for each in rule.parameters
        if (value := shown(given.get(each.name)) or ("" if each.default is None else f"{each.default:g}"))
    ]
    off = [
        words
        for key, default, words in (("use", rule.flag_only, "not in the numbers"), ("pay", True, "not paid"))
        if given.get(key, default) is False
    ]
    return f"{'; '.join([*bounds, *off] or ['no bounds'])}{'' if off else '; a remark alone'}"


def _hypothesis(given: Keys) -> str:
    """`accuracy: human-hybrid lower than human-symbolic · Wilcoxon`."""
    compared = [shown(each) for each in entries(given, ("compare",))]
    if len(compared) != 2 or not all(compared):
        return "what is compared is still open"
    measure = shown(given.get("measure")) or "no measure yet"
    direction = _DIRECTIONS.get(shown(given.get("direction")), "compared with")
    test = _TESTS.get(shown(given.get("test")), "no test yet")
    return f"{measure}: {compared[0]} {direction} {compared[1]} · {test}"


def arm_in_words(keys: Keys, arm: Keys) -> str:
    """The content of an arm in words: `All blocks of the study, with 2 values of its own.`"""
    blocks = blocks_in(keys)
    names = [shown(block.get("id")) or f"block {at}" for at, block in enumerate(blocks, start=1)]
    own = [
        name for name, block in zip(names, blocks, strict=True) if _is_in(arm.get("id"), block.get("arms"))
    ]
    changed = value_at(arm, ("set",))
    n = len(changed) if isinstance(changed, Mapping) else 0
    if blocks and not own:
        blocks_in_words = "No block is for this arm"
    elif len(own) < len(names):
        noun = "block" if len(own) == 1 else "blocks"
        blocks_in_words = f"Its participants get the {noun} {listed(own, 'and')}"
    else:
        blocks_in_words = "Its participants get the whole study"
    return (
        f"{blocks_in_words}, with {counted(n, 'value')} of its own." if n else f"{blocks_in_words}, as it is."
    )


def _is_in(arm: object, arms: object) -> bool:
    """True if a block is for an arm: it names it, or names none."""
    return not isinstance(arms, Sequence) or isinstance(arms, str) or not arms or arm in arms


def block_names(keys: Keys) -> Sequence[str]:
    """The names of the blocks, even if invalid."""
    return [
        shown(value_at(block, ("id",))) or f"Block {number}"
        for number, block in enumerate(entries(keys, ("blocks",)), start=1)
    ]


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


def rows_in_words(text: str) -> str:
    """`12 rows: 10 main, 2 for practice`, as far as the table can be read."""
    try:
        names, *rows = (row.cells for row in csv_rows(text))
    except (TableFault, ValueError):
        return "No rows yet." if not text.strip() else ""
    kinds = Counter(
        dict(zip(names, row, strict=False)).get("kind", "").strip() or "main" for row in rows if any(row)
    )
    parts = [f"{n} {_KINDS.get(kind, kind)}" for kind, n in kinds.items()]
    return f"{counted(sum(kinds.values()), 'row')}: {', '.join(parts)}." if parts else "No rows yet."


# Folded parts


def gist_of_parts(nodes: Iterable[Node]) -> str:
    """The settings of a folded part, as far as they fit a line; `as usual` where nothing is, or `none`."""
    parts = list(nodes)
    said = [words for part in parts for words in _set_in(part)]
    is_none = any(_is_none(part) for part in parts)
    return "; ".join(said[:_MOST_SAID]) or ("none" if is_none else "as usual")


def _is_none(node: Node) -> bool:
    """True for what is nothing where it is not given: a list, or a part that holds one."""
    if isinstance(node, Group):
        return node.is_none or any(map(_is_none, node.parts))
    return isinstance(node, Cards) and not node.usual


def _set_in(node: Node) -> Iterator[str]:
    """A field with its value if it has one, a list by its length."""
    match node:
        case Cards(entries=(_, *_)) if value_is_given(node):
            yield counted(len(node.entries), node.noun, node.nouns)
        case Group():
            for part in node.parts:
                yield from _set_in(part)
        case Leaf(value=value) if value not in (None, "", False):
            if words := value_in_words(node):
                yield words


def whole_in_words(leaf: Leaf) -> str:
    """The study's own value where an arm sets a part whole: `2 questions`."""
    held = leaf.value if isinstance(leaf.value, (list, tuple)) else [leaf.value] if leaf.value else []
    if all(isinstance(each, Mapping) for each in held):
        return counted(len(held), "question") if held else "none"
    return "the same for all" if len(held) == 1 else "each for itself"


def value_is_given(cards: Cards) -> bool:
    """True for a list that is given, rather than the usual one."""
    return [entry.value for entry in cards.entries] != list(cards.usual)


def value_in_words(leaf: Leaf) -> str:
    """`longest message 400 characters`; of a choice, a text or an entry of a list, the value alone."""
    text = text_of(leaf).strip()
    if leaf.kind in ("yes-no", "tag") or leaf.how == "setting":
        return leaf.label if text == "yes" else ""
    if leaf.widget.is_table:
        return rows_in_words(text).removesuffix(".")
    if leaf.options or leaf.how == "item":
        return leaf.options.get(text, text).strip("“”").partition(":")[0]
    if leaf.kind == "number":
        sign = sign_of(leaf.currency) if leaf.currency else ""
        return f"{leaf.label.lower()} {sign}{text} {leaf.widget.unit}".strip()
    if isinstance(leaf.value, (list, tuple, dict)):  # written as in the file, keys and all
        return f"{leaf.label.lower()}: {len(leaf.value)}"
    line = text.partition("\n")[0].strip("#* ")
    return line if len(line) <= _LONGEST_SAID else f"{line[: _LONGEST_SAID - 1]}…"
