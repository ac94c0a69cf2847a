#!/usr/bin/env python3
"""Describes a table (.csv, .tsv, .xlsx): types, missing values, spread, outliers, doubtful values. Writes Markdown."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from tables import (
    Problem,
    Table,
    date_reader,
    is_missing,
    kind_of,
    markdown_table,
    number_reader,
    read_table,
    shown_number,
)

FIRST_ROW = 2


def profile_column(name: str, texts: list[str]) -> dict[str, Any]:
    """What is known of a column. `doubts` are sentences; rows are counted as in a spreadsheet."""
    present = [(row, text) for row, text in enumerate(texts, FIRST_ROW) if not is_missing(text)]
    values = [text for _, text in present]
    kind = kind_of(texts)
    counts = Counter(values)
    found: dict[str, Any] = {
        "column": name,
        "type": kind,
        "missing": len(texts) - len(values),
        "distinct": len(counts),
        "most_frequent": counts.most_common(5),
    }
    doubts: list[str] = []
    if kind == "number":
        found.update(_numbers(present, doubts))
    elif kind == "date":
        found.update(_dates(present, doubts))
    elif kind == "text":
        _spellings(values, doubts)
    if values and len(counts) == 1 and len(values) > 1:
        doubts.append("has one value only")
    found["doubts"] = doubts
    return found


def _numbers(present: list[tuple[int, str]], doubts: list[str]) -> dict[str, Any]:
    read = number_reader([text for _, text in present])
    parsed = [(row, text, read(text)) for row, text in present]
    numbers = [(row, value) for row, _, value in parsed if value is not None]
    _name_strangers([(row, text) for row, text, value in parsed if value is None], "number", doubts)
    values = sorted(value for _, value in numbers)
    found: dict[str, Any] = {
        "min": values[0],
        "max": values[-1],
        "sum": sum(values),
        "mean": statistics.fmean(values),
        "median": statistics.median(values),
    }
    if len(values) >= 4:
        low, _, high = statistics.quantiles(values, n=4, method="inclusive")
        found.update({"quartile_1": low, "quartile_3": high, "deviation": statistics.stdev(values)})
        reach = 1.5 * (high - low)
        outliers = [(row, value) for row, value in numbers if not low - reach <= value <= high + reach]
        found["outliers"] = len(outliers)
        if outliers and reach > 0:
            furthest = sorted(outliers, key=lambda it: -abs(it[1] - statistics.median(values)))[:5]
            shown = ", ".join(f"{shown_number(value)} (row {row})" for row, value in furthest)
            doubts.append(f"{len(outliers)} outliers beyond 1.5 times the interquartile range: {shown}")
    return found


def _dates(present: list[tuple[int, str]], doubts: list[str]) -> dict[str, Any]:
    read = date_reader([text for _, text in present])
    parsed = [(row, text, read(text)) for row, text in present]
    _name_strangers([(row, text) for row, text, value in parsed if value is None], "date", doubts)
    values = [value for _, _, value in parsed if value is not None]
    slashed = [text for _, text in present if "/" in text and not text.startswith(("19", "20"))]
    if slashed and all(int(part) <= 12 for text in slashed for part in text.split("/")[:2] if part.isdigit()):
        doubts.append("day and month cannot be told apart; they were read as day/month/year")
    return {"min": min(values).isoformat(" "), "max": max(values).isoformat(" ")}


def _name_strangers(strangers: list[tuple[int, str]], kind: str, doubts: list[str]) -> None:
    if strangers:
        shown = ", ".join(f"{text[:40]!r} (row {row})" for row, text in strangers[:5])
        doubts.append(f"{len(strangers)} values are no {kind}: {shown}")


def _spellings(values: list[str], doubts: list[str]) -> None:
    edged = sum(1 for value in values if value != value.strip())
    if edged:
        doubts.append(f"{edged} values begin or end with spaces")
    groups: dict[str, set[str]] = {}
    for value in values:
        groups.setdefault(" ".join(value.lower().split()), set()).add(value.strip())
    several = [sorted(group) for group in groups.values() if len(group) > 1]
    if several:
        doubts.append(f"{len(several)} values are spelled in several ways, such as {' / '.join(several[0][:4])}")


def profile(table: Table) -> dict[str, Any]:
    rows = Counter(map(tuple, table.rows))
    return {
        "rows": len(table.rows),
        "columns": [profile_column(name, table.values(name)) for name in table.columns],
        "repeated_rows": sum(count - 1 for count in rows.values()),
        "notes": table.notes,
    }


def _shown(value: object) -> str:
    return shown_number(value) if isinstance(value, (int, float)) else str(value if value is not None else "")


def to_markdown(found: dict[str, Any], name: str) -> str:
    columns = found["columns"]
    head = ["column", "type", "missing", "distinct", "min", "median", "mean", "max", "most frequent"]
    rows = []
    for column in columns:
        frequent = [f"{value[:30]} ({count})" for value, count in column["most_frequent"][:3] if count > 1]
        figures = [_shown(column.get(key)) for key in ("missing", "distinct", "min", "median", "mean", "max")]
        rows.append([str(column["column"]), str(column["type"]), *figures, ", ".join(frequent)])
    doubts = [f"- **{column['column']}**: {doubt}" for column in columns for doubt in column["doubts"]]
    doubts += [f"- {note}" for note in found["notes"]]
    if found["repeated_rows"]:
        doubts.append(f"- {found['repeated_rows']} rows are repetitions of others")
    parts = [
        f"# Profile of {name}",
        f"{found['rows']} rows, {len(columns)} columns.",
        markdown_table(head, rows, {2, 3, 4, 5, 6, 7}),
        "## To look at",
        "\n".join(doubts) or "Nothing stands out.",
    ]
    return "\n\n".join(parts) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=Path)
    parser.add_argument("--sheet", help="name of a sheet of an .xlsx; the first one unless given")
    parser.add_argument("--output", type=Path, help="a file for the Markdown; else it is printed")
    parser.add_argument("--json", type=Path, help="a file for all figures as JSON")
    options = parser.parse_args()
    try:
        found = profile(read_table(options.table, options.sheet))
        text = to_markdown(found, options.table.name)
        if options.json:
            options.json.write_text(json.dumps(found, indent=1, ensure_ascii=False), "utf-8")
        if options.output:
            options.output.write_text(text, "utf-8")
    except (Problem, OSError) as problem:
        print(f"Error: {problem}", file=sys.stderr)
        return 1
    print(f"{options.output} written" if options.output else text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
