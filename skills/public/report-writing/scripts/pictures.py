"""Reads PNG, JPEG and SVG files as far as documents need it: type, size, and the parts of a PNG."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

from markdown_blocks import Problem
from svg_drawing import svg_size

MAX_BYTES = 20 * 1024 * 1024
MAX_PIXELS = 25_000_000


@dataclass(frozen=True)
class PictureFile:
    kind: str
    width: int
    height: int
    data: bytes


def read_picture(path: str, folder: Path) -> PictureFile:
    """The picture that a report names, relative to the folder of the report. Raises Problem with what to change."""
    if "://" in path:
        raise Problem(f"The picture {path} is on the network: download it and name the file.")
    file = folder / path
    try:
        if file.stat().st_size > MAX_BYTES:
            raise Problem(f"The picture {path} has more than {MAX_BYTES // 1024 // 1024} MB: make it smaller.")
        data = file.read_bytes()
    except OSError as error:
        raise Problem(f"The picture {path} cannot be read: {error.strerror}.") from error
    if data.startswith(b"\x89PNG\r\n\x1a\n") and data[12:16] == b"IHDR":
        width, height = struct.unpack(">II", data[16:24])
        picture = PictureFile("png", width, height, data)
    elif data.startswith(b"\xff\xd8"):
        picture = PictureFile("jpeg", *_jpeg_size(data, path), data)
    elif path.lower().endswith(".svg"):
        picture = PictureFile("svg", *svg_size(data, path), data)
    else:
        raise Problem(f"The picture {path} is neither PNG, JPEG nor SVG: convert it first.")
    if not 0 < picture.width * picture.height <= MAX_PIXELS:
        raise Problem(f"The picture {path} has {picture.width} x {picture.height} pixels: make it smaller.")
    return picture


def _jpeg_size(data: bytes, path: str) -> tuple[int, int]:
    at = 2
    while at + 9 < len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + max(length, 2)
    raise Problem(f"The picture {path} is a broken JPEG: save it again.")


def png_chunks(data: bytes) -> list[tuple[bytes, bytes]]:
    """The chunks of a PNG in order: type and content."""
    chunks, at = [], 8
    while at + 8 <= len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        chunks.append((data[at + 4 : at + 8], data[at + 8 : at + 8 + length]))
        at += 12 + length
    return chunks


def jpeg_channels(data: bytes) -> int:
    """How many colours a pixel of a JPEG has: 1, 3 or 4."""
    at = 2
    while at + 9 < len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return data[at + 9]
        at += 2 + max(length, 2)
    return 3
