"""Reads tables (.csv, .tsv, .xlsx) as text cells, and tells numbers, dates and missing values apart."""

from __future__ import annotations

import csv
import math
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree

MAX_BYTES = 200 * 1024 * 1024
MAX_CELLS = 20_000_000
MISSING = {"", "na", "n/a", "nan", "null", "none", "-", "--", "?", "#n/a"}
#: A column is of a type when this share of its values is.
ENOUGH = 0.95


class Problem(Exception):
    """What the person who called the program has to change, as a sentence."""


@dataclass(frozen=True)
class Table:
    """`rows` have as many cells as there are columns. The first row below the head is row 2, as in a spreadsheet."""

    columns: list[str]
    rows: list[list[str]]
    notes: list[str]

    def values(self, column: str) -> list[str]:
        index = self.index_of(column)
        return [row[index] for row in self.rows]

    def index_of(self, column: str) -> int:
        """Raises Problem with the names that there are."""
        if column not in self.columns:
            raise Problem(f"There is no column {column!r}. There are: {', '.join(self.columns)}.")
        return self.columns.index(column)


def read_table(path: Path, sheet: str | None = None) -> Table:
    """The table in a file. `sheet` is the name of a sheet of an .xlsx, else its first. Raises Problem."""
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise Problem(
                f"{path} has {size // 1024 // 1024} MB, {MAX_BYTES // 1024 // 1024} are the most: cut it first."
            )
        kind = path.suffix.lower()
        if kind == ".xlsx":
            rows, notes = _xlsx_rows(path, sheet)
        elif kind in (".csv", ".tsv", ".txt"):
            rows, notes = _csv_rows(path)
        else:
            raise Problem(f"{path} is neither .csv, .tsv nor .xlsx: save it as one of them.")
    except OSError as error:
        raise Problem(f"{path} cannot be read: {error.strerror}.") from error
    return _table(rows, notes, path)


def _table(rows: Iterator[list[str]], notes: list[str], path: Path) -> Table:
    filled: list[list[str]] = []
    cells = 0
    for row in rows:
        if any(cell.strip() for cell in row):
            filled.append(row)
            cells += len(row)
        if cells > MAX_CELLS:
            raise Problem(f"{path} has more than {MAX_CELLS:,} cells: cut it first.")
    if not filled:
        raise Problem(f"{path} has no rows.")
    width = max(len(row) for row in filled)
    uneven = sum(1 for row in filled[1:] if len(row) != len(filled[0]))
    if uneven:
        notes.append(f"{uneven} rows have another number of cells than the head; what is missing counts as empty.")
    head = [name.strip() or f"column {index}" for index, name in enumerate(filled[0] + [""] * width, 1)][:width]
    columns: list[str] = []
    for name in head:
        count = columns.count(name) + sum(1 for other in columns if re.fullmatch(re.escape(name) + r" \(\d+\)", other))
        columns.append(name if count == 0 else f"{name} ({count + 1})")
    return Table(columns, [row + [""] * (width - len(row)) for row in filled[1:]], notes)


def _csv_rows(path: Path) -> tuple[Iterator[list[str]], list[str]]:
    data = path.read_bytes()
    if b"\0" in data[:8_192]:
        raise Problem(f"{path} is no text: save it as CSV in UTF-8.")
    notes = []
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
        notes.append("The file is not UTF-8; it was read as Windows-1252. Check letters with accents.")
    first = text[:20_000].splitlines()[:20]
    separator = max(",;\t|", key=lambda mark: _evenness(first, mark))
    csv.field_size_limit(10_000_000)
    return csv.reader(text.splitlines(keepends=True), delimiter=separator), notes


def _evenness(lines: list[str], mark: str) -> tuple[int, int]:
    """How well a separator fits: lines with as many cells as the first, then how many cells that is."""
    counts = [len(row) for row in csv.reader(lines, delimiter=mark)]
    if not counts or counts[0] < 2:
        return (0, 0)
    return (sum(1 for count in counts if count == counts[0]), counts[0])


MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
DATE_FORMATS = {*range(14, 23), *range(45, 48)}


def _xlsx_rows(path: Path, sheet: str | None) -> tuple[Iterator[list[str]], list[str]]:
    try:
        book = zipfile.ZipFile(path)
        if sum(it.file_size for it in book.infolist()) > 5 * MAX_BYTES:
            raise Problem(f"{path} is too large unpacked: save the sheet as .csv.")
        sheets = [(it.get("name", ""), it.get(LINK, "")) for it in _xml(book, "xl/workbook.xml").iter(f"{MAIN}sheet")]
        links = {it.get("Id"): it.get("Target", "") for it in _xml(book, "xl/_rels/workbook.xml.rels")}
    except (zipfile.BadZipFile, KeyError, ElementTree.ParseError) as error:
        raise Problem(f"{path} is no .xlsx, or it is locked with a password: save it again.") from error
    names = [name for name, _ in sheets]
    if sheet is not None and sheet not in names:
        raise Problem(f"{path} has no sheet {sheet!r}. There are: {', '.join(names)}.")
    name, link = sheets[names.index(sheet) if sheet is not None else 0]
    notes = [f"Sheet {name!r} of {len(names)}: {', '.join(names)}."] if len(names) > 1 else []
    part = "xl/" + links[link].removeprefix("/xl/").removeprefix("/")
    words = _shared_words(book)
    return _sheet_rows(book, part, words, _date_styles(book)), notes


def _xml(book: zipfile.ZipFile, name: str) -> ElementTree.Element:
    data = book.read(name)
    if b"<!DOCTYPE" in data[:2_000]:
        raise Problem("The workbook has a document type, which no spreadsheet program writes. It is not read.")
    return ElementTree.fromstring(data)


def _shared_words(book: zipfile.ZipFile) -> list[str]:
    if "xl/sharedStrings.xml" not in book.namelist():
        return []
    items = _xml(book, "xl/sharedStrings.xml").iter(f"{MAIN}si")
    return ["".join(text.text or "" for text in item.iter(f"{MAIN}t")) for item in items]


def _date_styles(book: zipfile.ZipFile) -> set[int]:
    if "xl/styles.xml" not in book.namelist():
        return set()
    styles = _xml(book, "xl/styles.xml")
    own = {
        int(it.get("numFmtId", 0))
        for it in styles.iter(f"{MAIN}numFmt")
        if re.search(r"[ymdh]", re.sub(r'"[^"]*"|\[[^\]]*\]|\\.', "", it.get("formatCode", "").lower()))
    }
    formats = styles.find(f"{MAIN}cellXfs")
    used = [int(it.get("numFmtId", 0)) for it in formats] if formats is not None else []
    return {index for index, number in enumerate(used) if number in DATE_FORMATS or number in own}


def _sheet_rows(book: zipfile.ZipFile, part: str, words: list[str], dates: set[int]) -> Iterator[list[str]]:
    for row in _xml(book, part).iter(f"{MAIN}row"):
        cells: list[str] = []
        for cell in row.iter(f"{MAIN}c"):
            place = _column_number(cell.get("r", "")) if cell.get("r") else len(cells)
            if place > 16_384:
                raise Problem("The workbook names a column that no spreadsheet has.")
            cells.extend([""] * (place - len(cells)))
            cells.append(_cell_text(cell, words, dates))
        yield cells


def _column_number(reference: str) -> int:
    number = 0
    for letter in reference:
        if letter.isalpha():
            number = number * 26 + ord(letter.upper()) - 64
    return number - 1


def _cell_text(cell: ElementTree.Element, words: list[str], dates: set[int]) -> str:
    kind, value = cell.get("t", "n"), cell.findtext(f"{MAIN}v", "")
    if kind == "inlineStr":
        return "".join(text.text or "" for text in cell.iter(f"{MAIN}t"))
    if kind == "s" and value.isdigit() and int(value) < len(words):
        return words[int(value)]
    if kind == "b":
        return "true" if value == "1" else "false"
    if kind == "n" and value and int(cell.get("s", 0)) in dates:
        moment = datetime(1899, 12, 30) + timedelta(days=float(value))
        return moment.strftime("%Y-%m-%d" if float(value).is_integer() else "%Y-%m-%d %H:%M:%S")
    return value


def is_missing(text: str) -> bool:
    return text.strip().lower() in MISSING


DECIMAL_COMMA = re.compile(r"[-+]?(\d{1,3}(\.\d{3})+|\d+),\d+")
GROUPED = re.compile(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?")
SIGNS = re.compile(r"[\s$€£%'\u00a0\u202f]")


def number_reader(texts: list[str]) -> Callable[[str], float | None]:
    """How the numbers of a column are read: `1,5` is one and a half only where no value says otherwise."""
    with_comma = [text for text in (SIGNS.sub("", it) for it in texts) if "," in text]
    is_decimal = bool(with_comma) and all(DECIMAL_COMMA.fullmatch(text) for text in with_comma)
    if is_decimal and all(GROUPED.fullmatch(text) for text in with_comma):
        is_decimal = False

    def read(text: str) -> float | None:
        bare = SIGNS.sub("", text).replace("−", "-")
        bare = bare.replace(".", "").replace(",", ".") if is_decimal and "," in bare else bare
        if "," in bare and not GROUPED.fullmatch(bare):
            return None
        try:
            value = float(bare.replace(",", ""))
        except ValueError:
            return None
        return value if math.isfinite(value) and "_" not in bare else None

    return read


DATES = ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%d.%m.%Y", "%Y/%m/%d", "%Y-%m"]
SLASHED = ["%d/%m/%Y", "%m/%d/%Y"]


def date_reader(texts: list[str]) -> Callable[[str], datetime | None]:
    """How the dates of a column are read. With slashes the order of day and month is what all values allow."""
    sample = [text.strip() for text in texts if "/" in text][:2_000]
    order = next((form for form in SLASHED if sample and all(_date(text, [form]) for text in sample)), SLASHED[0])
    return lambda text: _date(text.strip(), [*DATES, order])


def _date(text: str, forms: list[str]) -> datetime | None:
    if not text[:1].isdigit() or len(text) > 30:
        return None
    bare = re.sub(r"(Z|[+-]\d\d:\d\d|\.\d{1,6})+$", "", text) if "T" in text or ":" in text else text
    for form in forms:
        try:
            return datetime.strptime(bare, form)
        except ValueError:
            continue
    return None


def kind_of(texts: list[str]) -> str:
    """`number`, `date`, `boolean`, `text` or `empty`, by what nearly all values are."""
    present = [text for text in texts if not is_missing(text)]
    if not present:
        return "empty"
    if {text.strip().lower() for text in present} <= {"true", "false", "yes", "no"}:
        return "boolean"
    as_number, as_date = number_reader(present), date_reader(present)
    if sum(1 for text in present if as_number(text) is not None) >= ENOUGH * len(present):
        return "number"
    if sum(1 for text in present if as_date(text) is not None) >= ENOUGH * len(present):
        return "date"
    return "text"


def shown_number(value: float) -> str:
    """At most six digits that mean something, and no exponent where it can be avoided."""
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value)}"
    return f"{value:.6g}" if abs(value) < 1e6 else f"{value:.1f}"


def markdown_table(head: list[str], rows: list[list[str]], right: set[int]) -> str:
    """`right` are the columns with numbers."""
    clean = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in [head, *rows]]
    line = ["---:" if index in right else "---" for index in range(len(head))]
    return "\n".join(f"| {' | '.join(row)} |" for row in [clean[0], line, *clean[1:]])
