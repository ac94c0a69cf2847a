"""Reads the Markdown that reports are written in: headings, paragraphs, lists, tables, code, quotes and pictures."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Union

MAX_BYTES = 5 * 1024 * 1024
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


class Problem(Exception):
    """What the person who called the program has to change, as a sentence."""


@dataclass(frozen=True)
class Span:
    """Words that look the same. A line break inside of a paragraph is a span of a newline."""

    text: str
    bold: bool = False
    italic: bool = False
    code: bool = False
    strike: bool = False
    link: str | None = None


Spans = list[Span]


@dataclass(frozen=True)
class Heading:
    level: int
    spans: Spans


@dataclass(frozen=True)
class Paragraph:
    spans: Spans
    quoted: bool = False


@dataclass(frozen=True)
class ListItem:
    """`group` is the same for all items of one list, `level` begins at 0, `number` is None for bullets."""

    group: int
    level: int
    number: int | None
    spans: Spans


@dataclass(frozen=True)
class Code:
    lines: list[str]


@dataclass(frozen=True)
class Table:
    """The first row is the header. `align` has `left`, `center` or `right` for each column."""

    align: list[str]
    rows: list[list[Spans]]


@dataclass(frozen=True)
class Picture:
    alt: str
    path: str


@dataclass(frozen=True)
class Rule:
    pass


@dataclass(frozen=True)
class PageBreak:
    pass


Block = Union[Heading, Paragraph, ListItem, Code, Table, Picture, Rule, PageBreak]


@dataclass(frozen=True)
class Document:
    """`meta` has the lines of the front matter: title, subtitle, author, date, lang."""

    meta: dict[str, str]
    blocks: list[Block]


def read_document(path: Path) -> Document:
    """The document in a file. Raises Problem when it is missing, too large, or not UTF-8."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Problem(f"{path} cannot be read: {error.strerror}.") from error
    if len(data) > MAX_BYTES:
        raise Problem(f"{path} has more than {MAX_BYTES // 1024 // 1024} MB: split the report.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Problem(f"{path} is not UTF-8: save it as UTF-8 text.") from error
    return parse_document(text)


def parse_document(text: str) -> Document:
    lines = CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n").expandtabs(4)).split("\n")
    meta, rest = _front_matter(lines)
    return Document(meta, _Blocks(rest).read())


def plain(spans: Spans) -> str:
    return "".join(span.text for span in spans)


def _front_matter(lines: list[str]) -> tuple[dict[str, str], list[str]]:
    if not lines or lines[0].strip() != "---" or "---" not in [line.strip() for line in lines[1:40]]:
        return {}, lines
    end = next(index for index, line in enumerate(lines) if index > 0 and line.strip() == "---")
    pairs = [line.partition(":") for line in lines[1:end]]
    meta = {key.strip().lower(): value.strip().strip("\"'") for key, colon, value in pairs if colon}
    return meta, lines[end + 1 :]


HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*$")
ITEM = re.compile(r"(\s*)([-*+]|\d{1,9}[.)])\s+(\S.*)$")
FENCE = re.compile(r"\s*(`{3,}|~{3,})")
RULE = re.compile(r"\s{0,3}([-*_])(\s*\1){2,}\s*$")
PICTURE = re.compile(r"\s*!\[([^\]]{0,500})\]\(\s*<?([^)>]{1,1000}?)>?\s*\)\s*$")
DELIMITER = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")
BREAK = re.compile(r"\s*(\\newpage|\\pagebreak|<!--\s*pagebreak\s*-->)\s*$")


class _Blocks:
    """One pass over the lines."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.at = 0
        self.blocks: list[Block] = []
        self.groups = 0
        self.indents: list[int] = []
        self.is_numbered = False

    def read(self) -> list[Block]:
        while self.at < len(self.lines):
            self._block(self.lines[self.at])
        return self.blocks

    def _block(self, line: str) -> None:
        if not line.strip():
            self.at += 1
        elif FENCE.match(line):
            self._code(line)
        elif BREAK.match(line):
            self._add(PageBreak())
        elif RULE.match(line):
            self._add(Rule())
        elif heading := HEADING.match(line):
            self._add(Heading(len(heading[1]), parse_spans(heading[2])))
        elif picture := PICTURE.match(line):
            self._add(Picture(picture[1], picture[2].strip()))
        elif self._begins_table():
            self._table()
        elif item := ITEM.match(line):
            self._item(item)
        elif line.lstrip().startswith(">"):
            self._quote()
        else:
            self._add(Paragraph(parse_spans(self._text_from(line.strip()))), moved=True)

    def _add(self, block: Block, moved: bool = False) -> None:
        self.indents = []
        self.blocks.append(block)
        if not moved:
            self.at += 1

    def _code(self, line: str) -> None:
        opening = FENCE.match(line)
        mark = opening[1] if opening else "```"
        begin = self.at + 1
        end = begin
        while end < len(self.lines) and not self.lines[end].strip().startswith(mark):
            end += 1
        self.at = end
        self.blocks.append(Code(self.lines[begin:end]))
        self.at += 1

    def _text_from(self, first: str) -> str:
        """The first line and those that belong to the same paragraph; a line that ends in two spaces breaks."""
        parts = [first]
        ends_in_break = self._breaks()
        self.at += 1
        while self.at < len(self.lines) and self._goes_on(self.lines[self.at]):
            parts.append("\n" if ends_in_break else " ")
            parts.append(self.lines[self.at].strip())
            ends_in_break = self._breaks()
            self.at += 1
        return "".join(part.rstrip("\\") if part != "\n" else part for part in parts)

    def _breaks(self) -> bool:
        line = self.lines[self.at]
        return line.endswith("  ") or line.endswith("\\")

    def _goes_on(self, line: str) -> bool:
        starts = (HEADING, FENCE, RULE, ITEM, PICTURE, BREAK)
        is_block = any(start.match(line) for start in starts) or line.lstrip().startswith(">")
        return bool(line.strip()) and not is_block and not self._begins_table()

    def _item(self, item: re.Match[str]) -> None:
        indent = len(item[1])
        number = None if item[2] in "-*+" else int(item[2][:-1])
        while self.indents and indent < self.indents[-1]:
            self.indents.pop()
        if not self.indents or (len(self.indents) == 1 and self.is_numbered != (number is not None)):
            self.groups += 1
            self.is_numbered = number is not None
        if not self.indents or indent > self.indents[-1] + 1:
            self.indents.append(indent)
        level = len(self.indents) - 1
        text = self._text_from(item[3].strip())
        self.blocks.append(ListItem(self.groups, level, number, parse_spans(text)))

    def _quote(self) -> None:
        quoted: list[str] = []
        while self.at < len(self.lines) and self.lines[self.at].lstrip().startswith(">"):
            quoted.append(self.lines[self.at].lstrip()[1:].removeprefix(" "))
            self.at += 1
        for text in re.split(r"\n\s*\n", "\n".join(quoted)):
            if text.strip():
                words = text.strip().replace("  \n", "\0").replace("\n", " ").replace("\0", "\n")
                self._add(Paragraph(parse_spans(words), quoted=True), moved=True)

    def _begins_table(self) -> bool:
        if "|" not in self.lines[self.at] or self.at + 1 >= len(self.lines):
            return False
        below = self.lines[self.at + 1]
        return "-" in below and "|" in below and bool(DELIMITER.match(below))

    def _table(self) -> None:
        align = [_alignment(cell) for cell in split_cells(self.lines[self.at + 1])]
        rows = [split_cells(self.lines[self.at])]
        self.at += 2
        while self.at < len(self.lines) and "|" in self.lines[self.at]:
            rows.append(split_cells(self.lines[self.at]))
            self.at += 1
        even = [(row + [""] * len(align))[: len(align)] for row in rows]
        self._add(Table(align, [[parse_spans(cell) for cell in row] for row in even]), moved=True)


def _alignment(cell: str) -> str:
    if cell.endswith(":"):
        return "center" if cell.startswith(":") else "right"
    return "left"


def split_cells(line: str) -> list[str]:
    """The cells of a row. A bar in code or behind a backslash is a character."""
    cells, cell, in_code, index = [], "", False, 0
    text = line.strip().removeprefix("|")
    while index < len(text):
        if text.startswith("\\|", index):
            cell, index = f"{cell}|", index + 2
            continue
        in_code = in_code != (text[index] == "`")
        if text[index] == "|" and not in_code:
            cells.append(cell.strip())
            cell = ""
        else:
            cell += text[index]
        index += 1
    return [*cells, cell.strip()] if cell.strip() else cells


LINK = re.compile(r"\[([^\]\n]{0,500})\]\(\s*<?([^)\s>]{1,2000})>?(?:\s+\"[^\"]{0,500}\")?\s*\)")
ADDRESS = re.compile(r"<?(https?://[^\s<>\"')\]]{1,2000})>?")
ESCAPE = re.compile(r"\\([\\`*_\[\]{}()#+\-.!|~<>\"'])")
PLAIN = Span("")
MARKS = {"**": "bold", "__": "bold", "~~": "strike", "*": "italic", "_": "italic"}


def parse_spans(text: str, base: Span = PLAIN) -> Spans:
    """The words of a paragraph with what they look like. A mark without its other half is a character."""
    spans: Spans = []
    style, index = base, 0

    def say(words: str, look: Span) -> None:
        if spans and replace(spans[-1], text="") == look:
            spans[-1] = replace(look, text=spans[-1].text + words)
        elif words:
            spans.append(replace(look, text=words))

    while index < len(text):
        taken, part = _inline_part(text, index, style)
        if taken:
            for span in part:
                say(span.text, replace(span, text=""))
            index += taken
            continue
        mark = next((it for it in MARKS if text.startswith(it, index)), None)
        if mark and _turns(text, index, mark, getattr(style, MARKS[mark])):
            style = replace(style, **{MARKS[mark]: not getattr(style, MARKS[mark])})
            index += len(mark)
            continue
        step = len(mark) if mark else 1
        say(text[index : index + step], style)
        index += step
    return spans


def _inline_part(text: str, index: int, style: Span) -> tuple[int, Spans]:
    """What begins here and is no mark: how many characters it takes, and its spans. 0: nothing does."""
    char = text[index]
    if char == "\\" and (escape := ESCAPE.match(text, index)):
        return 2, [replace(style, text=escape[1])]
    if char == "`":
        return _code_span(text, index, style)
    if char in "![":
        is_picture = char == "!"
        if link := LINK.match(text, index + is_picture):
            target = style.link if is_picture else link[2]
            return link.end() - index, parse_spans(link[1], replace(style, text="", link=target))
    begins_word = not text[max(0, index - 1) : index].isalnum()
    if char in "<h" and begins_word and (address := ADDRESS.match(text, index)):
        closed = address[0].startswith("<")
        shown = address[1] if closed else address[1].rstrip(".,;:!?")
        taken = len(address[0]) if closed else len(shown)
        return taken, [replace(style, text=shown, link=shown)]
    return 0, []


def _code_span(text: str, index: int, style: Span) -> tuple[int, Spans]:
    run = len(text) - index - len(text[index:].lstrip("`"))
    end = text.find("`" * run, index + run)
    if end < 0:
        return run, [replace(style, text="`" * run)]
    return end + run - index, [replace(style, text=text[index + run : end].strip(" "), code=True)]


def _turns(text: str, index: int, mark: str, is_on: bool) -> bool:
    """Whether a mark begins or ends something here."""
    before = text[index - 1] if index > 0 else " "
    after = text[index + len(mark)] if index + len(mark) < len(text) else " "
    inside_word = mark[0] == "_" and before.isalnum() and after.isalnum()
    if is_on:
        return not before.isspace() and not inside_word
    return not after.isspace() and not inside_word and text.find(mark, index + len(mark)) >= 0
