#!/usr/bin/env python3
"""Turns a transcript (.vtt, .srt, .txt, .md) into Markdown with speakers and times, and counts who spoke how much."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from transcript import Problem, Turn, read_transcript, shown_time


def to_markdown(turns: list[Turn], name: str) -> str:
    words: Counter[str] = Counter()
    for turn in turns:
        words[turn.speaker or "(unknown)"] += len(turn.text.split())
    times = [time for turn in turns for time in (turn.start, turn.end) if time is not None]
    length = f", {shown_time(max(times) - min(times))} long" if times else ", without times"
    lines = [f"# {name}", "", f"{len(turns)} turns, {sum(words.values())} words{length}.", ""]
    lines += ["| speaker | words | share |", "| --- | ---: | ---: |"]
    total = max(1, sum(words.values()))
    lines += [f"| {speaker} | {count} | {round(100 * count / total)} % |" for speaker, count in words.most_common()]
    lines += ["", "## Words", ""]
    for turn in turns:
        time = f"[{shown_time(turn.start)}] " if turn.start is not None else ""
        lines.append(f"{time}**{turn.speaker or '(unknown)'}**: {turn.text}\n")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("transcript", type=Path)
    parser.add_argument("output", type=Path, help="the file to write, ending in .md or .json")
    options = parser.parse_args()
    try:
        turns = read_transcript(options.transcript)
        if options.output.suffix.lower() == ".json":
            text = json.dumps([asdict(turn) for turn in turns], indent=1, ensure_ascii=False)
        else:
            text = to_markdown(turns, options.transcript.name)
        options.output.write_text(text, "utf-8")
    except (Problem, OSError) as problem:
        print(f"Error: {problem}", file=sys.stderr)
        return 1
    speakers = sorted({turn.speaker or "(unknown)" for turn in turns})
    print(f"{options.output}: {len(turns)} turns of {len(speakers)} speakers: {', '.join(speakers[:20])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
