#!/usr/bin/env python3
"""Checks a skill: front matter, name, description, length, links to its files, and what must not be in it."""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
FIELDS = {"name", "description", "license", "compatibility", "metadata", "version", "author", "allowed-tools"}
FOLDERS = {"scripts", "references", "templates", "assets"}
MAX_FILES, MAX_BYTES, MAX_BODY_LINES = 2_000, 100 * 1024 * 1024, 500
MAX_FIELDS = 4_096
SECRET = re.compile(r"AKIA[0-9A-Z]{16}|-----BEGIN [A-Z ]{0,20}PRIVATE KEY|gh[pousr]_\w{30,}|sk-[\w-]{20,}")
LINK = re.compile(r"(?<![\w./-])((?:scripts|references|templates|assets)/[\w./-]*\w)")


def front_matter(text: str) -> tuple[dict[str, str], str, list[str]]:
    """The fields at the top, the body, and what is wrong. Reads the plain YAML that skills need, without anchors."""
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[0].strip() != "---" or "---" not in [line.rstrip() for line in lines[1:]]:
        return {}, text, ["SKILL.md has to begin with `---`, fields, and `---`"]
    end = next(index for index, line in enumerate(lines) if index > 0 and line.rstrip() == "---")
    fields: dict[str, str] = {}
    problems: list[str] = []
    if len("\n".join(lines[1:end])) > MAX_FIELDS:
        problems.append(f"the fields have more than {MAX_FIELDS:,} characters: move text to the body")
    last = ""
    for number, line in enumerate(lines[1:end], 2):
        pair = re.match(r"([A-Za-z][\w-]*):(?:\s+(.*))?$", line)
        if pair:
            last = pair[1]
            if last in fields:
                problems.append(f"line {number}: {last} stands twice")
            value = (pair[2] or "").strip()
            if re.search(r":\s", value) and value[:1] not in "\"'|>[{":
                problems.append(f"line {number}: put the value in quotes, it has a colon in it")
            fields[last] = "" if value in ("|", ">", ">-", "|-") else value.strip("\"'")
        elif line[:1] in " \t-" and last:
            fields[last] = f"{fields[last]} {line.strip()}".strip()
        elif line.strip() and not line.startswith("#"):
            problems.append(f"line {number}: this is no `field: value`")
    return fields, "\n".join(lines[end + 1 :]), problems


def field_problems(fields: dict[str, str], folder: str) -> list[str]:
    found = []
    name, description = fields.get("name", ""), fields.get("description", "")
    if not NAME.fullmatch(name) or len(name) > 64:
        found.append("name: small letters, digits and single hyphens, 64 characters at most")
    elif name != folder:
        found.append(f"name: {name!r} has to be the name of the folder, {folder!r}")
    if not 1 <= len(description) <= 1_024:
        found.append("description: 1 to 1,024 characters")
    elif "<" in description or ">" in description:
        found.append("description: no angle brackets")
    elif not re.search(r"\b(use|when|if|für|wenn|cuando|quand)\b", description, re.IGNORECASE):
        found.append("description: say when to use the skill; the agent decides by this sentence")
    if len(fields.get("compatibility", "")) > 500:
        found.append("compatibility: 500 characters at most")
    found += [f"{field}: no field of a skill" for field in fields if field not in FIELDS]
    return found


def files_of(folder: Path) -> list[Path]:
    return sorted(Path(place) / name for place, _, names in os.walk(folder) for name in names)


def file_problems(folder: Path) -> list[str]:
    found = []
    files = files_of(folder)
    if len(files) > MAX_FILES or sum(file.lstat().st_size for file in files) > MAX_BYTES:
        found.append(f"more than {MAX_FILES:,} files or 100 MB")
    for file in files[:MAX_FILES]:
        place = file.relative_to(folder)
        if file.is_symlink():
            found.append(f"{place}: links are not installed; put the file itself there")
        elif any(part.startswith(".") or part == "__pycache__" for part in place.parts):
            found.append(f"{place}: remove it, it is no part of a skill")
        elif len(place.parts) == 1 and file.name not in ("SKILL.md", "LICENSE", "LICENSE.txt"):
            found.append(f"{place}: put it into {', '.join(sorted(FOLDERS))}")
        elif len(place.parts) > 1 and place.parts[0] not in FOLDERS:
            found.append(f"{place}: put it into one of {', '.join(sorted(FOLDERS))}")
        elif len(place.parts) > 1 and file.name == "SKILL.md":
            found.append(f"{place}: a skill has one SKILL.md")
        elif SECRET.search(file.read_bytes().decode("utf-8", "replace")):
            found.append(f"{place}: has what looks like a secret")
    return found


def problems_of(folder: Path) -> list[str]:
    """Sentences about what to mend; empty when the skill can be installed."""
    file = folder / "SKILL.md"
    if not file.is_file():
        return ["there is no SKILL.md"]
    try:
        text = file.read_text("utf-8-sig")
    except UnicodeDecodeError:
        return ["SKILL.md is not UTF-8"]
    fields, body, found = front_matter(text)
    found += field_problems(fields, folder.resolve().name)
    if not body.strip():
        found.append("the body is empty: say what to do")
    if body.count("\n") > MAX_BODY_LINES:
        found.append(f"the body has more than {MAX_BODY_LINES} lines: move details to references/")
    for path in sorted(set(LINK.findall(body))):
        if not (folder / path).exists() and "…" not in path:
            found.append(f"the body names {path}, which is not there")
    return found + file_problems(folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("skill", type=Path, help="the folder of the skill")
    options = parser.parse_args()
    problems = problems_of(options.skill)
    for problem in problems:
        print(f"- {problem}")
    name = options.skill.resolve().name
    print(f"{name}: {len(problems)} problems" if problems else f"{name} is a skill")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
