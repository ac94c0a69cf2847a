#!/usr/bin/env python3
"""Checks the pages of a folder: links that lead nowhere, repeated ids, missing texts, things from the network."""

from __future__ import annotations

import argparse
import os
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

MAX_FILES, MAX_BYTES = 2_000, 5 * 1024 * 1024
#: Where an element names another file, and whether the page cannot do without it.
ADDRESSES = {
    "a": ("href", False),
    "audio": ("src", True),
    "iframe": ("src", True),
    "img": ("src", True),
    "link": ("href", True),
    "script": ("src", True),
    "source": ("src", True),
    "video": ("src", True),
}
UNCLOSED = set("area base br col embed hr img input link meta source track wbr".split())
MAY_BE_OPEN = set("html head body p li dt dd tr td th thead tbody tfoot option colgroup".split())
IN_STYLE = re.compile(r"url\(\s*[\"']?([^\"')]+)|@import\s+[\"']([^\"']+)")


class Page(HTMLParser):
    """What a page has and names."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.labels: set[str] = set()
        self.addresses: list[tuple[int, str, bool]] = []
        self.fields: list[tuple[int, str]] = []
        self.problems: list[tuple[int, str]] = []
        self.open: list[tuple[str, int]] = []
        self.has: set[str] = set()
        self.title = ""
        self.styles: list[tuple[int, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        line = self.getpos()[0]
        values = {name: value or "" for name, value in attrs}
        self.has.add(tag)
        self.has.update(f"{tag} {name}" for name in ("lang",) if values.get(name))
        if tag == "meta":
            self.has.add(
                f"meta {values.get('name', '')}" if "name" in values else "meta charset" if "charset" in values else ""
            )
        if "id" in values:
            self.ids.append(values["id"])
        if tag == "label":
            self.labels.add(values.get("for", ""))
        if tag in ADDRESSES and ADDRESSES[tag][0] in values:
            self.addresses.append((line, values[ADDRESSES[tag][0]].strip(), ADDRESSES[tag][1]))
        self._look(line, tag, values)
        if "style" in values:
            self.styles.append((line, values["style"]))
        if tag not in UNCLOSED:
            self.open.append((tag, line))

    def _look(self, line: int, tag: str, values: dict[str, str]) -> None:
        if tag == "img" and "alt" not in values:
            self.problems.append((line, 'a picture without alt: say what it shows, or alt="" when it only decorates'))
        named = values.get("aria-label") or values.get("aria-labelledby") or values.get("title")
        in_label = any(name == "label" for name, _ in self.open)
        is_field = tag in ("input", "select", "textarea") and values.get("type") not in (
            "hidden",
            "submit",
            "button",
            "reset",
        )
        if is_field and not named and not in_label:
            self.fields.append((line, values.get("id", "")))
        if values.get("href", "").lower().startswith("javascript:"):
            self.problems.append((line, "a link of javascript: take a button with a listener"))

    def handle_endtag(self, tag: str) -> None:
        if tag in UNCLOSED:
            return
        places = [index for index, (name, _) in enumerate(self.open) if name == tag]
        if not places:
            self.problems.append((self.getpos()[0], f"</{tag}> closes nothing"))
            return
        for name, line in self.open[places[-1] + 1 :]:
            if name not in MAY_BE_OPEN and "svg" not in [it for it, _ in self.open]:
                self.problems.append((line, f"<{name}> is not closed"))
        del self.open[places[-1] :]

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1][0] == "title" and not any(name == "svg" for name, _ in self.open):
            self.title += data.strip()
        if self.open and self.open[-1][0] == "style":
            self.styles.append((self.open[-1][1], data))


class Checker:
    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.found: list[str] = []
        self.pages: dict[Path, Page] = {}

    def say(self, file: Path, line: int, words: str) -> None:
        self.found.append(f"{file.relative_to(self.folder)}:{line}: {words}")

    def check(self) -> None:
        files = [Path(place) / name for place, _, names in os.walk(self.folder) for name in names]
        files = [file for file in files if "node_modules" not in file.parts][:MAX_FILES]
        for file in sorted(file for file in files if file.suffix.lower() in (".html", ".htm")):
            self.pages[file] = self.read(file)
        if not self.pages:
            self.found.append("there is no page: a file that ends in .html")
        for file, page in self.pages.items():
            self.check_page(file, page)
        for file in sorted(file for file in files if file.suffix.lower() == ".css"):
            self.check_style(file, 1, file.read_text("utf-8", "replace")[:MAX_BYTES])

    def read(self, file: Path) -> Page:
        page = Page()
        page.feed(file.read_text("utf-8", "replace")[:MAX_BYTES])
        page.close()
        return page

    def check_page(self, file: Path, page: Page) -> None:
        wanted = {
            "html lang": "<html lang=…>",
            "meta charset": "<meta charset=…>",
            "meta viewport": "<meta name=viewport>",
        }
        for name, shown in wanted.items():
            if name not in page.has:
                self.say(file, 1, f"{shown} is missing")
        if not page.title:
            self.say(file, 1, "<title> is missing or empty")
        for name in sorted({name for name in page.ids if page.ids.count(name) > 1}):
            self.say(file, 1, f"the id {name!r} stands {page.ids.count(name)} times")
        for line, name in page.fields:
            if not name or name not in page.labels:
                self.say(file, line, "a field without a label")
        for line, words in page.problems:
            self.say(file, line, words)
        for line, address, is_part in page.addresses:
            self.check_address(file, (line, address), is_part)
        for line, style in page.styles:
            self.check_style(file, line, style)

    def check_style(self, file: Path, line: int, text: str) -> None:
        for match in IN_STYLE.finditer(text):
            address = (match[1] or match[2]).strip()
            self.check_address(file, (line + text.count("\n", 0, match.start()), address), is_part=True)

    def check_address(self, file: Path, place: tuple[int, str], is_part: bool) -> None:
        line, address = place
        parts = urlsplit(address)
        if parts.scheme in ("http", "https") or address.startswith("//"):
            if is_part:
                self.say(file, line, f"{address} comes from the network: put it into the folder")
            return
        if parts.scheme:
            return
        if not parts.path:
            self.check_anchor(file, line, (file, parts.fragment))
            return
        base = self.folder if parts.path.startswith("/") else file.parent
        target = (base / unquote(parts.path).lstrip("/")).resolve()
        if target.is_dir():
            target = target / "index.html"
        if self.folder not in target.parents:
            self.say(file, line, f"{address} leads out of the folder")
        elif not target.is_file():
            self.say(file, line, f"{address} leads nowhere")
        else:
            self.check_anchor(file, line, (target, parts.fragment))

    def check_anchor(self, file: Path, line: int, target: tuple[Path, str]) -> None:
        page, name = self.pages.get(target[0]), unquote(target[1])
        if page and name and name not in ("top", *page.ids):
            self.say(file, line, f"#{name} is no id of {target[0].name}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    if not options.folder.is_dir():
        print(f"Error: {options.folder} is no folder.", file=sys.stderr)
        return 2
    checker = Checker(options.folder)
    checker.check()
    for line in checker.found:
        print(line)
    print(f"{len(checker.pages)} pages, {len(checker.found)} problems")
    return 1 if checker.found else 0


if __name__ == "__main__":
    sys.exit(main())
