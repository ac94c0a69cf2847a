#!/usr/bin/env python3
"""Groups the rows of a table and sums up a column: count, sum, mean, median, min, max of each group."""

from __future__ import annotations

import argparse
import csv
import statistics
import sys
from collections.abc import Callable
from pathlib import Path

from tables import Problem, Table, date_reader, is_missing, markdown_table, number_reader, read_table, shown_number

MEASURES: dict[str, Callable[[list[float]], float]] = {
    "count": len,
    "sum": sum,
    "mean": statistics.fmean,
    "median": statistics.median,
    "min": min,
    "max": max,
}
PERIODS = {"year": "%Y", "month": "%Y-%m", "day": "%Y-%m-%d"}


def keys_of(table: Table, wish: str) -> list[str]:
    """The group of each row. `date:month` groups the dates of a column by year, month or day."""
    name, colon, period = wish.rpartition(":")
    if wish in table.columns or not colon or period not in PERIODS:
        return [text.strip() or "(empty)" for text in table.values(wish)]
    texts = table.values(name)
    read = date_reader(texts)
    dates = [read(text) for text in texts]
    return [date.strftime(PERIODS[period]) if date else "(no date)" for date in dates]


def kept_rows(table: Table, conditions: list[str]) -> Table:
    """The rows that meet every condition: `column=value` or `column!=value`."""
    rows = table.rows
    for condition in conditions:
        name, equals, value = condition.partition("=")
        if not equals:
            raise Problem(f"--where {condition}: write column=value or column!=value.")
        is_not = name.endswith("!")
        index = table.index_of(name.removesuffix("!").strip())
        rows = [row for row in rows if (row[index].strip() == value.strip()) != is_not]
    return Table(table.columns, rows, table.notes)


def grouped(table: Table, by: list[str], value: str | None) -> tuple[dict[tuple[str, ...], list[float]], int]:
    """The numbers of each group, and how many rows have no number."""
    keys = list(zip(*[keys_of(table, wish) for wish in by]))
    texts = table.values(value) if value else ["1"] * len(table.rows)
    read = number_reader([text for text in texts if not is_missing(text)])
    groups: dict[tuple[str, ...], list[float]] = {}
    without = 0
    for key, text in zip(keys, texts):
        number = None if is_missing(text) else read(text)
        if number is None:
            without += 1
        else:
            groups.setdefault(key, []).append(number)
    return groups, without


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=Path)
    parser.add_argument("--sheet", help="name of a sheet of an .xlsx; the first one unless given")
    parser.add_argument("--by", action="append", required=True, help="a column, or date:year, date:month, date:day")
    parser.add_argument("--value", help="the column with numbers; without it, rows are counted")
    parser.add_argument("--how", default="count,sum,mean", help=f"measures, with commas: {', '.join(MEASURES)}")
    parser.add_argument("--where", action="append", default=[], help="column=value or column!=value; may be repeated")
    parser.add_argument("--sort", help="a measure, largest first; else by group")
    parser.add_argument("--csv", type=Path, help="a file for the result; else it is printed as Markdown")
    options = parser.parse_args()
    try:
        measures = options.how.split(",") if options.value else ["count"]
        unknown = [it for it in [*measures, *filter(None, [options.sort])] if it not in MEASURES]
        if unknown:
            raise Problem(f"There is no measure {unknown[0]!r}. There are: {', '.join(MEASURES)}.")
        table = kept_rows(read_table(options.table, options.sheet), options.where)
        groups, without = grouped(table, options.by, options.value)
        if not groups:
            raise Problem("No row is left with a number: look at --where and --value.")
        order = sorted(groups)
        if options.sort:
            order.sort(key=lambda key: -MEASURES[options.sort](groups[key]))
        rows = [[*key, *[shown_number(MEASURES[it](groups[key])) for it in measures]] for key in order]
        head = [*options.by, *measures]
        if options.csv:
            with options.csv.open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows([head, *rows])
    except (Problem, OSError) as problem:
        print(f"Error: {problem}", file=sys.stderr)
        return 1
    numbers = set(range(len(options.by), len(head)))
    print(f"{options.csv}: {len(rows)} groups" if options.csv else markdown_table(head, rows, numbers))
    if without:
        print(f"\n{without} rows have no number in {options.value} and are left out.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
