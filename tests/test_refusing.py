"""A refused form says at its field why, whatever page it stands on."""

import pytest

from app.core.refusing import with_message

FOLDED = '<details class="a"><summary>More</summary><input id="reason" name="reason"></details>'


@pytest.mark.parametrize(
    ("html", "says"),
    [
        (
            '<input type="hidden" name="x"><input name="x" required>',
            '<input type="hidden" name="x"><input name="x" required aria-invalid="true" aria-describedby="x-refused"'
            ' data-refused><span class="error" id="x-refused">Not &lt;so&gt;</span>',
        ),
        (
            '<textarea id="x" aria-describedby="x-help">typed</textarea><p id="x-help">Help</p>',
            '<textarea id="x" aria-invalid="true" aria-describedby="x-help x-refused" data-refused>typed</textarea>'
            '<span class="error" id="x-refused">Not &lt;so&gt;</span><p id="x-help">Help</p>',
        ),
        (
            '<label><input type="checkbox" name="x"> I know</label>',
            '<label><input type="checkbox" name="x" aria-invalid="true" aria-describedby="x-refused" data-refused>'
            ' I know</label><span class="error" id="x-refused">Not &lt;so&gt;</span>',
        ),
        ("<p>No field</p>", "<p>No field</p>"),
    ],
)
def test_the_message_is_at_the_field_and_tied_to_it(html: str, says: str) -> None:
    assert with_message(html, "x", "Not <so>") == says


def test_folded_parts_around_the_field_are_open_and_others_stay() -> None:
    html = with_message(
        f"<details><summary>A</summary></details><details>{FOLDED}</details>", "reason", "Why?"
    )
    assert html.startswith('<details><summary>A</summary></details><details open><details class="a" open>')
