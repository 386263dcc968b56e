"""The reference of docs/command-line.md, made from the commands themselves: `python -m tools.command_line`."""

import textwrap
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any, get_args

from app.cli import COMMANDS, load
from tools.made import write_part
from tools.wrap_markdown import WIDTH

PAGE = Path(__file__).parents[1] / "docs" / "command-line.md"
MAKER = "tools/command_line.py"
_KINDS: dict[object, str] = {int: "N", float: "NUMBER", Path: "PATH"}
# A default that is a sentence stands in the help of the command.
_LONGEST_DEFAULT = 40


def reference() -> str:
    """Each command with its arguments and options, in the order of `likely-human --help`."""
    return "\n".join(
        line for name, listed in COMMANDS.items() for line in _command(name, load(name), listed.help)
    )


def _command(path: str, command: Any, text: str = "") -> Iterator[str]:
    params = [each for each in command.params if not each.hidden and each.name != "help"]
    arguments = [each for each in params if each.param_type_name == "argument"]
    words = " ".join([path, *(_argument(each) for each in arguments)])
    yield f"{'#' * (3 + path.count(' '))} `{words}`\n"
    yield from textwrap.wrap(" ".join((command.help or text).split()), WIDTH)
    yield ""
    for each in params:
        yield from _entry(each)
    if params:
        yield ""
    for name, inner in getattr(command, "commands", {}).items():
        yield from _command(f"{path} {name}", inner)


def _argument(param: Any) -> str:
    name = param.metavar or param.name.upper()
    name = name if param.nargs == 1 or name.endswith("...") else f"{name}..."
    return name if param.required else f"[{name}]"


def _entry(param: Any) -> Iterator[str]:
    if param.param_type_name == "argument" and not param.help:
        return
    head = f"- {_names(param)}{_aside(param)}"
    text = " ".join((param.help or "").split())
    yield from textwrap.wrap(
        f"{head}: {text}" if text else head,
        WIDTH,
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _names(param: Any) -> str:
    if param.param_type_name == "argument":
        return f"`{_argument(param).strip('[]')}`"
    names = ", ".join(f"`{name}`" for name in (*param.opts, *param.secondary_opts))
    return names if param.is_flag else names.removesuffix("`") + f" {_value(param)}`"


def _kind(param: Any) -> object:
    kind = param.type_descriptor.annotation
    return next((inner for inner in get_args(kind) if inner is not type(None)), kind)


def _value(param: Any) -> str:
    return param.metavar or _KINDS.get(_kind(param), "WORD")


def _aside(param: Any) -> str:
    """The remark in brackets behind a name: choices, limits, required or not, or its default."""
    kind = _kind(param)
    choices = (
        [f"`{each.value}`" for each in kind] if isinstance(kind, type) and issubclass(kind, Enum) else []
    )
    said = [", ".join(choices)] if choices else []
    if param.min is not None:
        said.append(f"{param.min} to {param.max}" if param.max is not None else f"{param.min} or more")
    if param.multiple:
        said.append("may be given several times")
    if param.required and param.param_type_name == "option":
        said.append("needed")
    default = param.default.value if isinstance(param.default, Enum) else param.default
    if (
        isinstance(default, str | int | float)
        and default != ""
        and not isinstance(default, bool)
        and len(str(default)) <= _LONGEST_DEFAULT
    ):
        said.append(f"default `{default}`")
    return f" ({'; '.join(said)})" if said else ""


def main() -> None:
    write_part(PAGE, MAKER, reference())


if __name__ == "__main__":
    main()
