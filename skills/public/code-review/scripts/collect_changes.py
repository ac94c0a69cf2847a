#!/usr/bin/env python3
"""Collects what a code review has to look at: changed files, their size, and lines with risky patterns.

Give two folders (before and after), one folder (all of it is new), or a unified diff with --diff (`-` reads it from
standard input, as in `git diff main | collect_changes.py --diff -`). Writes Markdown.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

MAX_FILE = 1024 * 1024
MAX_FILES = 5_000
MAX_SHOWN = 300
LARGE_CHANGE = 400
LEFT_OUT = {".git", "node_modules", "dist", "build", "__pycache__", ".venv", "venv", "target", ".next", "coverage"}

#: Name, what to ask, expression. A hit is a question to answer, not a fault.
RULES = [
    (
        "secret",
        "Is this a secret? It has to be revoked, not only removed.",
        r"AKIA[0-9A-Z]{16}|-----BEGIN [A-Z ]{0,20}PRIVATE KEY|gh[pousr]_\w{30,}|sk-[\w-]{20,}"
        r"|(?i:password|passwd|secret|api_?key|token)[\"']?\s*[:=]\s*[\"'][^\"'\s$]{8,}[\"']",
    ),
    ("conflict", "A conflict that nobody solved?", r"^(<{7}|>{7})( |$)|^={7}$"),
    ("code from text", "Can a user reach this text?", r"\b(eval|exec)\s*\(|new Function\s*\("),
    (
        "shell",
        "Can a user reach this command?",
        r"shell\s*=\s*True|os\.(system|popen)\s*\(|\bexecSync\s*\(|child_process\.exec\b",
    ),
    (
        "sql",
        "Are the values bound, not joined?",
        r"(?i)\b(select\b.{1,200}\bfrom|insert\s+into|delete\s+from|update\b.{1,100}\bset)\b.{0,300}"
        r"(\$\{|[\"'`]\s*(\+|%|\.\.|\|\|)|\{\w+\})",
    ),
    (
        "html from text",
        "Who escapes it?",
        r"\.(inner|outer)HTML\s*\+?=(?!=)|dangerouslySetInnerHTML|v-html|document\.write\s*\(|\|\s*safe\b|mark_safe",
    ),
    (
        "tls",
        "Why are certificates not checked?",
        r"verify\s*=\s*False|rejectUnauthorized\s*:\s*false|InsecureSkipVerify\s*:\s*true"
        r"|NODE_TLS_REJECT_UNAUTHORIZED|curl\s.*(-k\b|--insecure)",
    ),
    (
        "unpacking",
        "Is the source trusted?",
        r"pickle\.loads?\s*\(|yaml\.load\s*\((?!.*Safe)|ObjectInputStream|unserialize\s*\(|\.extractall\s*\(",
    ),
    (
        "weak hash",
        "For a password or a signature?",
        r"(?i)\b(md5|sha1)\s*\(|createHash\s*\(\s*[\"'](md5|sha1)",
    ),
    (
        "swallowed error",
        "Who learns of the failure?",
        r"catch\s*(\([^)]*\))?\s*\{\s*\}|except(\s+\w+)?\s*:\s*(pass)?\s*$"
        r"|\.catch\(\s*\(\s*\)\s*=>\s*(\{\s*\}|undefined|null)\s*\)",
    ),
    (
        "check switched off",
        "Why, and for how long?",
        r"eslint-disable|biome-ignore|@ts-(ignore|nocheck)|#\s*type:\s*ignore|#\s*noqa|//\s*nolint|@SuppressWarnings",
    ),
    (
        "test switched off",
        "Does the rest still run?",
        r"\b(it|test|describe)\.(only|skip|todo)\s*\(|\bx(it|describe)\s*\(|@(pytest\.mark\.skip|Disabled|Ignore)\b",
    ),
    (
        "left behind",
        "Forgotten?",
        r"\bdebugger\b|breakpoint\(\)|pdb\.set_trace|console\.(log|debug)\s*\(|binding\.pry|var_dump\s*\(",
    ),
    ("open work", "Is there an issue for it?", r"\b(TODO|FIXME|XXX|HACK)\b"),
    ("rights", "Who may write there?", r"chmod\s+(-R\s+)?0?777|0o?777\b"),
]
COMPILED = [(name, question, re.compile(expression)) for name, question, expression in RULES]
TESTS = re.compile(r"(^|/)(tests?|spec|__tests__)(/|$)|[._-](test|spec)\.|(^|/)test_")
CODE = re.compile(r"\.(c|cc|cpp|cs|go|java|js|jsx|kt|mjs|php|py|rb|rs|scala|sh|sql|swift|ts|tsx|vue)$")


class Problem(Exception):
    """What the person who called the program has to change, as a sentence."""


@dataclass
class FileChange:
    """`added` are the new lines with their numbers in the new file."""

    path: str
    status: str
    added: list[tuple[int, str]] = field(default_factory=list)
    removed: int = 0
    notes: list[str] = field(default_factory=list)


HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def changes_of_diff(text: str) -> list[FileChange]:
    """The files of a unified diff. Hunks are read by their lengths, so that lines which look like headers are none."""
    changes: list[FileChange] = []
    old_name, line, old_left, new_left = "", 0, 0, 0
    for row in text.splitlines():
        hunk = HUNK.match(row)
        if old_left > 0 or new_left > 0:
            mark = row[:1]
            if mark == "+":
                changes[-1].added.append((line, row[1:]))
            elif mark == "-":
                changes[-1].removed += 1
            line += mark in "+ "
            new_left -= mark in "+ "
            old_left -= mark in "- "
        elif row.startswith("--- "):
            old_name = row[4:].split("\t")[0]
        elif row.startswith("+++ "):
            changes.append(_named(old_name, row[4:].split("\t")[0]))
        elif hunk and changes:
            line, old_left, new_left = int(hunk[2]), int(hunk[1] or 1), int(hunk[3] or 1)
        elif row.startswith("Binary files "):
            changes.append(FileChange(row.split(" and ")[-1].removesuffix(" differ").removeprefix("b/"), "binary"))
    return changes


def _named(old: str, new: str) -> FileChange:
    if new == "/dev/null":
        return FileChange(old.removeprefix("a/"), "deleted")
    return FileChange(new.removeprefix("b/"), "added" if old == "/dev/null" else "modified")


def files_below(folder: Path) -> Iterator[str]:
    if not folder.is_dir():
        raise Problem(f"{folder} is no folder.")
    count = 0
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - LEFT_OUT)
        for name in sorted(names):
            path = Path(place) / name
            if path.is_symlink() or not path.is_file():
                continue
            count += 1
            if count > MAX_FILES:
                raise Problem(f"{folder} has more than {MAX_FILES} files: name a folder in it.")
            yield path.relative_to(folder).as_posix()


def lines_of(path: Path) -> list[str] | None:
    """None: it is large or no text."""
    if not path.exists() or path.stat().st_size > MAX_FILE:
        return [] if not path.exists() else None
    data = path.read_bytes()
    return None if b"\0" in data[:8_192] else data.decode("utf-8", "replace").splitlines()


def changes_of_folders(before: Path | None, after: Path) -> list[FileChange]:
    names = sorted({*files_below(after), *(files_below(before) if before else ())})
    changes = []
    for name in names:
        was_there = before is not None and (before / name).exists()
        is_there = (after / name).exists()
        old = lines_of(before / name) if before else []
        new = lines_of(after / name)
        if was_there and is_there and before and (before / name).read_bytes() == (after / name).read_bytes():
            continue
        change = FileChange(name, "modified" if was_there and is_there else ("added" if is_there else "deleted"))
        if old is None or new is None:
            change.notes.append("large or no text: look at it yourself")
        else:
            _fill(change, old, new)
        changes.append(change)
    return changes


def _fill(change: FileChange, old: list[str], new: list[str]) -> None:
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=True).get_opcodes():
        if tag != "equal":
            change.removed += i2 - i1
            change.added += [(number + 1, new[number]) for number in range(j1, j2)]


def findings_of(change: FileChange) -> list[tuple[int, str, str, str]]:
    """Line, rule, question, and the words of the line."""
    return [
        (number, name, question, text.strip()[:140])
        for number, text in change.added
        for name, question, expression in COMPILED
        if expression.search(text[:2_000])
    ]


def notes_of(changes: list[FileChange]) -> list[str]:
    notes = [f"`{change.path}`: {note}" for change in changes for note in change.notes]
    for change in changes:
        if len(change.added) > LARGE_CHANGE:
            notes.append(f"`{change.path}`: {len(change.added)} new lines; read it in parts")
        longest = max((len(text) for _, text in change.added), default=0)
        if longest > 400:
            notes.append(f"`{change.path}`: a line of {longest} characters; made by a program?")
    has_code = any(CODE.search(it.path) and it.added and not TESTS.search(it.path) for it in changes)
    if has_code and not any(TESTS.search(it.path) and it.added for it in changes):
        notes.append("Code changed and no test did.")
    return notes


def shown(path: str) -> str:
    return path.replace("|", "\\|")


def to_markdown(changes: list[FileChange]) -> str:
    added, removed = sum(len(it.added) for it in changes), sum(it.removed for it in changes)
    lines = ["# Changes", "", f"{len(changes)} files, {added} lines added, {removed} removed.", ""]
    lines += ["| file | status | + | − |", "| --- | --- | ---: | ---: |"]
    lines += [
        f"| {it.path.replace('|', chr(92) + '|')} | {it.status} | {len(it.added)} | {it.removed} |" for it in changes
    ]
    lines += [
        "",
        "## Notes",
        "",
        *[f"- {note}" for note in notes_of(changes) or ["None."]],
        "",
        "## Lines to look at",
        "",
    ]
    found = [(change.path, *finding) for change in changes for finding in findings_of(change)]
    for path, number, name, question, text in found[:MAX_SHOWN]:
        words = re.sub(r"([\"'])[^\"']{8,}\1", r"\1…\1", text) if name == "secret" else text
        lines.append(f"- `{path}:{number}` **{name}**: {question}  \n  `{words.replace('`', chr(39))}`")
    if len(found) > MAX_SHOWN:
        lines.append(f"- {len(found) - MAX_SHOWN} more: look at fewer files at a time")
    return "\n".join([*lines, *([] if found else ["None."]), ""])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, help="before and after, or one folder")
    parser.add_argument("--diff", help="a unified diff; - for standard input")
    parser.add_argument("--output", type=Path, help="a file for the Markdown; else it is printed")
    options = parser.parse_args()
    try:
        if options.diff is None and len(options.folders) in (1, 2):
            changes = changes_of_folders(options.folders[0] if len(options.folders) == 2 else None, options.folders[-1])
        elif options.diff is not None and not options.folders:
            data = sys.stdin.buffer.read() if options.diff == "-" else Path(options.diff).read_bytes()
            changes = changes_of_diff(data.decode("utf-8", "replace"))
        else:
            raise Problem("Give one folder, two folders, or --diff.")
        text = to_markdown(changes)
        if options.output:
            options.output.write_text(text, "utf-8")
    except (Problem, OSError) as problem:
        print(f"Error: {problem}", file=sys.stderr)
        return 1
    print(f"{options.output}: {len(changes)} files" if options.output else text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
