#!/usr/bin/env python3
"""Makes a Word document (.docx) of a report in Markdown. Needs nothing but Python 3.9 or newer."""

from __future__ import annotations

import argparse
import sys
import zipfile
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import docx_parts
from markdown_blocks import (
    Block,
    Code,
    Document,
    Heading,
    ListItem,
    PageBreak,
    Paragraph,
    Picture,
    Problem,
    Rule,
    Span,
    Spans,
    Table,
    plain,
    read_document,
)
from pictures import PictureFile, read_picture

EMU_PER_PIXEL = 9_525
EMU_PER_TWIP = 635


@dataclass
class Body:
    """What is written so far, with what the other parts of the package have to know of it."""

    folder: Path
    page: docx_parts.Page
    xml: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    pictures: list[PictureFile] = field(default_factory=list)
    lists: list[docx_parts.ItemList] = field(default_factory=list)
    groups: dict[tuple[int, int, bool], int] = field(default_factory=dict)
    headings: list[tuple[int, str]] = field(default_factory=list)


def run_xml(span: Span) -> str:
    properties = "".join(
        [
            '<w:rStyle w:val="CodeWords"/>' if span.code else "",
            '<w:rStyle w:val="Hyperlink"/>' if span.link and not span.code else "",
            "<w:b/>" if span.bold else "",
            "<w:i/>" if span.italic else "",
            "<w:strike/>" if span.strike else "",
        ]
    )
    look = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    lines = [f'<w:t xml:space="preserve">{escape(line)}</w:t>' for line in span.text.split("\n")]
    return f"<w:r>{look}{'<w:br/>'.join(lines)}</w:r>"


def runs_xml(spans: Spans, body: Body) -> str:
    parts = []
    for span in spans:
        if span.link is None:
            parts.append(run_xml(span))
            continue
        if span.link not in body.links:
            body.links.append(span.link)
        number = body.links.index(span.link) + 1
        parts.append(f'<w:hyperlink r:id="rIdLink{number}">{run_xml(span)}</w:hyperlink>')
    return "".join(parts)


def paragraph_xml(style: str, content: str, more: str = "") -> str:
    return f'<w:p><w:pPr><w:pStyle w:val="{style}"/>{more}</w:pPr>{content}</w:p>'


def heading_xml(block: Heading, body: Body) -> str:
    body.headings.append((block.level, plain(block.spans)))
    number = len(body.headings)
    mark = f'<w:bookmarkStart w:id="{number}" w:name="_Toc{number:08d}"/>'
    content = f'{mark}{runs_xml(block.spans, body)}<w:bookmarkEnd w:id="{number}"/>'
    return paragraph_xml(f"Heading{block.level}", content)


def item_xml(block: ListItem, body: Body) -> str:
    level = min(block.level, docx_parts.LEVELS - 1)
    key = (block.group, level, block.number is not None)
    # A list inside of an item ends with it: the next one counts from its own beginning.
    body.groups = {it: number for it, number in body.groups.items() if it[1] <= level}
    if key not in body.groups:
        body.lists.append(docx_parts.ItemList(level, block.number))
        body.groups[key] = len(body.lists)
    place = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{body.groups[key]}"/></w:numPr>'
    return paragraph_xml("ListParagraph", runs_xml(block.spans, body), place)


def table_xml(block: Table, body: Body) -> str:
    columns = len(block.align)
    longest = [max(len(plain(row[column])) for row in block.rows) for column in range(columns)]
    weights = [min(max(length, 6), 40) for length in longest]
    widths = [body.page.text_width * weight // sum(weights) for weight in weights]
    grid = "".join(f'<w:gridCol w:w="{width}"/>' for width in widths)
    rows = []
    for index, row in enumerate(block.rows):
        head = "<w:trPr><w:cantSplit/><w:tblHeader/></w:trPr>" if index == 0 else "<w:trPr><w:cantSplit/></w:trPr>"
        cells = [
            f'<w:tc><w:tcPr><w:tcW w:w="{width}" w:type="dxa"/></w:tcPr>'
            + paragraph_xml("TableText", runs_xml(cell, body), f'<w:jc w:val="{align}"/>')
            + "</w:tc>"
            for cell, width, align in zip(row, widths, block.align)
        ]
        rows.append(f"<w:tr>{head}{''.join(cells)}</w:tr>")
    look = (
        f'<w:tblPr><w:tblStyle w:val="ReportTable"/><w:tblW w:w="{sum(widths)}" w:type="dxa"/>'
        '<w:tblLayout w:type="fixed"/><w:tblLook w:val="0420" w:firstRow="1" w:lastRow="0" w:firstColumn="0" '
        'w:lastColumn="0" w:noHBand="0" w:noVBand="1"/></w:tblPr>'
    )
    return f"<w:tbl>{look}<w:tblGrid>{grid}</w:tblGrid>{''.join(rows)}</w:tbl>{paragraph_xml('TableText', '')}"


def picture_xml(block: Picture, body: Body) -> str:
    picture = read_picture(block.path, body.folder)
    if picture.kind == "svg":
        # Word would show it, and most other programs a grey area.
        raise Problem(
            f"The picture {block.path} is SVG, which only the PDF shows: give a PNG, or a table of its figures."
        )
    body.pictures.append(picture)
    number = len(body.pictures)
    width, height = picture.width * EMU_PER_PIXEL, picture.height * EMU_PER_PIXEL
    most_wide, most_high = body.page.text_width * EMU_PER_TWIP, body.page.text_height * EMU_PER_TWIP * 8 // 10
    scale = min(1.0, most_wide / width, most_high / height)
    size = (int(width * scale), int(height * scale))
    shown = paragraph_xml("Figure", docx_parts.drawing_xml(number, block.alt, size))
    return shown + (paragraph_xml("Caption", run_xml(Span(block.alt))) if block.alt else "")


def block_xml(block: Block, body: Body) -> str:
    if isinstance(block, Heading):
        return heading_xml(block, body)
    if isinstance(block, Paragraph):
        return paragraph_xml("Quote" if block.quoted else "BodyText", runs_xml(block.spans, body))
    if isinstance(block, ListItem):
        return item_xml(block, body)
    if isinstance(block, Table):
        return table_xml(block, body)
    if isinstance(block, Picture):
        return picture_xml(block, body)
    if isinstance(block, Code):
        return paragraph_xml("CodeBlock", run_xml(Span("\n".join(block.lines))))
    if isinstance(block, PageBreak):
        return '<w:p><w:r><w:br w:type="page"/></w:r></w:p>'
    assert isinstance(block, Rule)
    return paragraph_xml("Rule", "")


def make_docx(document: Document, folder: Path, page: docx_parts.Page, with_contents: bool) -> dict[str, bytes]:
    """The parts of the package by their names. `folder` is where the pictures are looked for."""
    body = Body(folder, page)
    meta = document.meta
    for block in document.blocks:
        body.xml.append(block_xml(block, body))
    front = []
    if title := meta.get("title"):
        front.append(paragraph_xml("Title", run_xml(Span(title))))
    if line := " · ".join(meta[key] for key in ("subtitle", "author", "date") if meta.get(key)):
        front.append(paragraph_xml("Subtitle", run_xml(Span(line))))
    if with_contents:
        front.append(docx_parts.contents_xml(body.headings))
    parts = {
        "[Content_Types].xml": docx_parts.content_types({picture.kind for picture in body.pictures}),
        "_rels/.rels": docx_parts.PACKAGE_LINKS,
        "docProps/core.xml": docx_parts.core_properties(meta, datetime.now(timezone.utc)),
        "word/document.xml": docx_parts.document_xml("".join([*front, *body.xml]), page),
        "word/_rels/document.xml.rels": docx_parts.document_links(
            [quoteattr(link) for link in body.links], [picture.kind for picture in body.pictures]
        ),
        "word/styles.xml": docx_parts.styles_xml(meta.get("lang", "en-US")),
        "word/numbering.xml": docx_parts.numbering_xml(body.lists),
        "word/footer1.xml": docx_parts.FOOTER,
        "word/settings.xml": docx_parts.SETTINGS,
    }
    written = {name: text.encode("utf-8") for name, text in parts.items()}
    for index, picture in enumerate(body.pictures, 1):
        written[f"word/media/picture{index}.{picture.kind}"] = picture.data
    return written


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", type=Path, help="the report, a Markdown file in UTF-8")
    parser.add_argument("output", type=Path, help="the document to write, ending in .docx")
    parser.add_argument("--page", choices=sorted(docx_parts.PAGES), default="a4", help="size of the paper")
    parser.add_argument("--contents", action="store_true", help="put a table of contents in front")
    options = parser.parse_args()
    try:
        if options.output.suffix.lower() != ".docx":
            raise Problem(f"{options.output} must end in .docx.")
        document = read_document(options.report)
        parts = make_docx(document, options.report.parent, docx_parts.PAGES[options.page], options.contents)
        options.output.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(options.output, "w", zipfile.ZIP_DEFLATED) as package:
            for name, data in parts.items():
                package.writestr(name, data)
    except (Problem, OSError) as problem:
        print(f"Error: {problem}", file=sys.stderr)
        return 1
    print(f"{options.output}: {len(document.blocks)} blocks, {options.output.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
