"""Reads a deck in Markdown: a front matter, `#` for a section, `##` for a slide, and what is on it."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field
from pathlib import Path

MAX_BYTES = 1024 * 1024
MAX_SLIDES = 200
MAX_PICTURE_BYTES = 20 * 1024 * 1024
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


class Problem(Exception):
    """What the person who called the program has to change, as a sentence."""


@dataclass(frozen=True)
class Line:
    """A paragraph of a slide. `level` is None for plain text, else how deep the bullet lies, from 0."""

    text: str
    level: int | None
    is_quote: bool = False


@dataclass(frozen=True)
class PictureFile:
    kind: str
    width: int
    height: int
    data: bytes
    alt: str


@dataclass
class Slide:
    title: str
    is_section: bool = False
    lines: list[Line] = field(default_factory=list)
    table: list[list[str]] = field(default_factory=list)
    picture: PictureFile | None = None
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Deck:
    meta: dict[str, str]
    slides: list[Slide]


HEADING = re.compile(r"(#{1,2})\s+(\S.*?)\s*#*\s*$")
BULLET = re.compile(r"(\s*)(?:[-*+]|\d{1,3}[.)])\s+(\S.*)$")
PICTURE = re.compile(r"\s*!\[([^\]]{0,500})\]\(\s*<?([^)>]{1,1000}?)>?\s*\)\s*$")
DELIMITER = re.compile(r"\s*\|?(\s*:?-+:?\s*\|?)+\s*$")


def read_deck(path: Path) -> Deck:
    """The deck in a file. Raises Problem with the line that has to change."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Problem(f"{path} cannot be read: {error.strerror}.") from error
    if len(data) > MAX_BYTES:
        raise Problem(f"{path} has more than 1 MB: that is no deck of slides.")
    try:
        text = CONTROL.sub("", data.decode("utf-8-sig").replace("\r\n", "\n").expandtabs(4))
    except UnicodeDecodeError as error:
        raise Problem(f"{path} is not UTF-8: save it as UTF-8 text.") from error
    lines = text.split("\n")
    meta, first = _front_matter(lines)
    slides = _slides(lines, first, path.parent)
    if not slides:
        raise Problem(f"{path} has no slide: begin each with `## Title`.")
    if len(slides) > MAX_SLIDES:
        raise Problem(f"{path} has {len(slides)} slides, {MAX_SLIDES} are the most.")
    return Deck(meta, slides)


def _front_matter(lines: list[str]) -> tuple[dict[str, str], int]:
    if not lines or lines[0].strip() != "---":
        return {}, 0
    for end, line in enumerate(lines[1:40], 1):
        if line.strip() == "---":
            pairs = [it.partition(":") for it in lines[1:end]]
            return {key.strip().lower(): value.strip().strip("\"'") for key, _, value in pairs}, end + 1
    raise Problem("The front matter has no end: close it with `---`.")


def _slides(lines: list[str], first: int, folder: Path) -> list[Slide]:
    slides: list[Slide] = []
    in_notes = False
    for number, line in enumerate(lines[first:], first + 1):
        heading = HEADING.match(line)
        if heading:
            slides.append(Slide(heading[2], is_section=len(heading[1]) == 1))
            in_notes = False
        elif not line.strip() or line.strip() == "---":
            continue
        elif not slides:
            raise Problem(f"Line {number} is before the first slide: begin it with `## Title`.")
        elif in_notes:
            slides[-1].notes.append(line.strip())
        elif line.strip().lower().startswith("notes:"):
            in_notes = True
            slides[-1].notes.extend(filter(None, [line.strip()[6:].strip()]))
        else:
            _content(slides[-1], line, number, folder)
    return slides


def _content(slide: Slide, line: str, number: int, folder: Path) -> None:
    if picture := PICTURE.match(line):
        if slide.picture is not None:
            raise Problem(f"Line {number}: {slide.title!r} has two pictures. Give each a slide.")
        slide.picture = read_picture(picture[2].strip(), picture[1], folder)
    elif line.lstrip().startswith("|"):
        if not DELIMITER.match(line):
            slide.table.append([cell.strip().replace("\0", "|") for cell in _cells(line)])
    elif line.lstrip().startswith(">"):
        slide.lines.append(Line(line.lstrip()[1:].strip(), None, is_quote=True))
    elif bullet := BULLET.match(line):
        slide.lines.append(Line(bullet[2].strip(), min(len(bullet[1]) // 2, 3)))
    elif slide.lines and slide.lines[-1].level is not None and line.startswith(" "):
        slide.lines[-1] = Line(f"{slide.lines[-1].text} {line.strip()}", slide.lines[-1].level)
    else:
        slide.lines.append(Line(line.strip(), None))


def _cells(line: str) -> list[str]:
    return line.strip().replace("\\|", "\0").strip("|").split("|")


def read_picture(path: str, alt: str, folder: Path) -> PictureFile:
    """A PNG or JPEG beside the deck. Raises Problem."""
    if "://" in path:
        raise Problem(f"The picture {path} is on the network: download it and name the file.")
    file = folder / path
    try:
        if file.stat().st_size > MAX_PICTURE_BYTES:
            raise Problem(f"The picture {path} has more than 20 MB: make it smaller.")
        data = file.read_bytes()
    except OSError as error:
        raise Problem(f"The picture {path} cannot be read: {error.strerror}.") from error
    if data.startswith(b"\x89PNG\r\n\x1a\n") and data[12:16] == b"IHDR":
        width, height = struct.unpack(">II", data[16:24])
        kind = "png"
    elif data.startswith(b"\xff\xd8"):
        width, height = _jpeg_size(data)
        kind = "jpeg"
    else:
        raise Problem(f"The picture {path} is neither PNG nor JPEG: convert it first.")
    if width * height == 0:
        raise Problem(f"The picture {path} is broken: save it again.")
    return PictureFile(kind, width, height, data, alt)


def _jpeg_size(data: bytes) -> tuple[int, int]:
    at = 2
    while at + 9 < len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + max(length, 2)
    return 0, 0
