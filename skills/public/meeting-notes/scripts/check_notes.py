#!/usr/bin/env python3
"""Checks meeting notes against the transcript: actions have owner and date, times exist, people were there."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from transcript import TIME, Problem, Turn, read_transcript, seconds

TIME_MARK = re.compile(rf"[\[(]{TIME}[\])]")
SECTION = re.compile(r"#{1,6}\s+(.*\S)")
ACTIONS = re.compile(r"action|to.?do|next steps|aufgaben|tareas|tâches", re.IGNORECASE)
DIVIDER = re.compile(r"[|:\s-]+")


def action_rows(lines: list[str]) -> list[tuple[int, list[str]]]:
    """Rows of tables below a heading that speaks of actions: line and cells, without head and divider."""
    rows: list[tuple[int, list[str]]] = []
    is_below, seen_head = False, False
    for number, line in enumerate(lines, 1):
        if heading := SECTION.match(line):
            is_below, seen_head = ACTIONS.search(heading[1]) is not None, False
        elif is_below and line.lstrip().startswith("|") and not DIVIDER.fullmatch(line):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if seen_head:
                rows.append((number, cells))
            seen_head = True
    return rows


def problems_of(notes: str, turns: list[Turn]) -> list[str]:
    """Sentences about what to mend; empty when nothing is."""
    lines = notes.splitlines()
    found = []
    rows = action_rows(lines)
    if not rows:
        found.append("there is no table of actions below a heading `Actions`; if there are none, say so in a row")
    spoken = " ".join([turn.speaker for turn in turns] + [turn.text for turn in turns]).lower()
    for number, cells in rows:
        if len(cells) < 3 or not all(cells[:3]):
            found.append(f"line {number}: an action needs what, who and until when (`open` where nobody said it)")
        elif cells[1].lower() not in ("open", "all", "–", "-") and not named_in(cells[1], spoken):
            found.append(f"line {number}: {cells[1]} is named nowhere in the transcript")
    times = [time for turn in turns for time in (turn.start, turn.end) if time is not None]
    for number, line in enumerate(lines, 1):
        for mark in TIME_MARK.finditer(line):
            if times and not min(times) - 1 <= seconds(mark.groups()) <= max(times) + 1:
                found.append(f"line {number}: the time {mark[0]} is outside of the meeting")
    return found


def named_in(people: str, spoken: str) -> bool:
    """Whether each person has a name that was heard or that spoke."""
    names = re.split(r"\s*(?:,|/|&|\band\b)\s*", people.lower())
    return all(any(part in spoken for part in name.split()) for name in names if name)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notes", type=Path, help="the notes, Markdown")
    parser.add_argument("transcript", type=Path)
    options = parser.parse_args()
    try:
        problems = problems_of(options.notes.read_text("utf-8-sig"), read_transcript(options.transcript))
    except (Problem, OSError, UnicodeDecodeError) as problem:
        print(f"Error: {problem}", file=sys.stderr)
        return 2
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
