#!/usr/bin/env python3
"""Proposes terms for a glossary: names, abbreviations and word pairs that a text repeats. Writes a CSV to fill in."""

from __future__ import annotations

import argparse
import csv
import re
import sys
from collections import Counter
from pathlib import Path

from check_translation import Problem, read_text

WORD = re.compile(r"[^\W\d_][\w'’-]*")
#: Words that join others and begin or end no term. English; in other languages more has to be crossed out.
JOINING = set(
    "a an and are as at be been but by can do for from had has have if in into is it its may more must no not of on or "
    "our shall should so such than that the their them then there these they this those to under was we were what when "
    "which who will with would you your".split()
)


def proposed(text: str, least: int) -> list[tuple[str, int]]:
    """Terms with how often they stand in the text, most frequent first."""
    counts: Counter[str] = Counter()
    for sentence in re.split(r"[.!?;:\n|()\"“”]+", re.sub(r"`[^`]*`|https?://\S+", " ", text)):
        words = WORD.findall(sentence)
        for index, word in enumerate(words):
            is_name = word[:1].isupper() and (index > 0 or word.isupper()) and len(word) > 1
            if is_name and word.lower() not in JOINING:
                counts[word] += 1
            pair = words[index : index + 2]
            if len(pair) == 2 and not any(it.lower() in JOINING or len(it) < 3 for it in pair):
                counts[" ".join(pair).lower()] += 1
    return [(term, count) for term, count in counts.most_common(200) if count >= least]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("glossary", type=Path, help="the CSV to write; it must not exist yet")
    parser.add_argument("--least", type=int, default=2, help="how often a term has to stand in the text")
    options = parser.parse_args()
    try:
        terms = proposed(read_text(options.source), options.least)
        with options.glossary.open("x", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([["source", "target", "note"], *[[it, "", f"{n} times"] for it, n in terms]])
    except FileExistsError:
        print(f"Error: {options.glossary} exists already: choose another name.", file=sys.stderr)
        return 1
    except (Problem, OSError) as problem:
        print(f"Error: {problem}", file=sys.stderr)
        return 1
    print(f"{options.glossary}: {len(terms)} terms. Cross out what is no term and fill in the targets.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
