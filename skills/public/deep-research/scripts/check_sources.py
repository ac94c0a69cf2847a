#!/usr/bin/env python3
"""Checks the sources of a report in Markdown: every mark has a source, every source is cited, none stands twice.

Marks are numbers in brackets, [1] or [2, 5]. Sources are a list below a heading `Sources`, one a line:
`[1] Title. Publisher, date. https://address (accessed 2026-01-31)`.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

MAX_BYTES = 5 * 1024 * 1024
HEADING = re.compile(r"(?im)^#{1,6}\s+(sources|references|quellen|fuentes|fonti)\s*$")
SOURCE = re.compile(r"^\s*(?:[-*]\s+)?\[(\d{1,4})\]:?\s+(\S.*)$")
# Not a link ([text](...)), and not the beginning of a source.
MARK = re.compile(r"\[(\d{1,4}(?:\s*[,;–-]\s*\d{1,4})*)\](?![(\[:])")
ADDRESS = re.compile(r"https?://[^\s<>\"]+")
TRACKING = re.compile(r"utm_\w+|fbclid|gclid|mc_[ce]id|ref|source")


class Problem(Exception):
    """What the person who called the program has to change, as a sentence."""


@dataclass(frozen=True)
class Report:
    """The text above the list of sources, its heading, the sources by their numbers, and what follows the list."""

    text: str
    heading: str
    sources: dict[int, str]
    rest: str


def read_report(path: Path) -> Report:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise Problem(f"{path} has more than 5 MB.")
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise Problem(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise Problem(f"{path} is not UTF-8: save it as UTF-8 text.") from error
    headings = list(HEADING.finditer(text))
    if not headings:
        raise Problem(f"{path} has no heading `Sources`: end the report with one, and a list of sources below it.")
    heading = headings[-1]
    sources: dict[int, str] = {}
    rest: list[str] = []
    for line in text[heading.end() :].splitlines():
        source = SOURCE.match(line)
        if source and not rest:
            if int(source[1]) in sources:
                raise Problem(f"The source [{source[1]}] is listed twice: give each its own number.")
            sources[int(source[1])] = source[2].strip()
        elif line.strip() or rest:
            rest.append(line)
    return Report(text[: heading.start()], heading[0].strip(), sources, "\n".join(rest))


def numbers_of(mark: str) -> list[int]:
    """`1, 3-5` is 1, 3, 4, 5."""
    numbers: list[int] = []
    for part in re.split(r"\s*[,;]\s*", mark):
        first, _, last = part.replace("–", "-").partition("-")
        end = int(last or first)
        numbers += range(int(first), min(end, int(first) + 50) + 1)
    return numbers


def without_code(text: str) -> str:
    return re.sub(r"(?s)```.*?```|`[^`\n]*`", " ", text)


def same_address(address: str) -> str:
    """What two spellings of an address have in common: no tracking, no fragment, no www, no slash at the end."""
    parts = urlsplit(address.rstrip(".,;)"))
    pairs = [(key, value) for key, value in parse_qsl(parts.query) if not TRACKING.fullmatch(key)]
    host = (parts.hostname or "").removeprefix("www.")
    return f"{host}{parts.path.rstrip('/')}?{urlencode(sorted(pairs))}"


def repeated(sources: dict[int, str]) -> dict[int, int]:
    """Sources that have the address of an earlier one, and which that is."""
    first: dict[str, int] = {}
    found: dict[int, int] = {}
    for number, words in sources.items():
        if address := ADDRESS.search(words):
            key = same_address(address[0])
            if key in first:
                found[number] = first[key]
            first.setdefault(key, number)
    return found


def cited_in_order(text: str) -> list[int]:
    return list(dict.fromkeys(n for mark in MARK.finditer(without_code(text)) for n in numbers_of(mark[1])))


def problems_of(report: Report) -> list[str]:
    """Sentences about what is wrong with marks and sources; empty when nothing is."""
    cited = cited_in_order(report.text)
    found = [f"[{number}] is cited and is no source in the list" for number in cited if number not in report.sources]
    found += [f"[{number}] is a source that nothing cites" for number in report.sources if number not in cited]
    found += [f"[{later}] has the same address as [{first}]" for later, first in repeated(report.sources).items()]
    for number, words in report.sources.items():
        if not ADDRESS.search(words):
            found.append(f"[{number}] has no address: add it, or say where the source can be found")
        elif not re.search(r"\d{4}", ADDRESS.sub("", words)):
            found.append(f"[{number}] has no date: add when it was published or read")
    return found


def doubtful_paragraphs(text: str) -> list[str]:
    """Paragraphs with figures or reported words and without a mark: the first words of each."""
    found = []
    for part in re.split(r"\n\s*\n", without_code(text)):
        line = " ".join(part.split())
        is_text = not re.match(r"(#|\||>|---)", line) and len(line) > 60
        claims = re.search(r"\d|\baccording to\b|\breports?\b|\bstud(y|ies)\b", line, re.IGNORECASE)
        if is_text and claims and not MARK.search(line):
            found.append(f"{line[:70]}…")
    return found


def mended(report: Report) -> str:
    """The report with repeated sources joined, uncited ones left out, and numbers in the order of their first mark."""
    same = repeated(report.sources)
    order = list(dict.fromkeys(same.get(it, it) for it in cited_in_order(report.text) if it in report.sources))
    numbers = {old: new for new, old in enumerate(order, 1)}

    def renumber(match: re.Match[str]) -> str:
        wanted = [numbers.get(same.get(it, it)) for it in numbers_of(match[1])]
        known = sorted({it for it in wanted if it is not None})
        return f"[{', '.join(map(str, known))}]" if None not in wanted else match[0]

    pieces = re.split(r"(?s)(```.*?```|`[^`\n]*`)", report.text)
    text = "".join(piece if index % 2 else MARK.sub(renumber, piece) for index, piece in enumerate(pieces))
    lines = "\n".join(f"[{new}] {report.sources[old]}\n" for old, new in numbers.items())
    return f"{text}{report.heading}\n\n{lines}{report.rest}".rstrip() + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", type=Path)
    parser.add_argument(
        "--fix", type=Path, metavar="OUTPUT", help="write the report with sources joined and renumbered"
    )
    options = parser.parse_args()
    try:
        report = read_report(options.report)
        missing = [it for it in cited_in_order(report.text) if it not in report.sources]
        if options.fix:
            if missing:
                raise Problem(f"[{missing[0]}] has no source: add it to the list, or take the mark out.")
            options.fix.write_text(mended(report), "utf-8")
            report = read_report(options.fix)
    except (Problem, OSError) as problem:
        print(f"Error: {problem}", file=sys.stderr)
        return 2
    problems, doubts = problems_of(report), doubtful_paragraphs(report.text)
    for line in [*problems, *[f"no mark, though it states something: {it}" for it in doubts]]:
        print(line)
    print(f"{len(report.sources)} sources, {len(problems)} problems, {len(doubts)} paragraphs to look at")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
