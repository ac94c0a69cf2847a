#!/usr/bin/env python3
"""Draws a chart of a table as SVG: bar, line, scatter, histogram."""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from tables import Problem, Table, date_reader, is_missing, kind_of, number_reader, read_table, shown_number

WIDTH, HEIGHT = 860, 480
LEFT, RIGHT, TOP, BOTTOM = 80, 24, 64, 74
#: Told apart by people who do not see all colours (Okabe and Ito).
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9"]
MAX_BARS, MAX_POINTS = 60, 20_000


@dataclass(frozen=True)
class Chart:
    """`labels` name the places on the x axis; without them x is a scale of numbers."""

    title: str
    x_name: str
    y_name: str
    labels: list[str]
    series: dict[str, list[tuple[float, float]]]


def ticks(low: float, high: float, wished: int = 6) -> list[float]:
    """Round numbers that cover a range."""
    step = 10 ** math.floor(math.log10((high - low) / wished)) if high > low else 1.0
    step *= next(factor for factor in (1, 2, 2.5, 5, 10) if (high - low) / (step * factor) <= wished)
    first = math.floor(low / step)
    count = math.ceil(high / step) - first
    return [(first + index) * step for index in range(count + 1)]


class Drawing:
    def __init__(self, chart: Chart, from_zero: bool) -> None:
        self.chart = chart
        points = [point for series in chart.series.values() for point in series]
        highs = [y for _, y in points]
        low, high = min(highs), max(highs)
        self.y_ticks = ticks(min(low, 0) if from_zero else low, max(high, 0) if from_zero else high)
        if len(self.y_ticks) < 2:
            self.y_ticks = [self.y_ticks[0], self.y_ticks[0] + 1]
        xs = [x for x, _ in points]
        self.x_ticks = [] if chart.labels else ticks(min(xs), max(xs), 8)
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
            f'font-family="sans-serif" font-size="12" role="img"><title>{escape(chart.title)}</title>',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        ]
        self._axes()

    def x(self, value: float) -> float:
        span = WIDTH - LEFT - RIGHT
        if self.chart.labels:
            return LEFT + span * (value + 0.5) / len(self.chart.labels)
        first, last = self.x_ticks[0], self.x_ticks[-1]
        return LEFT + span * (value - first) / ((last - first) or 1)

    def y(self, value: float) -> float:
        first, last = self.y_ticks[0], self.y_ticks[-1]
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - first) / (last - first)

    def text(self, place: tuple[float, float], words: str, more: str = "") -> None:
        self.parts.append(f'<text x="{place[0]:.1f}" y="{place[1]:.1f}" fill="#222222" {more}>{escape(words)}</text>')

    def _axes(self) -> None:
        self.text((LEFT, 26), self.chart.title, 'font-size="17" font-weight="bold"')
        for value in self.y_ticks:
            y, ink = self.y(value), "#555555" if value == 0 else "#dddddd"
            self.parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="{ink}"/>')
            self.text((LEFT - 8, y + 4), shown_number(round(value, 10)), 'text-anchor="end"')
        foot = HEIGHT - BOTTOM
        step = max(1, math.ceil(len(self.chart.labels) / 14))
        for index, label in list(enumerate(self.chart.labels))[::step]:
            self.text(
                (self.x(index), foot + 18), label if len(label) <= 14 else f"{label[:13]}…", 'text-anchor="middle"'
            )
        for value in self.x_ticks:
            self.text((self.x(value), foot + 18), shown_number(round(value, 10)), 'text-anchor="middle"')
        self.text(((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 30), self.chart.x_name, 'text-anchor="middle"')
        self.text((LEFT, 50), self.chart.y_name)
        self._legend()

    def _legend(self) -> None:
        x = float(LEFT)
        for index, name in enumerate(self.chart.series if len(self.chart.series) > 1 else []):
            colour = COLOURS[index % len(COLOURS)]
            self.parts.append(f'<rect x="{x:.1f}" y="{HEIGHT - 18}" width="10" height="10" fill="{colour}"/>')
            self.text((x + 14, HEIGHT - 9), name[:30])
            x += 34 + 7 * min(len(name), 30)

    def bars(self, gap: float = 0.24) -> None:
        count = len(self.chart.series)
        room = (WIDTH - LEFT - RIGHT) / len(self.chart.labels) * (1 - gap)
        for index, points in enumerate(self.chart.series.values()):
            for x, value in points:
                left = self.x(x) - room / 2 + room / count * index
                top, foot = sorted((self.y(value), self.y(0)))
                self.parts.append(
                    f'<rect x="{left:.1f}" y="{top:.1f}" width="{room / count:.1f}" height="{foot - top:.1f}" '
                    f'fill="{COLOURS[index % len(COLOURS)]}"/>'
                )

    def lines(self) -> None:
        for index, points in enumerate(self.chart.series.values()):
            path = " ".join(f"{self.x(x):.1f},{self.y(value):.1f}" for x, value in points)
            colour = COLOURS[index % len(COLOURS)]
            self.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.5"/>')

    def dots(self) -> None:
        for index, points in enumerate(self.chart.series.values()):
            colour = COLOURS[index % len(COLOURS)]
            for x, value in points:
                place = f'cx="{self.x(x):.1f}" cy="{self.y(value):.1f}"'
                self.parts.append(f'<circle {place} r="3.5" fill="{colour}" fill-opacity="0.7"/>')

    def svg(self) -> str:
        return "\n".join([*self.parts, "</svg>\n"])


def numbers_of(table: Table, column: str) -> list[float | None]:
    texts = table.values(column)
    read = number_reader([text for text in texts if not is_missing(text)])
    numbers = [None if is_missing(text) else read(text) for text in texts]
    if all(number is None for number in numbers):
        raise Problem(f"The column {column!r} has no numbers.")
    return numbers


def labelled(table: Table, options: argparse.Namespace) -> Chart:
    """One place on the x axis for each row. For sums of several rows, group the table first."""
    order = list(range(len(table.rows)))
    texts = table.values(options.x)
    if options.kind == "line" and kind_of(texts) == "date":
        read = date_reader(texts)
        dated = [(date, index) for index, date in enumerate(map(read, texts)) if date is not None]
        order = [index for _, index in sorted(dated)]
    if options.kind == "bar" and len(order) > MAX_BARS:
        raise Problem(
            f"{len(order)} bars are too many, {MAX_BARS} are the most: group the rows first (group_table.py)."
        )
    series = {}
    for name in options.y:
        numbers = numbers_of(table, name)
        places = [(float(place), numbers[index]) for place, index in enumerate(order)]
        series[name] = [(x, number) for x, number in places if number is not None]
    y_name = options.y[0] if len(options.y) == 1 else ""
    return Chart(options.title or " and ".join(options.y), options.x, y_name, [texts[index] for index in order], series)


def scattered(table: Table, options: argparse.Namespace) -> Chart:
    xs = numbers_of(table, options.x)
    series = {}
    for name in options.y:
        pairs = zip(xs, numbers_of(table, name))
        series[name] = [(x, y) for x, y in pairs if x is not None and y is not None]
    y_name = options.y[0] if len(options.y) == 1 else ""
    return Chart(options.title or f"{y_name} by {options.x}", options.x, y_name, [], series)


def counted(table: Table, options: argparse.Namespace) -> Chart:
    numbers = [number for number in numbers_of(table, options.x) if number is not None]
    edges = ticks(min(numbers), max(numbers), max(5, min(30, round(math.sqrt(len(numbers))))))
    if len(edges) < 2:
        edges = [edges[0], edges[0] + 1]
    step = edges[1] - edges[0]
    counts = [0] * (len(edges) - 1)
    for number in numbers:
        counts[min(int((number - edges[0]) / step), len(counts) - 1)] += 1
    labels = [f"{shown_number(round(edge, 10))}–" for edge in edges[:-1]]
    points = [(float(index), float(count)) for index, count in enumerate(counts)]
    return Chart(options.title or f"Distribution of {options.x}", options.x, "rows", labels, {"rows": points})


def draw(table: Table, options: argparse.Namespace) -> str:
    if options.kind != "histogram" and not options.y:
        raise Problem("Name the column of the values with --y.")
    makers = {"bar": labelled, "line": labelled, "scatter": scattered, "histogram": counted}
    chart = makers[options.kind](table, options)
    points = sum(len(series) for series in chart.series.values())
    if not 0 < points <= MAX_POINTS:
        raise Problem(
            f"There are {points} points to draw; between 1 and {MAX_POINTS:,} are possible: group the rows first."
        )
    drawing = Drawing(chart, from_zero=options.kind in ("bar", "histogram"))
    if options.kind == "line":
        drawing.lines()
    elif options.kind == "scatter":
        drawing.dots()
    else:
        drawing.bars(gap=0.24 if options.kind == "bar" else 0.04)
    return drawing.svg()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=["bar", "line", "scatter", "histogram"])
    parser.add_argument("table", type=Path)
    parser.add_argument("output", type=Path, help="the picture to write, ending in .svg")
    parser.add_argument("--x", required=True, help="the column of the x axis")
    parser.add_argument("--y", action="append", default=[], help="a column of values; may be repeated")
    parser.add_argument("--title", help="what the chart says, as a sentence")
    parser.add_argument("--sheet", help="name of a sheet of an .xlsx; the first one unless given")
    options = parser.parse_args()
    try:
        if options.output.suffix.lower() != ".svg":
            raise Problem(f"{options.output} must end in .svg.")
        options.output.write_text(draw(read_table(options.table, options.sheet), options), "utf-8")
    except (Problem, OSError) as problem:
        print(f"Error: {problem}", file=sys.stderr)
        return 1
    print(f"{options.output} written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
