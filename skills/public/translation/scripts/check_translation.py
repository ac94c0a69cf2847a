#!/usr/bin/env python3
"""Checks a translation against its source and a glossary: terms, figures, links, placeholders, headings, paragraphs.

The glossary is a CSV with the columns source, target, and if wanted note. Several allowed targets are separated by `|`;
`=` as a target means that the word stays as it is.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

MAX_BYTES = 5 * 1024 * 1024
MAX_TERMS = 2_000


class Problem(Exception):
    """What the person who called the program has to change, as a sentence."""


@dataclass(frozen=True)
class Term:
    source: str
    targets: list[str]


@dataclass(frozen=True)
class Finding:
    """`place` counts paragraphs from 1; 0 is the whole text."""

    place: int
    message: str


def read_text(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise Problem(f"{path} has more than {MAX_BYTES // 1024 // 1024} MB: check it in parts.")
        return path.read_text("utf-8-sig")
    except OSError as error:
        raise Problem(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise Problem(f"{path} is no UTF-8 text: use the Markdown file beside an uploaded document.") from error


def read_glossary(path: Path) -> list[Term]:
    """The longest terms first, so that `interest rate` is looked for before `interest`."""
    rows = list(csv.DictReader(read_text(path).splitlines()))
    if not rows or not {"source", "target"} <= set(rows[0]):
        raise Problem(f"{path} needs a first line with `source,target` and a term on each line below it.")
    if len(rows) > MAX_TERMS:
        raise Problem(f"{path} has {len(rows)} terms, {MAX_TERMS} are the most.")
    terms = []
    for number, row in enumerate(rows, 2):
        source, target = (row["source"] or "").strip(), (row["target"] or "").strip()
        if not source or not target:
            raise Problem(f"{path}, line {number}: a term needs a source and a target.")
        targets = [source if it.strip() == "=" else it.strip() for it in target.split("|") if it.strip()]
        terms.append(Term(source, targets))
    doubled = [source for source, count in Counter(term.source.lower() for term in terms).items() if count > 1]
    if doubled:
        raise Problem(f"{path} has {doubled[0]!r} twice: put its targets on one line, with `|` between them.")
    return sorted(terms, key=lambda term: -len(term.source))


def paragraphs_of(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"\n\s*\n", text.replace("\r\n", "\n")) if part.strip()]


def occurrences(term: str, text: str) -> list[tuple[int, int]]:
    """Where a term stands as a word, in any case; a word may have an ending of up to three letters (plural, case)."""
    begin = r"\b" if term[:1].isalnum() else ""
    words = r"\s+".join(re.escape(word) for word in term.split())
    end = r"\w{0,3}\b" if term[-1:].isalpha() and len(term) > 3 else (r"\b" if term[-1:].isalnum() else "")
    # Scripts without spaces between words have no ends of words to look for.
    pattern = (
        words if re.search("[\u0e00-\u0eff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]", term) else begin + words + end
    )
    return [match.span() for match in re.finditer(pattern, text, re.IGNORECASE)]


def check_terms(place: int, source: str, target: str, terms: list[Term]) -> list[Finding]:
    """A term that the source has so often, and the target less often in any of its allowed ways."""
    found = []
    rest = source
    for term in terms:
        places = occurrences(term.source, rest)
        if not places:
            continue
        for begin, end in reversed(places):
            rest = rest[:begin] + " " * (end - begin) + rest[end:]
        spans = {span[0] for it in term.targets for span in occurrences(it, target)}
        if len(spans) < len(places):
            wanted = " or ".join(repr(it) for it in term.targets)
            found.append(Finding(place, f"{term.source!r} stands {len(places)} times, {wanted} {len(spans)} times"))
    return found


#: What has to stand in both texts, character by character.
KEPT = {
    "link": re.compile(r"https?://[^\s)>\]\"']+|[\w.+-]+@[\w-]+\.[\w.]+"),
    "placeholder": re.compile(r"\{\{?[\w.]+\}?\}|%\(\w+\)[sd]|%[sd]\b|\$\{\w+\}|</?[a-z][a-z0-9]*\b[^<>]{0,200}>"),
    "code": re.compile(r"`[^`\n]+`"),
}
NUMBER = re.compile(r"\d[\d.,:\u00a0\u202f'’]*\d|\d")


def figures_of(text: str) -> Counter[str]:
    """Digits only: separators differ from language to language."""
    for pattern in KEPT.values():
        text = pattern.sub(" ", text)
    without_numbering = re.sub(r"(?m)^\s*\d{1,3}[.)]\s", "", text)
    return Counter(re.sub(r"\D", "", number) for number in NUMBER.findall(without_numbering))


def check_kept(place: int, source: str, target: str) -> list[Finding]:
    found = []
    pairs = [(name, Counter(it.findall(source)), Counter(it.findall(target))) for name, it in KEPT.items()]
    for name, old, new in [*pairs, ("figure", figures_of(source), figures_of(target))]:
        found += [Finding(place, f"the {name} {it} is missing") for it in (old - new).elements()]
        found += [Finding(place, f"the {name} {it} is not in the source") for it in (new - old).elements()]
    return found


def check_shape(sources: list[str], targets: list[str]) -> list[Finding]:
    def levels(parts: list[str]) -> list[int]:
        return [len(match[0]) for part in parts if (match := re.match(r"#{1,6}(?=\s)", part))]

    found = []
    if len(sources) != len(targets):
        found.append(Finding(0, f"the source has {len(sources)} paragraphs, the translation {len(targets)}"))
    if levels(sources) != levels(targets):
        found.append(Finding(0, "headings differ in number or level"))
    return found


def check(source: str, target: str, terms: list[Term]) -> list[Finding]:
    """What somebody should look at: paragraph by paragraph where both texts have as many, else as a whole."""
    sources, targets = paragraphs_of(source), paragraphs_of(target)
    found = check_shape(sources, targets)
    if len(sources) != len(targets):
        sources, targets, first = [source], [target], 0
    else:
        first = 1
    for place, (old, new) in enumerate(zip(sources, targets), first):
        found += check_kept(place, old, new) + check_terms(place, old, new, terms)
        is_words = len(re.findall(r"[^\W\d_]{2,}", re.sub(r"`[^`]*`|https?://\S+", "", old))) >= 4
        if place > 0 and is_words and old == new:
            found.append(Finding(place, "the paragraph is not translated"))
        elif place > 0 and is_words and not 0.25 <= len(new) / len(old) <= 4:
            found.append(Finding(place, "its length differs much from the source: is something missing?"))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("translation", type=Path)
    parser.add_argument("--glossary", type=Path, help="a CSV with source,target")
    options = parser.parse_args()
    try:
        terms = read_glossary(options.glossary) if options.glossary else []
        findings = check(read_text(options.source), read_text(options.translation), terms)
    except (Problem, OSError) as problem:
        print(f"Error: {problem}", file=sys.stderr)
        return 2
    for finding in findings:
        print(f"{f'Paragraph {finding.place}' if finding.place else 'Text'}: {finding.message}")
    print(f"{len(findings)} findings, {len(terms)} terms checked")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
