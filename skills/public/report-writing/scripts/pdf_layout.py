"""Lays a report out on the pages of a PDF: lines, lists, tables, code, pictures, page numbers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from markdown_blocks import (
    Block,
    Code,
    Document,
    Heading,
    ListItem,
    PageBreak,
    Paragraph,
    Picture,
    Rule,
    Span,
    Spans,
    Table,
    plain,
)
from pdf_file import PdfFile, PdfPage, shown_text
from pdf_fonts import font_of, text_width
from pictures import read_picture
from svg_drawing import Place, draw_svg

PAGES = {"a4": (595.28, 841.89), "letter": (612.0, 792.0)}
MARGIN = 64.0
BODY = 10.5
TABLE_TEXT = 9.2
PAD = 5.0
LEADING = 1.38
HEADING_SIZES = [17.0, 14.0, 12.0, 11.0, 10.5, 10.5]
INK, ACCENT, GREY, LINK, LINE = "0.1 0.12 0.15", "0.12 0.31 0.47", "0.36 0.4 0.46", "0.02 0.39 0.76", "0.72 0.77 0.82"
SHADE, HEAD_SHADE = "0.95 0.96 0.97", "0.89 0.92 0.95"


@dataclass(frozen=True)
class Word:
    text: str
    font: str
    span: Span


Line = list[Word]
Cells = list[list[Line]]


def words_of(spans: Spans, is_bold: bool = False) -> list[Word | None]:
    """The words with their spaces as words of their own. None: a new line begins."""
    words: list[Word | None] = []
    for span in spans:
        font = font_of(span.bold or is_bold, span.italic, span.code)
        for index, line in enumerate(span.text.split("\n")):
            if index > 0:
                words.append(None)
            for place, part in enumerate(line.split(" ")):
                if place > 0:
                    words.append(Word(" ", font, span))
                if part:
                    words.append(Word(part, font, span))
    return words


def width_of(line: Line, size: float) -> float:
    return sum(text_width(word.text, word.font, size) for word in line)


def lines_of(words: list[Word | None], size: float, width: float) -> list[Line]:
    """Breaks words into lines. A word that is wider than a line is cut."""
    lines: list[Line] = [[]]
    used = 0.0
    for word in words:
        if word is None:
            lines.append([])
            used = 0.0
            continue
        for piece in _pieces(word, size, width):
            wide = text_width(piece.text, piece.font, size)
            if used + wide > width and piece.text != " " and lines[-1]:
                lines.append([])
                used = 0.0
            if piece.text == " " and not lines[-1]:
                continue
            lines[-1].append(piece)
            used += wide
    return lines


def _pieces(word: Word, size: float, width: float) -> list[Word]:
    if text_width(word.text, word.font, size) <= width:
        return [word]
    pieces, text = [], ""
    for character in word.text:
        if text and text_width(text + character, word.font, size) > width:
            pieces.append(Word(text, word.font, word.span))
            text = ""
        text += character
    return [*pieces, Word(text, word.font, word.span)]


class Layout:
    """Where the next line goes. `y` counts from the bottom, in points, as PDF does."""

    def __init__(self, pdf: PdfFile, folder: Path) -> None:
        self.pdf = pdf
        self.folder = folder
        self.width = pdf.width - 2 * MARGIN
        self.y = 0.0
        self.new_page()

    @property
    def page(self) -> PdfPage:
        return self.pdf.pages[-1]

    def new_page(self) -> None:
        self.pdf.pages.append(PdfPage())
        self.y = self.pdf.height - MARGIN

    def need(self, height: float) -> None:
        """Begins a page when so much does not fit on this one; a page that is empty is never left so."""
        if self.y - height < MARGIN and self.y < self.pdf.height - MARGIN:
            self.new_page()

    def space(self, height: float) -> None:
        if self.y < self.pdf.height - MARGIN:
            self.y -= height

    def box(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        self.page.commands.append(f"{colour} rg {x:.2f} {y:.2f} {width:.2f} {height:.2f} re f")

    def line(self, line: Line, x: float, size: float, colour: str = INK) -> None:
        """Draws a line on the baseline `y`."""
        for word in line:
            wide = text_width(word.text, word.font, size)
            ink = LINK if word.span.link else colour
            # Spaces of code do not break; who copies the code wants plain ones.
            text = word.text.replace("\xa0", " ") if word.span.code else word.text
            self.page.commands.append(
                f"BT {ink} rg /{word.font} {size:g} Tf {x:.2f} {self.y:.2f} Td {shown_text(text)} Tj ET"
            )
            if word.span.strike:
                self.box(x, self.y + size * 0.26, wide, 0.6, ink)
            if word.span.link:
                self.box(x, self.y - 1.4, wide, 0.5, ink)
                self.page.links.append((x, self.y - 2, x + wide, self.y + size, word.span.link))
            x += wide

    def lines(self, lines: list[Line], x: float, size: float, colour: str = INK) -> None:
        for line in lines:
            self.need(size * LEADING)
            self.y -= size * LEADING
            self.line(line, x, size, colour)


def draw(block: Block, at: Layout) -> None:
    if isinstance(block, Heading):
        _heading(block, at)
    elif isinstance(block, Paragraph):
        _paragraph(block, at)
    elif isinstance(block, ListItem):
        _item(block, at)
    elif isinstance(block, Table):
        _table(block, at)
    elif isinstance(block, Code):
        _code(block, at)
    elif isinstance(block, Picture):
        _picture(block, at)
    elif isinstance(block, PageBreak):
        at.new_page()
    elif isinstance(block, Rule):
        at.need(20)
        at.y -= 12
        at.box(MARGIN, at.y, at.width, 0.7, LINE)
        at.y -= 6


def _heading(block: Heading, at: Layout) -> None:
    size = HEADING_SIZES[block.level - 1]
    lines = lines_of(words_of(block.spans, is_bold=True), size, at.width)
    # A heading stays with the two lines that follow it.
    at.need(size * LEADING * len(lines) + 3 * BODY * LEADING + size)
    at.space(size * 0.9)
    at.pdf.outline.append((block.level, plain(block.spans), len(at.pdf.pages) - 1, at.y))
    at.lines(lines, MARGIN, size, ACCENT)
    at.y -= size * 0.35


def _paragraph(block: Paragraph, at: Layout) -> None:
    if not block.quoted:
        at.lines(lines_of(words_of(block.spans), BODY, at.width), MARGIN, BODY)
        at.y -= BODY * 0.65
        return
    for line in lines_of(words_of(block.spans), BODY, at.width - 20):
        at.need(BODY * LEADING)
        at.y -= BODY * LEADING
        at.box(MARGIN + 4, at.y - 4, 2, BODY * LEADING, LINE)
        at.line(line, MARGIN + 18, BODY, GREY)
    at.y -= BODY * 0.65


def _item(block: ListItem, at: Layout) -> None:
    indent = MARGIN + 16 + 16 * block.level
    lines = lines_of(words_of(block.spans), BODY, MARGIN + at.width - indent)
    mark = "•" if block.number is None else f"{block.number}."
    at.need(BODY * LEADING)
    page, y = at.page, at.y - BODY * LEADING
    left = indent - 5 - text_width(mark, "F1", BODY)
    page.commands.append(f"BT {INK} rg /F1 {BODY:g} Tf {left:.2f} {y:.2f} Td {shown_text(mark)} Tj ET")
    at.lines(lines, indent, BODY)
    at.y -= BODY * 0.3


def _code(block: Code, at: Layout) -> None:
    size = 8.6
    step = size * 1.3
    at.space(3)
    for text in block.lines:
        for line in lines_of(words_of([Span(text.replace(" ", "\xa0"), code=True)]), size, at.width - 16):
            at.need(step)
            at.y -= step
            at.box(MARGIN, at.y - 3, at.width, step + 0.2, SHADE)
            at.line(line, MARGIN + 8, size)
    at.y -= BODY


def _table(block: Table, at: Layout) -> None:
    widths = _column_widths(block, at.width)
    at.space(4)
    head = [lines_of(words_of(cell, True), TABLE_TEXT, w - 2 * PAD) for cell, w in zip(block.rows[0], widths)]
    _row(at, block, (head, widths), HEAD_SHADE)
    for row in block.rows[1:]:
        cells = [lines_of(words_of(cell), TABLE_TEXT, width - 2 * PAD) for cell, width in zip(row, widths)]
        for part in _parts(cells, at):
            page = at.page
            at.need(_row_height(part))
            if at.page is not page:
                _row(at, block, (head, widths), HEAD_SHADE)
            _row(at, block, (part, widths), None)
    at.y -= BODY * 1.2


def _column_widths(block: Table, width: float) -> list[float]:
    """By the longest words first, the rest by how much there is to say."""
    wished, least = [], []
    for column in range(len(block.align)):
        texts = [plain(row[column]) for row in block.rows]
        wished.append(max(text_width(text, "F2", TABLE_TEXT) for text in texts) + 2 * PAD + 1)
        words = [word for text in texts for word in text.split()] or [""]
        least.append(min(max(text_width(word, "F2", TABLE_TEXT) for word in words), 160) + 2 * PAD + 1)
    if sum(wished) <= width:
        return wished
    spare = width - sum(least)
    if spare <= 0:
        return [width * it / sum(least) for it in least]
    more = [wish - it for wish, it in zip(wished, least)]
    return [it + spare * share / sum(more) for it, share in zip(least, more)]


def _row_height(cells: Cells) -> float:
    return max(len(lines) for lines in cells) * TABLE_TEXT * LEADING + 7


def _parts(cells: Cells, at: Layout) -> list[Cells]:
    """The row, in several where one page cannot hold it below the head of the table."""
    most = int((at.pdf.height - 2 * MARGIN) * 0.8 / (TABLE_TEXT * LEADING))
    longest = max(len(lines) for lines in cells)
    return [[lines[begin : begin + most] for lines in cells] for begin in range(0, longest, most)]


def _row(at: Layout, block: Table, row: tuple[Cells, list[float]], shade: str | None) -> None:
    cells, widths = row
    height = _row_height(cells)
    at.need(height)
    top = at.y
    if shade:
        at.box(MARGIN, top - height, sum(widths), height, shade)
    x = MARGIN
    for lines, width, align in zip(cells, widths, block.align):
        at.y = top - 2
        for line in lines:
            at.y -= TABLE_TEXT * LEADING
            gap = width - 2 * PAD - width_of(line, TABLE_TEXT)
            at.line(line, x + PAD + {"left": 0.0, "center": gap / 2, "right": gap}[align], TABLE_TEXT)
        x += width
    at.y = top - height
    at.box(MARGIN, at.y, sum(widths), 0.6, LINE)


def _picture(block: Picture, at: Layout) -> None:
    picture = read_picture(block.path, at.folder)
    most_high = (at.pdf.height - 2 * MARGIN) * 0.8
    scale = min(0.75, at.width / picture.width, most_high / picture.height)
    width, height = picture.width * scale, picture.height * scale
    at.need(height + 26)
    at.y -= height + 4
    x = MARGIN + (at.width - width) / 2
    if picture.kind == "svg":
        at.page.commands += draw_svg(picture.data, block.path, Place(x, at.y, height, scale))
    else:
        number = at.pdf.add_picture(picture)
        at.page.pictures.add(number)
        at.page.commands.append(f"q {width:.2f} 0 0 {height:.2f} {x:.2f} {at.y:.2f} cm /P{number} Do Q")
    for line in lines_of(words_of([Span(block.alt, italic=True)]), 9, at.width) if block.alt else []:
        at.y -= 9 * LEADING
        at.line(line, MARGIN + (at.width - width_of(line, 9)) / 2, 9, GREY)
    at.y -= BODY


def lay_out(document: Document, folder: Path, size: tuple[float, float]) -> PdfFile:
    """The pages of a report. `folder` is where its pictures are looked for. Raises Problem."""
    meta = document.meta
    pdf = PdfFile(*size, meta.get("title", ""), meta.get("author", ""), meta.get("lang", "en"))
    at = Layout(pdf, folder)
    if title := meta.get("title"):
        at.lines(lines_of(words_of([Span(title, bold=True)]), 24, at.width), MARGIN, 24, ACCENT)
        at.y -= 4
    if line := " · ".join(meta[key] for key in ("subtitle", "author", "date") if meta.get(key)):
        at.lines(lines_of(words_of([Span(line)]), 11, at.width), MARGIN, 11, GREY)
        at.y -= 18
    for index, block in enumerate(document.blocks):
        draw(block, at)
        is_last_item = isinstance(block, ListItem) and not isinstance(_after(document, index), ListItem)
        at.y -= BODY * 0.4 if is_last_item else 0
    for number, page in enumerate(pdf.pages, 1):
        text = f"{number} / {len(pdf.pages)}"
        x = (pdf.width - text_width(text, "F1", 8.5)) / 2
        page.commands.append(f"BT {GREY} rg /F1 8.5 Tf {x:.2f} 34 Td {shown_text(text)} Tj ET")
    return pdf


def _after(document: Document, index: int) -> Block | None:
    return document.blocks[index + 1] if index + 1 < len(document.blocks) else None
