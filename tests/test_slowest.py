"""`tests/slowest.md`: the hundred slowest tests, each with the reason why it costs what it does."""

import re
from pathlib import Path

HERE = Path(__file__).parent


def test_each_of_the_hundred_slowest_tests_is_there_and_has_its_reason() -> None:
    text = (HERE / "slowest.md").read_text(encoding="utf-8")
    assert max(map(len, text.splitlines())) <= 160
    listed = re.findall(r"^- \d+\.\d s `(\S+?)::(\S+)`:\s+(\S.+)$", text, re.MULTILINE)
    assert len(listed) == text.count("\n- ") == 100
    for file, test, why in listed:
        name = test.partition("::")[0]
        assert re.search(rf"\b{name}\b", (HERE / file).read_text(encoding="utf-8")), f"no {file}::{test}"
        assert len(why.split()) > 3, test
