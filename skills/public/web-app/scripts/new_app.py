#!/usr/bin/env python3
"""Begins a web page or app in a new folder.

`page` is one file; `app` is a page, a style and a script; both need nothing but a browser. `full-stack` is a copy of
the development template of this service (TypeScript, SQLite, React, tests), which needs Node 20 or newer where it runs.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import zipfile
from pathlib import Path

ASSETS = Path(__file__).resolve().parent.parent / "assets"
TEMPLATE = ASSETS / "template.zip"
PLACEHOLDER = b"my-app"


class Problem(Exception):
    """What the person who called the program has to change, as a sentence."""


def name_of(folder: Path) -> str:
    name = re.sub(r"[^a-z0-9]+", "-", folder.resolve().name.lower()).strip("-")
    if not name:
        raise Problem(f"{folder} gives the app no name: use letters and digits.")
    return name


def unpack_template(folder: Path) -> None:
    if not TEMPLATE.is_file():
        raise Problem("This service was installed without its template (npm ci makes it): take `page` or `app`.")
    with zipfile.ZipFile(TEMPLATE) as template:
        template.extractall(folder)


def begin(kind: str, folder: Path) -> int:
    """Fills the folder and answers how many files it has. The app takes its name from it. Raises Problem."""
    name = name_of(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Problem(f"{folder} exists and is not empty: choose another folder.")
    if kind == "full-stack":
        unpack_template(folder)
    else:
        shutil.copytree(ASSETS / kind, folder, dirs_exist_ok=True)
    files = [file for file in folder.rglob("*") if file.is_file()]
    for file in files:
        # Skills are read-only, their copies are not.
        file.chmod(0o644)
        data = file.read_bytes()
        if PLACEHOLDER in data:
            file.write_bytes(data.replace(PLACEHOLDER, name.encode()))
    return len(files)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["page", "app", "full-stack"])
    parser.add_argument("folder", type=Path, help="a new folder; its name becomes the name of the app")
    options = parser.parse_args()
    try:
        count = begin(options.kind, options.folder)
    except (Problem, OSError, zipfile.BadZipFile) as problem:
        print(f"Error: {problem}", file=sys.stderr)
        return 1
    print(f"{options.folder}: {count} files")
    return 0


if __name__ == "__main__":
    sys.exit(main())
