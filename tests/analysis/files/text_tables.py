"""Tables of text and the dialects that they are written in, drawn by Hypothesis."""

import csv
import io

from hypothesis import strategies as st

NAMES = ("worker", "item", "answer", "comment", "more")
LETTERS = st.text(st.sampled_from('ab"",;\t\n .'), max_size=6)
FEW = st.sampled_from(["a", "b b", "", '"', '"a', 'b"', "a,b", "a\nb", "a\nb,c", "\n", ";", "x\r\ny"])


@st.composite
def tables(draw: st.DrawFn) -> list[list[str]]:
    """A header and one to five rows of one to five cells, none of which is blank."""
    width = draw(st.integers(1, 5))
    row = st.lists(FEW | LETTERS, min_size=width, max_size=width)
    rows = draw(
        st.lists(row.filter(lambda cells: bool("".join(cells).strip(" ,;\t\r\n"))), min_size=1, max_size=5)
    )
    return [list(NAMES[:width]), *rows]


dialects = st.fixed_dictionaries(
    {
        "delimiter": st.sampled_from(",;\t"),
        "quoting": st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
        "lineterminator": st.sampled_from(["\n", "\r\n"]),
    }
)


def written(table: list[list[str]], dialect: dict[str, object]) -> str:
    text = io.StringIO()
    csv.writer(text, **dialect).writerows(table)  # type: ignore[arg-type]
    return text.getvalue()
