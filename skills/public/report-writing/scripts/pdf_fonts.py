"""How wide the characters of the PDF's own fonts are, and which characters they have."""

from __future__ import annotations

import re

#: In thousandths of the size, from code 32 of Windows-1252 on.
SANS = """
278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278
584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944
667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500
278 556 500 722 500 500 500 334 260 334 584 365 556 0 222 556 333 1000 556 556 333 1000 667 333 1000 0 611 0 0
222 222 333 333 350 556 1000 333 1000 500 333 944 0 500 667 278 333 556 556 556 556 260 556 333 737 370 556 584
333 737 552 400 549 333 333 333 576 537 278 333 333 365 556 834 834 834 611 667 667 667 667 667 667 1000 722 667
667 667 667 278 278 278 278 722 722 778 778 778 778 778 584 778 722 722 722 722 667 667 611 556 556 556 556 556
556 889 500 556 556 556 556 278 278 278 278 556 556 556 556 556 556 556 549 611 556 556 556 556 500 556 500
"""
SANS_BOLD = """
278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 333 333
584 584 584 611 975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 778 722 667 611 722 667 944
667 667 611 333 278 333 584 556 333 556 611 556 611 556 333 611 611 278 278 556 278 889 611 611 611 611 389 556
333 611 556 778 556 556 500 389 280 389 584 365 556 0 278 556 500 1000 556 556 333 1000 667 333 1000 0 611 0 0
278 278 500 500 350 556 1000 333 1000 556 333 944 0 500 667 278 333 556 556 556 556 280 556 333 737 370 556 584
333 737 552 400 549 333 333 333 576 556 278 333 333 365 556 834 834 834 611 722 722 722 722 722 722 1000 722 667
667 667 667 278 278 278 278 722 722 778 778 778 778 778 584 778 722 722 722 722 667 667 611 556 556 556 556 556
556 889 556 556 556 556 556 278 278 278 278 611 611 611 611 611 611 611 549 611 611 611 611 611 556 611 556
"""
WIDTHS = {
    "F1": [int(width) for width in SANS.split()],
    "F2": [int(width) for width in SANS_BOLD.split()],
}
MONO_WIDTH = 600

#: The names of the fonts by those that pages use. The widths of an oblique font are those of the upright one.
FONTS = {
    "F1": "Helvetica",
    "F2": "Helvetica-Bold",
    "F3": "Helvetica-Oblique",
    "F4": "Helvetica-BoldOblique",
    "F5": "Courier",
    "F6": "Courier-Bold",
}
#: Characters that stand for others, above all spaces and hyphens.
SAME = {"\u2010": "-", "\u2011": "-", "\u2012": "–", "\u2015": "—", "\u2212": "–", "\u202f": "\xa0", "\u2009": " "}
SAME_EXPRESSION = re.compile("|".join(SAME))


def font_of(bold: bool, italic: bool, code: bool) -> str:
    if code:
        return "F6" if bold else "F5"
    return {(False, False): "F1", (True, False): "F2", (False, True): "F3", (True, True): "F4"}[(bold, italic)]


def text_width(text: str, font: str, size: float) -> float:
    """In points."""
    if font in ("F5", "F6"):
        return len(text) * MONO_WIDTH * size / 1000
    widths = WIDTHS["F2" if font in ("F2", "F4") else "F1"]
    return sum(widths[code - 32] for code in encode(text) if code >= 32) * size / 1000


def encode(text: str) -> bytes:
    """The bytes of a text in Windows-1252; what it has no character for becomes a question mark."""
    return text.encode("cp1252", "replace")


def simplified(text: str) -> str:
    return SAME_EXPRESSION.sub(lambda match: SAME[match[0]], text)


def missing_characters(text: str) -> list[str]:
    """The characters that the fonts of a PDF do not have, each once, in their order."""
    characters = dict.fromkeys(text)
    return [
        character
        for character in characters
        if character not in "\ufeff" and encode(character) == b"?" != character.encode()
    ]
