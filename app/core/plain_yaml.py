"""YAML that people write: numbers are what they look like. YAML 1.1 reads `1_0` as 10, `010` as 8 and `1:30` as 90."""

import re
from typing import Final

from analysis.files.shallow_yaml import ShallowLoader

_INT: Final = "tag:yaml.org,2002:int"
_FLOAT: Final = "tag:yaml.org,2002:float"
_WHOLE: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_DECIMAL: Final = re.compile(
    r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)


class PlainLoader(ShallowLoader):
    """One that is bounded in depth, for which a number in digits that somebody else would read otherwise is a text.

    Where a number is asked for, the text is refused as it was written, or read as its digits say."""


PlainLoader.yaml_implicit_resolvers = {
    first: [one for one in known if one[0] not in (_INT, _FLOAT)]
    for first, known in ShallowLoader.yaml_implicit_resolvers.items()
}
PlainLoader.add_implicit_resolver(_INT, re.compile(f"(?:{_WHOLE.pattern})$"), list("-+0123456789"))
PlainLoader.add_implicit_resolver(_FLOAT, re.compile(f"(?:{_DECIMAL.pattern})$"), list("-+0123456789."))
