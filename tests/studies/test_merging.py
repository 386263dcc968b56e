"""Drafts are merged by their places, and what changed between two leads back from one to the other."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.studies.merging import Unfitting, changes_between, merge, put_by_ids, taken_back, value_by_ids

Keys = dict[str, Any]
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
KEYS = st.dictionaries(TEXT, JSON, max_size=4)
ENTRY = st.fixed_dictionaries({"ask": TEXT}, optional={"scale": TEXT, "labels": st.lists(TEXT, max_size=3)})
LISTED = st.dictionaries(st.sampled_from("abcdef"), ENTRY, max_size=5)


def listed(entries: Keys) -> list[Keys]:
    return [{"id": id_, **entry} for id_, entry in entries.items()]


@given(KEYS, KEYS)
@example({"a": 1}, {"a": True})
@example({"text": "abab"}, {"text": "ab"})
@example({"a": [1, {"b": "x"}]}, {"a": [1, {"b": None}]})
def test_what_changed_leads_back(before: Keys, after: Keys) -> None:
    changes = list(changes_between(before, after))
    assert taken_back(after, changes) == before
    assert bool(changes) == (repr(sorted(before.items())) != repr(sorted(after.items()))) or before == after


def test_changes_of_other_keys_are_refused() -> None:
    changes = list(changes_between({"title": "Old", "a": {"b": 1}}, {"title": "New", "a": {"b": 2}}))
    for other in ({"title": "Else", "a": {"b": 2}}, {"title": "New"}, {"title": "New", "a": 3}):
        with pytest.raises(Unfitting):
            taken_back(other, changes)


def test_a_long_text_is_kept_by_what_changed_in_it() -> None:
    before = "A text. " * 500
    (change,) = changes_between({"text": before}, {"text": before[:100] + "#" + before[100:]})
    assert change == {"at": ["text"], "from": 100, "was": "", "now": "#"}


@given(KEYS, st.data())
def test_edits_that_do_not_touch_are_both_there_whoever_saves_first(base: Keys, data: st.DataObject) -> None:
    """Each key is changed, removed or added by one of two editors, or by neither."""
    keys = data.draw(st.lists(st.sampled_from([*base, "new", "other"]), unique=True))
    mine, theirs, both = deepcopy(base), deepcopy(base), deepcopy(base)
    for key in keys:
        editor = mine if data.draw(st.booleans()) else theirs
        value = data.draw(JSON)
        for each in (editor, both):
            if data.draw(st.just(value is None)):
                each.pop(key, None)
            else:
                each[key] = value
    assert merge(base, mine, theirs) == (both, ())
    assert merge(base, theirs, mine) == (both, ())


@given(LISTED, st.data())
def test_edits_of_different_entries_of_a_list_are_both_there(base: Keys, data: st.DataObject) -> None:
    mine, theirs, both = deepcopy(base), deepcopy(base), deepcopy(base)
    for id_ in base:
        editor = data.draw(st.sampled_from([mine, theirs]))
        entry = data.draw(st.none() | ENTRY)
        for each in (editor, both):
            if entry is None:
                each.pop(id_)
            else:
                each[id_] = entry
    mine["mine"] = both["mine"] = {"ask": "?"}
    theirs["theirs"] = both["theirs"] = {"ask": "!"}
    merged, clashes = merge(*({"questions": listed(each)} for each in (base, mine, theirs)))
    assert clashes == ()
    assert {each["id"]: each for each in merged["questions"]} == {each["id"]: each for each in listed(both)}
    kept = [id_ for id_ in base if id_ in both]
    assert [each["id"] for each in merged["questions"] if each["id"] in kept] == kept


def test_one_moves_an_entry_while_the_other_changes_it() -> None:
    base = [{"id": "a", "ask": "1"}, {"id": "b", "ask": "2"}, {"id": "c", "ask": "3"}]
    moved = [base[2], base[0], base[1]]
    changed = [base[0], {"id": "b", "ask": "two"}, base[2], {"id": "d", "ask": "4"}]
    wanted = [base[2], {"id": "d", "ask": "4"}, base[0], {"id": "b", "ask": "two"}]
    assert merge({"q": base}, {"q": moved}, {"q": changed}) == ({"q": wanted}, ())
    assert merge({"q": base}, {"q": changed}, {"q": moved}) == ({"q": wanted}, ())
    (clash,) = merge({"q": base}, {"q": moved}, {"q": [base[1], base[0], base[2]]})[1]
    assert clash.place == ("q",)


def test_a_place_that_both_changed_is_theirs_and_mine_is_told_and_can_be_put_there() -> None:
    base = {"title": "A", "q": [{"id": "a", "ask": "?"}, {"id": "b", "ask": "?"}]}
    mine = {"title": "M", "q": [{"id": "a", "ask": "m"}]}
    theirs = {
        "title": "T",
        "q": [{"id": "x", "ask": "n"}, {"id": "a", "ask": "t"}, {"id": "b", "ask": "changed"}],
    }
    merged, clashes = merge(base, mine, theirs)
    assert merged == theirs
    assert [(clash.place, clash.mine, clash.theirs) for clash in clashes] == [
        (("title",), "M", "T"),
        (("q", "a", "ask"), "m", "t"),
        (("q", "b"), None, {"id": "b", "ask": "changed"}),
    ]
    assert value_by_ids(merged, ("q", "a", "ask")) == (("q", 1, "ask"), "t")
    assert value_by_ids(merged, ("q", "gone", "ask")) == (("q",), None)
    for clash in clashes:
        put_by_ids(merged, clash.place, clash.mine)
    assert merged == {"title": "M", "q": [{"id": "x", "ask": "n"}, {"id": "a", "ask": "m"}]}
    put_by_ids(merged, ("q", "c"), {"id": "c"})
    put_by_ids(merged, ("nowhere", "c", "d"), 1)
    assert [each["id"] for each in merged["q"]] == ["x", "a", "c"]


def test_an_entry_that_one_renames_and_the_other_changes_is_a_clash_of_the_list() -> None:
    base = [{"id": "a", "ask": "?"}, {"id": "z", "ask": "."}]
    mine, theirs = ([{"id": id_, "ask": "?"}, base[1]] for id_ in "bc")
    changed = [{"id": "a", "ask": "!"}, base[1]]
    for other in (theirs, changed, base[1:]):
        merged, clashes = merge({"q": base}, {"q": mine}, {"q": other})
        assert (merged, [clash.place for clash in clashes]) == ({"q": other}, [("q",)])
        assert merge({"q": base}, {"q": other}, {"q": mine})[0] == {"q": mine}
    elsewhere = [base[0], {"id": "z", "ask": "!"}]
    assert merge({"q": base}, {"q": mine}, {"q": elsewhere}) == ({"q": [mine[0], elsewhere[1]]}, ())


def test_entries_without_ids_are_not_merged_by_their_number() -> None:
    base = [{"rule": "hidden", "seconds": 30}, {"rule": "fast", "seconds": 2}]
    moved = [base[1], base[0]]
    changed = [{"rule": "hidden", "seconds": 45}, base[1]]
    assert merge({"x": base}, {"x": moved}, {"x": changed}) == ({"x": [base[1], changed[0]]}, ())
    nameless = [{"seconds": 30}, {"seconds": 2}]
    others = [{"seconds": 45}, {"seconds": 2}]
    (clash,) = merge({"x": nameless}, {"x": nameless[::-1]}, {"x": others})[1]
    assert clash.place == ("x",)
    clashed = merge({"x": base}, {"x": [{**base[0], "seconds": 50}, base[1]]}, {"x": changed})
    assert [each.place for each in clashed[1]] == [("x", "hidden", "seconds")]
    assert value_by_ids(clashed[0], ("x", "hidden", "seconds")) == (("x", 0, "seconds"), 45)
