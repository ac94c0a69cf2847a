#!/usr/bin/env python3
"""Makes a PowerPoint presentation (.pptx) of a deck in Markdown. Needs nothing but Python 3.9 or newer."""

from __future__ import annotations

import argparse
import math
import re
import sys
import zipfile
from datetime import datetime, timezone
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import pptx_parts as parts
from deck import Deck, Line, PictureFile, Problem, Slide, read_deck

SIZES = [24, 20, 18, 16, 14]
POINT = 12_700
MAX_ROWS, MAX_COLUMNS = 16, 8
ROW = 370_840
HALF = (parts.BODY_BOX[2] - 365_760) // 2
NUMBER = re.compile(r"[-+−]?[\d.,\s]+\s*[%€$£]?")
WORDS = re.compile(
    r"\*\*(?=\S)(.+?)(?<=\S)\*\*|\*(?=\S)(.+?)(?<=\S)\*|`([^`]+)`|\[([^\]]{1,300})\]\((https?://[^)\s]+)\)"
)


class SlideLinks:
    """What a slide points at, beside its layout."""

    def __init__(self, layout: str) -> None:
        self.links = [("slideLayout", f"../slideLayouts/slideLayout{parts.LAYOUTS[layout]}.xml")]

    def add(self, kind: str, target: str) -> str:
        if (kind, target) not in self.links:
            self.links.append((kind, target))
        return f"rId{self.links.index((kind, target)) + 1}"


def run_xml(text: str, size: int | None, more: str = "", inside: str = "") -> str:
    scale = f' sz="{size * 100}"' if size else ""
    return f"<a:r><a:rPr{scale}{more}>{inside}</a:rPr><a:t>{escape(text)}</a:t></a:r>" if text else ""


def runs_xml(text: str, size: int | None, links: SlideLinks, more: str = "") -> str:
    """Bold, italic, code and links of a line."""
    out, at = [], 0
    for match in WORDS.finditer(text):
        out.append(run_xml(text[at : match.start()], size, more))
        bold, italic, code, words, address = match.groups()
        if bold:
            out.append(run_xml(bold, size, ' b="1"'))
        elif italic:
            out.append(run_xml(italic, size, ' i="1"'))
        elif code:
            out.append(run_xml(code, size, more, '<a:latin typeface="Consolas"/>'))
        else:
            link = f'<a:hlinkClick r:id="{links.add("hyperlink", address)}"/>'
            out.append(run_xml(words, size, more, link))
        at = match.end()
    return "".join([*out, run_xml(text[at:], size, more)])


def paragraph_xml(line: Line, size: int, links: SlideLinks) -> str:
    if line.level is None:
        runs = runs_xml(line.text, size, links, ' i="1"' if line.is_quote else "")
        return f'<a:p><a:pPr marL="0" indent="0"><a:buNone/></a:pPr>{runs}</a:p>'
    return f'<a:p><a:pPr lvl="{line.level}"/>{runs_xml(line.text, max(size - 2 * line.level, 12), links)}</a:p>'


def fitting_size(slide: Slide, box: parts.Box) -> int:
    """The largest size in which the text fits, by an estimate of its width. Raises Problem when none does."""
    for size in SIZES:
        height = 0.0
        for line in slide.lines:
            level = line.level or 0
            own = max(size - 2 * level, 12)
            across = (box[2] / POINT - 27 * (level + 1)) / (own * 0.5)
            height += max(1, math.ceil(len(line.text) / across)) * own * 1.2 + 7
        if height <= box[3] / POINT:
            return size
    raise Problem(f"The slide {slide.title!r} has too much text: split it, or move words to its notes.")


def table_xml(slide: Slide, number: int, box: parts.Box, links: SlideLinks) -> str:
    columns = max(len(row) for row in slide.table)
    if len(slide.table) > MAX_ROWS or columns > MAX_COLUMNS:
        most = f"{MAX_ROWS} rows and {MAX_COLUMNS} columns are the most"
        raise Problem(f"The table of {slide.title!r} is too large: {most}.")
    rows = [row + [""] * (columns - len(row)) for row in slide.table]
    size, height = (16, ROW) if len(rows) <= 8 else (12, 290_000)
    numbers = [all(NUMBER.fullmatch(row[column]) for row in rows[1:]) for column in range(columns)]
    weights = [min(max(6, *(len(row[column]) for row in rows)), 40) for column in range(columns)]
    widths = [box[2] * weight // sum(weights) for weight in weights]
    grid = "".join(f'<a:gridCol w="{width}"/>' for width in widths)
    body = []
    for index, row in enumerate(rows):
        look = ' b="1"' if index == 0 else ""
        runs = [runs_xml(cell, size, links, look) for cell in row]
        cells = [cell_xml(index, words, is_right) for words, is_right in zip(runs, numbers)]
        body.append(f'<a:tr h="{height}">{"".join(cells)}</a:tr>')
    place = (box[0], box[1], box[2], height * len(rows))
    names = f'<p:cNvPr id="{number}" name="Table {number}"/><p:cNvGraphicFramePr/><p:nvPr/>'
    return (
        f"<p:graphicFrame><p:nvGraphicFramePr>{names}</p:nvGraphicFramePr>"
        f"{parts.frame(place).replace('a:xfrm', 'p:xfrm')}"
        f'<a:graphic><a:graphicData uri="{parts.SCHEMAS}/drawingml/2006/table"><a:tbl>'
        '<a:tblPr firstRow="1" bandRow="1"/>'
        f"<a:tblGrid>{grid}</a:tblGrid>{''.join(body)}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
    )


def cell_xml(row: int, runs: str, is_right: bool) -> str:
    """The first row is the head; the others are shaded in turns."""
    fill, ink = ("accent1", "bg1") if row == 0 else ("bg2" if row % 2 == 0 else "bg1", "tx1")
    colour = '<a:solidFill><a:schemeClr val="{}"/></a:solidFill>'
    words = runs.replace("></a:rPr>", f">{colour.format(ink)}</a:rPr>")
    look = '<a:pPr algn="r"/>' if is_right else ""
    return (
        f"<a:tc><a:txBody><a:bodyPr/><a:lstStyle/><a:p>{look}{words}</a:p></a:txBody>"
        f'<a:tcPr anchor="ctr">{colour.format(fill)}</a:tcPr></a:tc>'
    )


def picture_xml(picture: PictureFile, number: int, box: parts.Box, link: str) -> str:
    left, top, width, height = box
    scale = min(width / picture.width, height / picture.height)
    shown = (int(picture.width * scale), int(picture.height * scale))
    place = (left + (width - shown[0]) // 2, top + (height - shown[1]) // 2, *shown)
    return (
        f'<p:pic><p:nvPicPr><p:cNvPr id="{number}" name="Picture {number}" descr={quoteattr(picture.alt)}/>'
        '<p:cNvPicPr><a:picLocks noChangeAspect="1"/></p:cNvPicPr><p:nvPr/></p:nvPicPr>'
        f'<p:blipFill><a:blip r:embed="{link}"/><a:stretch><a:fillRect/></a:stretch></p:blipFill>'
        f'<p:spPr>{parts.frame(place)}<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr></p:pic>'
    )


def slide_xml(shapes: str) -> str:
    return (
        f"{parts.HEAD}<p:sld {parts.NAMES}><p:cSld>{parts.shape_tree(shapes)}</p:cSld>"
        "<p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sld>"
    )


def cover_xml(title: str, line: str, kinds: tuple[str, str]) -> str:
    first = parts.placeholder(2, kinds[0], None, f"<a:p>{run_xml(title, None)}</a:p>")
    second = parts.placeholder(3, kinds[1], None, f"<a:p>{run_xml(line, None)}</a:p>") if line else ""
    return slide_xml(first + second)


def content_xml(slide: Slide, links: SlideLinks, media: str | None) -> str:
    left, top, width, height = parts.BODY_BOX
    text_box, more_box = parts.BODY_BOX, parts.BODY_BOX
    if slide.table and slide.picture:
        raise Problem(f"The slide {slide.title!r} has a table and a picture: give each a slide.")
    if slide.lines and slide.picture:
        text_box, more_box = (left, top, HALF, height), (left + width - HALF, top, HALF, height)
    if slide.lines and slide.table:
        rows = ROW * len(slide.table)
        text_box = (left, top + rows + 182_880, width, height - rows - 182_880)
    shapes = parts.placeholder(2, 'type="title"', None, f"<a:p>{runs_xml(slide.title, None, links)}</a:p>")
    if slide.table:
        shapes += table_xml(slide, 4, more_box, links)
    if slide.lines:
        size = fitting_size(slide, text_box)
        text = "".join(paragraph_xml(line, size, links) for line in slide.lines)
        shapes += parts.placeholder(3, 'type="body" idx="1"', text_box, text)
    if slide.picture and media:
        shapes += picture_xml(slide.picture, 5, more_box, links.add("image", f"../media/{media}"))
    return slide_xml(shapes + parts.slide_number(6))


def notes_xml(slide: Slide) -> str:
    text = "".join(f"<a:p>{run_xml(line, None)}</a:p>" for line in slide.notes)
    image = parts.placeholder(2, 'type="sldImg"', None, "<a:p/>").replace(
        "<a:bodyPr><a:normAutofit/></a:bodyPr>", "<a:bodyPr/>"
    )
    shapes = image + parts.placeholder(3, 'type="body" idx="1"', None, text)
    return (
        f"{parts.HEAD}<p:notes {parts.NAMES}><p:cSld>{parts.shape_tree(shapes)}</p:cSld>"
        "<p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:notes>"
    )


class Package:
    """The files of a presentation by their names."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.count = 0
        self.noted: list[int] = []
        self.kinds: set[str] = set()

    def write(self, name: str, text: str) -> None:
        self.files[name] = text.encode("utf-8")

    def add(self, slide: Slide | None, xml: str, links: SlideLinks) -> None:
        self.count += 1
        if slide and slide.notes:
            self.noted.append(self.count)
            links.add("notesSlide", f"../notesSlides/notesSlide{self.count}.xml")
            self.write(f"ppt/notesSlides/notesSlide{self.count}.xml", notes_xml(slide))
            back = [("notesMaster", "../notesMasters/notesMaster1.xml"), ("slide", f"../slides/slide{self.count}.xml")]
            self.write(f"ppt/notesSlides/_rels/notesSlide{self.count}.xml.rels", parts.relationships(back))
        self.write(f"ppt/slides/slide{self.count}.xml", xml)
        self.write(f"ppt/slides/_rels/slide{self.count}.xml.rels", parts.relationships(links.links))

    def add_media(self, picture: PictureFile) -> str:
        name = f"picture{self.count + 1}.{picture.kind}"
        self.kinds.add(picture.kind)
        self.files[f"ppt/media/{name}"] = picture.data
        return name

    def close(self, meta: dict[str, str]) -> None:
        accent, is_dark = meta.get("accent", "1F4E79").lstrip("#").upper(), meta.get("theme", "light") == "dark"
        if not re.fullmatch(r"[0-9A-F]{6}", accent):
            raise Problem(f"accent: {accent} is no colour: write six hexadecimal digits, such as 1F4E79.")
        stamp = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        slides = [("slide", f"slides/slide{n}.xml") for n in range(1, self.count + 1)]
        notes = [("notesMaster", "notesMasters/notesMaster1.xml")] if self.noted else []
        links = [("slideMaster", "slideMasters/slideMaster1.xml"), *slides, *notes, ("theme", "theme/theme1.xml")]
        self.write("ppt/presentation.xml", parts.presentation(self.count, bool(self.noted)))
        self.write("ppt/_rels/presentation.xml.rels", parts.relationships(links))
        layouts = [("slideLayout", f"../slideLayouts/slideLayout{n}.xml") for n in parts.LAYOUTS.values()]
        self.write("ppt/slideMasters/slideMaster1.xml", parts.master())
        theme = ("theme", "../theme/theme1.xml")
        self.write("ppt/slideMasters/_rels/slideMaster1.xml.rels", parts.relationships([*layouts, theme]))
        back = parts.relationships([("slideMaster", "../slideMasters/slideMaster1.xml")])
        for name, number in parts.LAYOUTS.items():
            self.write(f"ppt/slideLayouts/slideLayout{number}.xml", parts.layout(name))
            self.write(f"ppt/slideLayouts/_rels/slideLayout{number}.xml.rels", back)
        self.write("ppt/theme/theme1.xml", parts.theme(accent, is_dark))
        if self.noted:
            self.write("ppt/notesMasters/notesMaster1.xml", parts.notes_master())
            own = parts.relationships([("theme", "../theme/theme2.xml")])
            self.write("ppt/notesMasters/_rels/notesMaster1.xml.rels", own)
            self.write("ppt/theme/theme2.xml", parts.theme(accent, is_dark=False))
        self.write("docProps/core.xml", parts.core_properties(meta.get("title", ""), meta.get("author", ""), stamp))
        self.write("_rels/.rels", parts.package_links())
        self.write("[Content_Types].xml", parts.content_types(self.count, self.noted, self.kinds))


def make_pptx(deck: Deck) -> Package:
    """The whole presentation: a cover when the deck has a title, then its slides. Raises Problem."""
    package = Package()
    if title := deck.meta.get("title"):
        line = " · ".join(deck.meta[key] for key in ("subtitle", "author", "date") if deck.meta.get(key))
        package.add(None, cover_xml(title, line, ('type="ctrTitle"', 'type="subTitle" idx="1"')), SlideLinks("cover"))
    for slide in deck.slides:
        if slide.is_section:
            line = " ".join(it.text for it in slide.lines)
            xml = cover_xml(slide.title, line, ('type="title"', 'type="body" idx="1"'))
            package.add(slide, xml, SlideLinks("section"))
            continue
        links = SlideLinks("content")
        media = package.add_media(slide.picture) if slide.picture else None
        package.add(slide, content_xml(slide, links, media), links)
    package.close(deck.meta)
    return package


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("deck", type=Path, help="the deck, a Markdown file in UTF-8")
    parser.add_argument("output", type=Path, help="the presentation to write, ending in .pptx")
    options = parser.parse_args()
    try:
        if options.output.suffix.lower() != ".pptx":
            raise Problem(f"{options.output} must end in .pptx.")
        package = make_pptx(read_deck(options.deck))
        options.output.parent.mkdir(parents=True, exist_ok=True)
        names = sorted(package.files, key=lambda name: (name != "[Content_Types].xml", name))
        with zipfile.ZipFile(options.output, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in names:
                archive.writestr(name, package.files[name])
    except (Problem, OSError) as problem:
        print(f"Error: {problem}", file=sys.stderr)
        return 1
    print(f"{options.output}: {package.count} slides, {len(package.noted)} with notes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
