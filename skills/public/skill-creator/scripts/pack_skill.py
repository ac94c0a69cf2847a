#!/usr/bin/env python3
"""Packs the folder of a skill into a .skill file that can be installed. Packs nothing that check_skill.py refuses."""

from __future__ import annotations

import argparse
import sys
import zipfile
from pathlib import Path

from check_skill import files_of, problems_of


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("skill", type=Path, help="the folder of the skill")
    parser.add_argument("output", type=Path, help="the package to write, ending in .skill")
    options = parser.parse_args()
    folder = options.skill.resolve()
    problems = problems_of(folder)
    if options.output.suffix != ".skill":
        problems.append(f"{options.output} must end in .skill")
    if problems:
        print(
            "Error: the skill cannot be packed.", *[f"- {problem}" for problem in problems], sep="\n", file=sys.stderr
        )
        return 1
    try:
        with zipfile.ZipFile(options.output, "w", zipfile.ZIP_DEFLATED) as package:
            for file in files_of(folder):
                # The same files make the same package: no times and no rights of this machine.
                entry = zipfile.ZipInfo(f"{folder.name}/{file.relative_to(folder).as_posix()}", (1980, 1, 1, 0, 0, 0))
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                package.writestr(entry, file.read_bytes())
    except OSError as error:
        print(f"Error: {options.output} cannot be written: {error.strerror}.", file=sys.stderr)
        return 1
    print(f"{options.output}: {len(files_of(folder))} files, {options.output.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
