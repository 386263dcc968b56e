"""Small workbooks as spreadsheets write them, byte by byte: xlsx (zipped XML) and xls (BIFF8 in a compound file)."""

import struct
import zipfile
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

Cells = Sequence[Sequence[str | float]]

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PARTS = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_SECTOR = 512


def write_xlsx(path: Path, sheets: dict[str, Cells]) -> None:
    """A workbook of the sheets; texts stand in their cells."""
    names = list(sheets)
    with zipfile.ZipFile(path, "w") as file:
        kinds = "".join(
            f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{_PARTS}.worksheet+xml"/>'
            for n in range(1, len(names) + 1)
        )
        file.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{_PARTS}.sheet.main+xml"/>{kinds}</Types>',
        )
        file.writestr("_rels/.rels", _relations({"xl/workbook.xml": "officeDocument"}))
        targets = {f"worksheets/sheet{n}.xml": "worksheet" for n in range(1, len(names) + 1)}
        file.writestr("xl/_rels/workbook.xml.rels", _relations(targets))
        listed = "".join(
            f'<sheet name="{escape(name)}" sheetId="{n}" r:id="rId{n}"/>' for n, name in enumerate(names, 1)
        )
        file.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATED}"><sheets>{listed}</sheets></workbook>',
        )
        for n, name in enumerate(names, 1):
            rows = "".join(_row(r, row) for r, row in enumerate(sheets[name], 1))
            file.writestr(
                f"xl/worksheets/sheet{n}.xml",
                f'<worksheet xmlns="{_MAIN}"><sheetData>{rows}</sheetData></worksheet>',
            )


def write_xls(path: Path, sheets: dict[str, Cells]) -> None:
    """The same as Excel 97 wrote it."""
    parts = [_sheet_stream(rows) for rows in sheets.values()]
    listed_bytes = sum(len(_listed(name, 0)) for name in sheets)
    begin = len(_begin(0x0005)) + listed_bytes + len(_record(0x000A, b""))
    listed = b""
    for name, part in zip(sheets, parts, strict=True):
        listed += _listed(name, begin)
        begin += len(part)
    stream = _begin(0x0005) + listed + _record(0x000A, b"") + b"".join(parts)
    path.write_bytes(_compound("Workbook", stream))


def _relations(targets: dict[str, str]) -> str:
    each = "".join(
        f'<Relationship Id="rId{n}" Type="{_RELATED}/{kind}" Target="{target}"/>'
        for n, (target, kind) in enumerate(targets.items(), 1)
    )
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{each}</Relationships>'


def _row(number: int, cells: Sequence[str | float]) -> str:
    written = "".join(_cell(f"{chr(65 + c)}{number}", value) for c, value in enumerate(cells) if value != "")
    return f'<row r="{number}">{written}</row>'


def _cell(at: str, value: str | float) -> str:
    if isinstance(value, str):
        return f'<c r="{at}" t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'
    return f'<c r="{at}"><v>{value}</v></c>'


def _record(kind: int, data: bytes) -> bytes:
    return struct.pack("<HH", kind, len(data)) + data


def _begin(kind: int) -> bytes:
    return _record(0x0809, struct.pack("<HHHHII", 0x0600, kind, 0x0DBB, 0x07CC, 0, 6))


def _listed(name: str, offset: int) -> bytes:
    return _record(0x0085, struct.pack("<IBBBB", offset, 0, 0, len(name), 1) + name.encode("utf-16-le"))


def _sheet_stream(rows: Cells) -> bytes:
    found = _begin(0x0010)
    for r, row in enumerate(rows):
        for c, value in enumerate(row):
            if value == "":
                continue
            if isinstance(value, str):
                text = struct.pack("<HB", len(value), 1) + value.encode("utf-16-le")
                found += _record(0x0204, struct.pack("<HHH", r, c, 0) + text)
            else:
                found += _record(0x0203, struct.pack("<HHHd", r, c, 0, value))
    return found + _record(0x000A, b"")


def _compound(name: str, stream: bytes) -> bytes:
    """One stream in a compound file: its table of sectors in sector 0, its directory in sector 1, the stream after."""
    padded = stream.ljust(max(4096, -(-len(stream) // _SECTOR) * _SECTOR), b"\0")
    n = len(padded) // _SECTOR
    table = [0xFFFFFFFD, 0xFFFFFFFE, *range(3, n + 2), 0xFFFFFFFE]
    table += [0xFFFFFFFF] * (_SECTOR // 4 - len(table))
    assert len(table) == _SECTOR // 4, "a stream of at most 63 kB"
    header = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(16)
    header += struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    header += struct.pack("<IIIIIIIIII", 0, 1, 1, 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0, 0)
    header += struct.pack("<I", 0xFFFFFFFF) * 108
    empty = struct.pack("<64sHBBIII16sIQQIQ", b"", 0, 0, 0, *(0xFFFFFFFF,) * 3, b"", 0, 0, 0, 0, 0)
    directory = _entry("Root Entry", 5, 1, 0xFFFFFFFE, 0) + _entry(name, 2, 0xFFFFFFFF, 2, len(padded))
    return header + struct.pack("<128I", *table) + directory + empty * 2 + padded


def _entry(name: str, kind: int, child: int, begin: int, size: int) -> bytes:
    text = name.encode("utf-16-le") + b"\0\0"
    nobody = 0xFFFFFFFF
    return struct.pack(
        "<64sHBBIII16sIQQIQ", text, len(text), kind, 1, nobody, nobody, child, b"", 0, 0, 0, begin, size
    )
