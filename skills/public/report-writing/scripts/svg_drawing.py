"""Draws simple SVG pictures, such as charts, on a page of a PDF: rectangles, straight lines, circles, text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree import ElementTree

from markdown_blocks import Problem
from pdf_fonts import missing_characters, simplified, text_width

SVG = "{http://www.w3.org/2000/svg}"
SILENT = {"title", "desc", "metadata"}
COLOURS = {"black": "#000000", "white": "#ffffff", "gray": "#808080", "grey": "#808080"}
COLOUR = re.compile(r"#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})")
STEP = re.compile(r"([A-Za-z])([^A-Za-z]*)")
NUMBER = re.compile(r"-?\d*\.?\d+(?:e-?\d+)?")
#: How far the handles of a curve are out when four of them make a circle.
ROUND = 0.5523


@dataclass(frozen=True)
class Place:
    """Where the picture goes: its lower left corner and height on the page, and points for each of its units."""

    x: float
    y: float
    height: float
    scale: float

    def point(self, x: float, y: float) -> str:
        return f"{self.x + x * self.scale:.2f} {self.y + self.height - y * self.scale:.2f}"


def parse_svg(data: bytes, path: str) -> ElementTree.Element:
    """The root of the picture. Raises Problem when it is none."""
    if b"<!DOCTYPE" in data[:2_000] or b"<!ENTITY" in data:
        raise Problem(f"The picture {path} has a document type: save it as plain SVG.")
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise Problem(f"The picture {path} is broken SVG ({error}): save it again.") from error
    if root.tag != f"{SVG}svg":
        raise Problem(f"The picture {path} is no SVG.")
    return root


def svg_size(data: bytes, path: str) -> tuple[int, int]:
    root = parse_svg(data, path)
    box = NUMBER.findall(root.get("viewBox", ""))
    numbers = box[2:4] if len(box) == 4 and box[0] == box[1] == "0" else _lengths(root)
    if len(numbers) != 2 or min(map(float, numbers)) < 1:
        raise Problem(f"The picture {path} has no size: give its <svg> a viewBox that begins with 0 0.")
    return round(float(numbers[0])), round(float(numbers[1]))


def _lengths(root: ElementTree.Element) -> list[str]:
    found = [NUMBER.match(root.get(name, "")) for name in ("width", "height")]
    return [match[0] for match in found if match] if not root.get("viewBox") else []


def draw_svg(data: bytes, path: str, place: Place) -> list[str]:
    """Drawing commands. Raises Problem for what it cannot draw, rather than leaving it out."""
    commands: list[str] = ["q"]
    for element in parse_svg(data, path):
        name = str(element.tag).removeprefix(SVG)
        if name in SILENT:
            continue
        if name not in SHAPES or len(element) > 0 or element.get("transform") or element.get("style"):
            raise Problem(f"The picture {path} has <{name}> in a way that the PDF cannot draw: give a PNG of it.")
        try:
            commands += SHAPES[name](element, place)
        except ValueError as error:
            raise Problem(f"The picture {path}: <{name}> cannot be drawn ({error}): give a PNG of it.") from error
    return [*commands, "Q"]


def _number(element: ElementTree.Element, name: str) -> float:
    return float(element.get(name, "0"))


def _colour(element: ElementTree.Element, name: str, default: str) -> str | None:
    """Three shares of red, green and blue. What shines through is mixed with the white of the paper."""
    value = element.get(name, default)
    if value == "none":
        return None
    match = COLOUR.fullmatch(COLOURS.get(value, value))
    if not match:
        raise ValueError(f"the colour {value[:30]}")
    digits = match[1] if len(match[1]) == 6 else "".join(2 * digit for digit in match[1])
    shares = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    cover = float(element.get(f"{name}-opacity", "1"))
    return " ".join(f"{1 - cover * (1 - share):.3f}" for share in shares)


def _painted(element: ElementTree.Element, shape: str, place: Place) -> list[str]:
    """The shape, filled and lined as the element says."""
    fill, line = _colour(element, "fill", "black"), _colour(element, "stroke", "none")
    width = float(element.get("stroke-width", "1")) * place.scale
    return [
        *([f"{fill} rg {shape} f"] if fill else []),
        *([f"{line} RG {width:.2f} w 1 j {shape} S"] if line else []),
    ]


def _rectangle(element: ElementTree.Element, place: Place) -> list[str]:
    x, y, width, height = (_number(element, name) for name in ("x", "y", "width", "height"))
    corner = place.point(x, y + height)
    return _painted(element, f"{corner} {width * place.scale:.2f} {height * place.scale:.2f} re", place)


def _lines(points: list[tuple[float, float]], place: Place) -> str:
    return " ".join(f"{place.point(x, y)} {'l' if index else 'm'}" for index, (x, y) in enumerate(points))


def _polyline(element: ElementTree.Element, place: Place) -> list[str]:
    numbers = [float(it) for it in NUMBER.findall(element.get("points", ""))]
    return _painted(element, _lines(list(zip(numbers[::2], numbers[1::2])), place), place)


def _line(element: ElementTree.Element, place: Place) -> list[str]:
    ends = [(_number(element, f"x{end}"), _number(element, f"y{end}")) for end in (1, 2)]
    return _painted(element, _lines(ends, place), place)


def _path(element: ElementTree.Element, place: Place) -> list[str]:
    x = y = 0.0
    parts: list[str] = []
    for letter, text in STEP.findall(element.get("d", "")):
        numbers = [float(it) for it in NUMBER.findall(text)]
        if letter == "Z" or letter == "z":
            parts.append("h")
        elif letter in "HV":
            for number in numbers:
                x, y = (number, y) if letter == "H" else (x, number)
                parts.append(f"{place.point(x, y)} l")
        elif letter in "ML" and len(numbers) % 2 == 0:
            for index, (x, y) in enumerate(zip(numbers[::2], numbers[1::2])):
                parts.append(f"{place.point(x, y)} {'m' if letter == 'M' and index == 0 else 'l'}")
        else:
            raise ValueError(f"the step {letter}")
    return _painted(element, " ".join(parts), place)


def _circle(element: ElementTree.Element, place: Place) -> list[str]:
    x, y, r = (_number(element, name) for name in ("cx", "cy", "r"))
    k = r * ROUND
    curves = [
        ((x + r, y + k), (x + k, y + r), (x, y + r)),
        ((x - k, y + r), (x - r, y + k), (x - r, y)),
        ((x - r, y - k), (x - k, y - r), (x, y - r)),
        ((x + k, y - r), (x + r, y - k), (x + r, y)),
    ]
    parts = [f"{' '.join(place.point(*point) for point in curve)} c" for curve in curves]
    return _painted(element, f"{place.point(x + r, y)} m {' '.join(parts)}", place)


def _text(element: ElementTree.Element, place: Place) -> list[str]:
    words = simplified(element.text or "")
    if missing := missing_characters(words):
        raise ValueError(f"the fonts of the PDF do not have {' '.join(missing[:20])}")
    font = "F2" if element.get("font-weight") == "bold" else "F1"
    size = float(element.get("font-size", "12")) * place.scale
    share = {"start": 0.0, "middle": 0.5, "end": 1.0}[element.get("text-anchor", "start")]
    x = _number(element, "x") - text_width(words, font, size) * share / place.scale
    shown = words.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)").encode("cp1252").decode("latin-1")
    ink = _colour(element, "fill", "black") or "0 0 0"
    return [f"BT {ink} rg /{font} {size:.2f} Tf {place.point(x, _number(element, 'y'))} Td ({shown}) Tj ET"]


SHAPES = {
    "circle": _circle,
    "line": _line,
    "path": _path,
    "polyline": _polyline,
    "rect": _rectangle,
    "text": _text,
}
