#!/usr/bin/env python3
"""Makes a PDF of a report in Markdown. Needs nothing but Python 3.9 or newer.

Its own fonts have the characters of Western European languages (Windows-1252). For a report with others it takes
LibreOffice, where that is installed; else it names the characters and writes nothing, unless --replace is given.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from markdown_blocks import MAX_BYTES, Document, Problem, parse_document, read_document
from pdf_fonts import missing_characters, simplified
from pdf_layout import PAGES, lay_out

SECONDS = 120


def with_libre_office(report: Path, output: Path, options: argparse.Namespace) -> None:
    """By way of a .docx, which LibreOffice prints."""
    with tempfile.TemporaryDirectory() as folder:
        docx = Path(folder) / f"{output.stem}.docx"
        maker = [sys.executable, str(Path(__file__).with_name("make_docx.py")), str(report), str(docx)]
        made = subprocess.run([*maker, "--page", options.page], capture_output=True, text=True, timeout=SECONDS)
        if made.returncode != 0:
            raise Problem(made.stderr.strip().removeprefix("Error: "))
        profile = f"-env:UserInstallation=file://{folder}/profile"
        command = ["soffice", "--headless", profile, "--convert-to", "pdf", "--outdir", folder, str(docx)]
        subprocess.run(command, capture_output=True, timeout=SECONDS)
        pdf = docx.with_suffix(".pdf")
        if not pdf.exists():
            raise Problem("LibreOffice made no PDF: hand out the .docx, or use --engine builtin --replace.")
        shutil.copyfile(pdf, output)


def with_own_fonts(document: Document, report: Path, output: Path, options: argparse.Namespace) -> int:
    """Answers how many pages it wrote."""
    pdf = lay_out(document, report.parent, PAGES[options.page])
    output.write_bytes(pdf.to_bytes())
    return len(pdf.pages)


def make(options: argparse.Namespace) -> str:
    """Writes the PDF and answers what to tell about it."""
    if options.output.suffix.lower() != ".pdf":
        raise Problem(f"{options.output} must end in .pdf.")
    read_document(options.report)
    text = simplified(options.report.read_text("utf-8-sig"))
    missing = missing_characters(text)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    has_office = shutil.which("soffice") is not None
    if options.engine == "libreoffice" or (options.engine == "auto" and missing and has_office):
        if not has_office:
            raise Problem("LibreOffice is not installed here: use --engine builtin, or hand out the .docx.")
        with_libre_office(options.report, options.output, options)
        return f"{options.output}: made with LibreOffice, {options.output.stat().st_size} bytes"
    if missing and not options.replace:
        raise Problem(
            f"The fonts of the PDF do not have {' '.join(missing[:20])}. Hand out a .docx (make_docx.py), reword, "
            "or give --replace to show question marks in their place."
        )
    pages = with_own_fonts(parse_document(text), options.report, options.output, options)
    note = f"; shown as question marks: {' '.join(missing[:20])}" if missing else ""
    return f"{options.output}: {pages} pages, {options.output.stat().st_size} bytes{note}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", type=Path, help=f"Markdown in UTF-8, {MAX_BYTES // 1024 // 1024} MB at most")
    parser.add_argument("output", type=Path, help="the document to write, ending in .pdf")
    parser.add_argument("--page", choices=sorted(PAGES), default="a4", help="size of the paper")
    parser.add_argument("--engine", choices=["auto", "builtin", "libreoffice"], default="auto")
    parser.add_argument("--replace", action="store_true", help="show a question mark for what the fonts do not have")
    options = parser.parse_args()
    try:
        print(make(options))
    except (Problem, OSError, subprocess.TimeoutExpired) as problem:
        print(f"Error: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
