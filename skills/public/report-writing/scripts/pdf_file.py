"""Writes a PDF file: objects, pages, fonts, pictures, links, outline. Knows nothing of reports."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field

from markdown_blocks import Problem
from pdf_fonts import FONTS, encode
from pictures import PictureFile, jpeg_channels, png_chunks


@dataclass
class PdfPage:
    """Drawing commands, links as (left, bottom, right, top, address), and the pictures that are drawn on it."""

    commands: list[str] = field(default_factory=list)
    links: list[tuple[float, float, float, float, str]] = field(default_factory=list)
    pictures: set[int] = field(default_factory=set)


@dataclass
class PdfFile:
    width: float
    height: float
    title: str
    author: str
    language: str
    pages: list[PdfPage] = field(default_factory=list)
    #: Level, title, index of the page, top in points.
    outline: list[tuple[int, str, int, float]] = field(default_factory=list)
    objects: list[bytes] = field(default_factory=list)

    def add(self, content: str | bytes) -> int:
        """Adds an object and answers its number."""
        self.objects.append(content.encode("latin-1") if isinstance(content, str) else content)
        return len(self.objects)

    def add_stream(self, entries: str, data: bytes) -> int:
        head = f"<< {entries} /Length {len(data)} >>\nstream\n".encode("latin-1")
        return self.add(head + data + b"\nendstream")

    def add_picture(self, picture: PictureFile) -> int:
        """The number of the object that shows the picture. Raises Problem for kinds of PNG that it cannot show."""
        size = f"/Type /XObject /Subtype /Image /Width {picture.width} /Height {picture.height} /BitsPerComponent 8"
        if picture.kind == "jpeg":
            colours = {1: "/DeviceGray", 3: "/DeviceRGB", 4: "/DeviceCMYK"}[jpeg_channels(picture.data)]
            inverted = " /Decode [1 0 1 0 1 0 1 0]" if colours == "/DeviceCMYK" else ""
            return self.add_stream(f"{size} /ColorSpace {colours}{inverted} /Filter /DCTDecode", picture.data)
        return self._add_png(picture, size)

    def _add_png(self, picture: PictureFile, size: str) -> int:
        chunks = png_chunks(picture.data)
        depth, colour, _, _, interlaced = struct.unpack(">BBBBB", chunks[0][1][8:13])
        packed = b"".join(content for kind, content in chunks if kind == b"IDAT")
        if interlaced or depth != 8:
            raise Problem("A PNG is interlaced or does not have 8 bits a colour: save it as a plain PNG or a JPEG.")
        if colour in (4, 6):
            return self._add_transparent(picture, size, packed, 2 if colour == 4 else 4)
        space, count = {0: ("/DeviceGray", 1), 2: ("/DeviceRGB", 3), 3: ("", 1)}[colour]
        if colour == 3:
            palette = next(content for kind, content in chunks if kind == b"PLTE")
            space = f"[/Indexed /DeviceRGB {len(palette) // 3 - 1} <{palette.hex()}>]"
        rows = f"/DecodeParms << /Predictor 15 /Colors {count} /BitsPerComponent 8 /Columns {picture.width} >>"
        return self.add_stream(f"{size} /ColorSpace {space} /Filter /FlateDecode {rows}", packed)

    def _add_transparent(self, picture: PictureFile, size: str, packed: bytes, channels: int) -> int:
        """Colours and transparency apart, as a PDF wants them."""
        pixels = _unfiltered(zlib.decompress(packed), picture, channels)
        colours = bytearray(len(pixels) // channels * (channels - 1))
        for channel in range(channels - 1):
            colours[channel :: channels - 1] = pixels[channel::channels]
        mask = zlib.compress(bytes(pixels[channels - 1 :: channels]))
        number = self.add_stream(f"{size} /ColorSpace /DeviceGray /Filter /FlateDecode", mask)
        space = "/DeviceGray" if channels == 2 else "/DeviceRGB"
        entries = f"{size} /ColorSpace {space} /Filter /FlateDecode /SMask {number} 0 R"
        return self.add_stream(entries, zlib.compress(bytes(colours)))

    def to_bytes(self) -> bytes:
        fonts = " ".join(
            f"/{name} {self.add(f'<< /Type /Font /Subtype /Type1 /BaseFont /{font} /Encoding /WinAnsiEncoding >>')} 0 R"
            for name, font in FONTS.items()
        )
        tree = len(self.objects) + sum(2 + len(page.links) for page in self.pages) + 1
        numbers = [self._add_page(page, fonts, tree) for page in self.pages]
        kids = " ".join(f"{number} 0 R" for number in numbers)
        self.add(f"<< /Type /Pages /Kids [{kids}] /Count {len(numbers)} >>")
        outline = f" /Outlines {self._add_outline(numbers)} 0 R /PageMode /UseOutlines" if self.outline else ""
        shown = "/ViewerPreferences << /DisplayDocTitle true >>"
        root = self.add(
            f"<< /Type /Catalog /Pages {tree} 0 R /Lang {text_string(self.language)} {shown}{outline} >>",
        )
        info = self.add(f"<< /Title {text_string(self.title)} /Author {text_string(self.author)} >>")
        return self._file(root, info)

    def _add_page(self, page: PdfPage, fonts: str, tree: int) -> int:
        data = zlib.compress("\n".join(page.commands).encode("latin-1"))
        content = self.add_stream("/Filter /FlateDecode", data)
        links = [
            self.add(
                f"<< /Type /Annot /Subtype /Link /Border [0 0 0] /Rect [{left:.2f} {bottom:.2f} {right:.2f} {top:.2f}] "
                f"/A << /S /URI /URI {address_string(address)} >> >>"
            )
            for left, bottom, right, top, address in page.links
        ]
        pictures = " ".join(f"/P{number} {number} 0 R" for number in sorted(page.pictures))
        annotations = " ".join(f"{number} 0 R" for number in links)
        return self.add(
            f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 {self.width:g} {self.height:g}] /Contents {content} 0 R "
            f"/Resources << /Font << {fonts} >> /XObject << {pictures} >> >> /Annots [{annotations}] >>"
        )

    def _add_outline(self, pages: list[int]) -> int:
        """Entries lie flat below the root, in the order of the headings."""
        root = len(self.objects) + len(self.outline) + 1
        first = len(self.objects) + 1
        for index, (level, title, page, top) in enumerate(self.outline):
            before = f"/Prev {first + index - 1} 0 R " if index > 0 else ""
            after = f"/Next {first + index + 1} 0 R " if index + 1 < len(self.outline) else ""
            shown = "   " * (level - 1) + title
            place = f"/Dest [{pages[page]} 0 R /XYZ null {top:.2f} null]"
            self.add(f"<< /Title {text_string(shown)} /Parent {root} 0 R {before}{after}{place} >>")
        count = len(self.outline)
        return self.add(f"<< /Type /Outlines /First {first} 0 R /Last {first + count - 1} 0 R /Count {count} >>")

    def _file(self, root: int, info: int) -> bytes:
        out = bytearray(b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n")
        places = []
        for number, content in enumerate(self.objects, 1):
            places.append(len(out))
            out += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
        table = len(out)
        out += f"xref\n0 {len(places) + 1}\n0000000000 65535 f \n".encode()
        out += b"".join(f"{place:010d} 00000 n \n".encode() for place in places)
        trailer = f"<< /Size {len(places) + 1} /Root {root} 0 R /Info {info} 0 R >>"
        return bytes(out + f"trailer\n{trailer}\nstartxref\n{table}\n%%EOF\n".encode())


def text_string(text: str) -> str:
    """For titles and the like, which may have any character."""
    return f"<FEFF{text.encode('utf-16-be').hex()}>"


def address_string(address: str) -> str:
    # Bytes beyond ASCII become %XX, as in a browser.
    ascii_only = "".join(c if " " < c < "\x7f" else "".join(f"%{b:02X}" for b in c.encode()) for c in address)
    return f"({_escaped(ascii_only)})"


def shown_text(text: str) -> str:
    return f"({_escaped(encode(text).decode('latin-1'))})"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def _unfiltered(data: bytes, picture: PictureFile, channels: int) -> bytearray:
    """The pixels of a PNG, whose rows are told as differences."""
    width = picture.width * channels
    if len(data) < (width + 1) * picture.height:
        raise Problem("A PNG ends early: save it again.")
    pixels, above = bytearray(), bytes(width)
    for row in range(picture.height):
        begin = row * (width + 1)
        line = bytearray(data[begin + 1 : begin + 1 + width])
        _unfilter_row(data[begin], line, above, channels)
        pixels += line
        above = bytes(line)
    return pixels


def _unfilter_row(kind: int, line: bytearray, above: bytes, channels: int) -> None:
    for index in range(len(line) if kind else 0):
        left = line[index - channels] if index >= channels else 0
        up = above[index]
        if kind == 1:
            guess = left
        elif kind == 2:
            guess = up
        elif kind == 3:
            guess = (left + up) // 2
        else:
            guess = _paeth(left, up, above[index - channels] if index >= channels else 0)
        line[index] = (line[index] + guess) & 0xFF


def _paeth(left: int, up: int, corner: int) -> int:
    estimate = left + up - corner
    return min((abs(estimate - left), 0, left), (abs(estimate - up), 1, up), (abs(estimate - corner), 2, corner))[2]
