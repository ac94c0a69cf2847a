#!/usr/bin/env python3
"""Compares two versions of a document (Markdown or text) by paragraphs and words, as a report in HTML or Markdown."""

from __future__ import annotations

import argparse
import difflib
import html
import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

MAX_BYTES = 5 * 1024 * 1024
MAX_PARAGRAPHS = 5_000
#: Paragraphs that share so much of their words are versions of each other.
ALIKE = 0.5
WORD = re.compile(r"\s+|\w+(?:[.,:/'’-]\w+)*|[^\w\s]")
FIGURE = re.compile(r"[€$£]?\d[\d.,:/-]*\d%?|\d%?")


class Problem(Exception):
    """What the person who called the program has to change, as a sentence."""


@dataclass(frozen=True)
class Change:
    """`kind` is same, changed, added, removed or moved. Paragraphs count from 1; 0 where there is none."""

    kind: str
    before: str
    after: str
    place_before: int
    place_after: int


def paragraphs_of(path: Path) -> list[str]:
    """Paragraphs, headings, list items and table rows of a text, each with its white space made even."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Problem(f"{path} cannot be read: {error.strerror}.") from error
    if len(data) > MAX_BYTES:
        raise Problem(f"{path} has more than {MAX_BYTES // 1024 // 1024} MB: compare it in parts.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Problem(f"{path} is no UTF-8 text. Compare the Markdown file beside an uploaded document.") from error
    found: list[str] = []
    is_open = False
    for line in text.splitlines():
        starts = re.match(r"\s*(#{1,6}\s|[-*+]\s|\d{1,9}[.)]\s|\||>)", line) is not None
        words = " ".join(line.split())
        if words and is_open and not starts:
            found[-1] += f" {words}"
        elif words:
            found.append(words)
        is_open = bool(words) and re.match(r"\s*(#{1,6}\s|\|)", line) is None
    if len(found) > MAX_PARAGRAPHS:
        raise Problem(f"{path} has {len(found)} paragraphs, {MAX_PARAGRAPHS} are the most: compare it in parts.")
    return found


def words_of(text: str) -> list[str]:
    return WORD.findall(text)


def likeness(before: str, after: str) -> float:
    """0 to 1, by the words that both have."""
    one, other = (Counter(word.lower() for word in words_of(text) if not word.isspace()) for text in (before, after))
    shared = sum((one & other).values())
    return 2 * shared / max(1, sum(one.values()) + sum(other.values()))


def compare(before: list[str], after: list[str]) -> list[Change]:
    """What became of each paragraph, in the order of the new document; removed ones stand where they were."""
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    changes: list[Change] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            pairs = zip(range(i1, i2), range(j1, j2))
            changes += [Change("same", before[i], after[j], i + 1, j + 1) for i, j in pairs]
        else:
            changes += _replaced((before, i1, i2), (after, j1, j2))
    return _with_moves(changes)


def _replaced(old: tuple[list[str], int, int], new: tuple[list[str], int, int]) -> list[Change]:
    """Pairs what is alike, in order; what is left was removed or added."""
    before, i1, i2 = old
    after, j1, j2 = new
    changes: list[Change] = []
    i = i1
    for j in range(j1, j2):
        # A bounded look ahead: a rewritten chapter must not take forever.
        choices = [(likeness(before[it], after[j]), -it) for it in range(i, min(i2, i + 50))]
        best, place = max(choices, default=(0.0, 0))
        if best < ALIKE:
            changes.append(Change("added", "", after[j], 0, j + 1))
            continue
        changes += [Change("removed", before[it], "", it + 1, 0) for it in range(i, -place)]
        changes.append(Change("changed", before[-place], after[j], -place + 1, j + 1))
        i = -place + 1
    return changes + [Change("removed", before[it], "", it + 1, 0) for it in range(i, i2)]


def _with_moves(changes: list[Change]) -> list[Change]:
    """What was removed in one place and stands in another was moved, or changed when it reads a little differently."""
    removed = [change for change in changes if change.kind == "removed"]
    taken: set[int] = set()
    out: list[Change] = []
    for change in changes:
        if change.kind == "added":
            near = sorted(removed, key=lambda it: abs(it.place_before - change.place_after))[:100]
            free = [it for it in near if it.place_before not in taken]
            source = max(free, key=lambda it: likeness(it.before, change.after), default=None)
            if source and likeness(source.before, change.after) >= ALIKE:
                taken.add(source.place_before)
                kind = "moved" if source.before == change.after else "changed"
                change = Change(kind, source.before, change.after, source.place_before, change.place_after)
        out.append(change)
    return [change for change in out if change.kind != "removed" or change.place_before not in taken]


def word_changes(before: str, after: str) -> list[tuple[str, str]]:
    """Pieces of a changed paragraph: `same`, `removed` or `added`, and the words."""
    old, new = words_of(before), words_of(after)
    pieces: list[tuple[str, str]] = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            pieces.append(("same", "".join(old[i1:i2])))
        else:
            pieces += [("removed", "".join(old[i1:i2]))] if i2 > i1 else []
            pieces += [("added", "".join(new[j1:j2]))] if j2 > j1 else []
    return pieces


def changed_figures(changes: list[Change]) -> list[tuple[Change, list[str], list[str]]]:
    """Numbers, amounts and dates that only one version of a paragraph has: where a difference matters most."""
    found = []
    for change in changes:
        if change.kind not in ("same", "moved"):
            old, new = Counter(FIGURE.findall(change.before)), Counter(FIGURE.findall(change.after))
            if old != new:
                found.append((change, list((old - new).elements()), list((new - old).elements())))
    return found


def counted(changes: list[Change]) -> str:
    counts = Counter(change.kind for change in changes)
    return ", ".join(f"{counts[kind]} {kind}" for kind in ("changed", "added", "removed", "moved", "same"))


def place_of(change: Change) -> str:
    parts = [
        f"old {change.place_before}" if change.place_before else "",
        f"new {change.place_after}" if change.place_after else "",
    ]
    return ", ".join(filter(None, parts))


def to_markdown(names: tuple[str, str], changes: list[Change]) -> str:
    lines = [f"# {names[0]} and {names[1]}", "", f"Paragraphs: {counted(changes)}.", ""]
    figures = changed_figures(changes)
    if figures:
        lines += ["## Figures that differ", "", "| paragraph | old | new |", "| --- | --- | --- |"]
        lines += [f"| {place_of(it)} | {', '.join(old) or '–'} | {', '.join(new) or '–'} |" for it, old, new in figures]
        lines.append("")
    lines += ["## Changes", ""]
    for change in changes:
        if change.kind == "changed":
            marks = {"same": "{}", "removed": "~~{}~~", "added": "**{}**"}
            pieces = [
                marks[kind].format(words) if words.strip() else words
                for kind, words in word_changes(change.before, change.after)
            ]
            lines += [f"- *changed* ({place_of(change)}): {''.join(pieces)}"]
        elif change.kind != "same":
            lines += [f"- *{change.kind}* ({place_of(change)}): {change.after or change.before}"]
    return "\n".join([*lines, ""]) if any(it.kind != "same" for it in changes) else "\n".join([*lines, "None.", ""])


STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1d232b }
p { margin: 0; padding: .35rem .75rem; border-left: 4px solid transparent }
.changed { border-color: #e9a23b } .added { border-color: #2a9d8f; background: #eefaf7 }
.removed { border-color: #c8553d; background: #fdf1ee } .moved { border-color: #0072b2; background: #eef5fb }
ins { background: #c9f0e4; text-decoration: none } del { background: #fbd5cb }
small { color: #5b6675 }
table { text-align: left; border-collapse: collapse }
td, th { border: 1px solid #b8c4d2; padding: .25rem .6rem }
"""


def to_html(names: tuple[str, str], changes: list[Change]) -> str:
    title = html.escape(f"{names[0]} and {names[1]}")
    rows = [
        f"<tr><td>{place_of(it)}</td><td>{html.escape(', '.join(old)) or '–'}</td>"
        f"<td>{html.escape(', '.join(new)) or '–'}</td></tr>"
        for it, old, new in changed_figures(changes)
    ]
    head = "<h2>Figures that differ</h2><table><tr><th>paragraph</th><th>old</th><th>new</th></tr>"
    figures = f"{head}{''.join(rows)}</table>" if rows else ""
    body = []
    for change in changes:
        if change.kind == "changed":
            tags = {"same": "{}", "removed": "<del>{}</del>", "added": "<ins>{}</ins>"}
            pieces = word_changes(change.before, change.after)
            words = "".join(tags[kind].format(html.escape(piece)) for kind, piece in pieces)
        else:
            words = html.escape(change.after or change.before)
        note = "" if change.kind == "same" else f" <small>{change.kind}, {place_of(change)}</small>"
        body.append(f'<p class="{change.kind}">{words}{note}</p>')
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{STYLE}</style>'
        f"<h1>{title}</h1><p>Paragraphs: {counted(changes)}.</p>{figures}<h2>Text</h2>{''.join(body)}</html>\n"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("output", type=Path, help="the report to write, ending in .html or .md")
    options = parser.parse_args()
    names = (options.before.name, options.after.name)
    try:
        if options.output.suffix.lower() not in (".html", ".md"):
            raise Problem(f"{options.output} must end in .html or .md.")
        changes = compare(paragraphs_of(options.before), paragraphs_of(options.after))
        write = to_html if options.output.suffix.lower() == ".html" else to_markdown
        options.output.write_text(write(names, changes), "utf-8")
    except (Problem, OSError) as problem:
        print(f"Error: {problem}", file=sys.stderr)
        return 1
    print(f"{options.output}: {counted(changes)}; {len(changed_figures(changes))} paragraphs with other figures")
    return 0


if __name__ == "__main__":
    sys.exit(main())
