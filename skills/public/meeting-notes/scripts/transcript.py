"""Reads transcripts of meetings: .vtt, .srt, and text with speakers and times as conference tools write it."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from pathlib import Path

MAX_BYTES = 20 * 1024 * 1024
TIME = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})(?:[.,](\d{1,3}))?"
CUE = re.compile(rf"\s*{TIME}\s*-->\s*{TIME}")
VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]{1,80})>")
TAG = re.compile(r"</?[a-z][^>]{0,80}>|<\d\d:[\d:.]+>")
NAME = r"[^\W\d_][\w .,'’()-]{0,59}?"
SPEAKER = re.compile(rf"({NAME}):\s+(\S.*)$")
#: `[00:01:02] Ana: words`, `00:01 Ana: words`, `Ana (00:01:02): words`
TIME_FIRST = re.compile(rf"\s*[\[(]?{TIME}[\])]?\s*[-–]?\s*(?:({NAME})\s*:\s*)?(.*)$")
NAME_FIRST = re.compile(rf"({NAME})\s*[\[(]{TIME}[\])]\s*:?\s*(.*)$")
#: A line with a name and a time alone; the words follow below.
HEAD_LINE = re.compile(rf"({NAME})\s{{1,8}}[\[(]?{TIME}[\])]?\s*$")


class Problem(Exception):
    """What the person who called the program has to change, as a sentence."""


@dataclass(frozen=True)
class Turn:
    """What one person says in one go. `start` and `end` are seconds; None where the transcript has no times."""

    speaker: str
    start: float | None
    end: float | None
    text: str


def read_transcript(path: Path) -> list[Turn]:
    """The turns in order. What one person says in a row is one turn. Raises Problem."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise Problem(f"{path} has more than {MAX_BYTES // 1024 // 1024} MB: cut it into parts.")
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise Problem(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise Problem(f"{path} is no UTF-8 text: use the Markdown file beside an uploaded document.") from error
    lines = text.replace("\r\n", "\n").split("\n")
    has_cues = any(CUE.match(line) for line in lines)
    turns = joined(_cues(lines) if has_cues else _lines(lines))
    if not turns:
        raise Problem(f"{path} has no words in it.")
    return turns


def seconds(groups: tuple[str | None, ...]) -> float:
    hours, minutes, whole, part = groups
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(whole or 0) + float(f"0.{part or 0}")


def shown_time(value: float | None) -> str:
    """`1:02:03`, or nothing where there is no time."""
    if value is None:
        return ""
    minutes, whole = divmod(int(value), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{whole:02d}"


def _cues(lines: list[str]) -> list[Turn]:
    """WebVTT and SubRip: a line with two times, the words below it, an empty line."""
    turns: list[Turn] = []
    times: tuple[float, float] | None = None
    speaker = ""
    for line in lines:
        cue = CUE.match(line)
        if cue:
            times = (seconds(cue.groups()[:4]), seconds(cue.groups()[4:]))
            speaker = ""
        elif not line.strip():
            times = None
        elif times:
            voice = VOICE.search(line)
            words = html.unescape(TAG.sub("", VOICE.sub("", line))).strip()
            named = SPEAKER.match(words)
            if voice:
                speaker = voice[1].strip()
            elif named and not speaker:
                speaker, words = named[1].strip(), named[2]
            turns.append(Turn(speaker, *times, words))
    return turns


def _lines(lines: list[str]) -> list[Turn]:
    """Text: whoever was named last speaks."""
    turns: list[Turn] = []
    speaker, start = "", None
    for line in filter(str.strip, lines):
        named = SPEAKER.match(line.strip())
        if head := HEAD_LINE.match(line.strip()):
            speaker, start = head[1].strip(), seconds(head.groups()[1:])
            continue
        if timed := NAME_FIRST.match(line.strip()):
            speaker, start, words = timed[1].strip(), seconds(timed.groups()[1:5]), timed[6]
        elif timed := TIME_FIRST.match(line):
            start, words = seconds(timed.groups()[:4]), timed[6]
            speaker = (timed[5] or speaker).strip()
        elif named:
            speaker, words = named[1].strip(), named[2]
        else:
            words = line.strip()
        if words:
            turns.append(Turn(speaker, start, None, words))
    return turns


def joined(turns: list[Turn]) -> list[Turn]:
    """Turns of the same person in a row become one; a pause of more than half a minute ends a turn."""
    out: list[Turn] = []
    for turn in turns:
        last = out[-1] if out else None
        paused = last is not None and turn.start is not None and turn.start - (last.end or last.start or 0) > 30
        if last and last.speaker == turn.speaker and not paused:
            # Captions that roll repeat the line before.
            words = last.text if last.text.endswith(turn.text) else f"{last.text} {turn.text}"
            out[-1] = Turn(last.speaker, last.start, turn.end or last.end, words)
        else:
            out.append(turn)
    return out
