#!/usr/bin/env python3
"""Makes the page acceld.toml(5) of the manual from deploy/CONFIG.md.

    deploy/deb/config_page.py deploy/CONFIG.md VERSION >acceld.toml.5
"""

import re
import sys

HEAD = r""".\" Made by deploy/deb/config_page.py from deploy/CONFIG.md.
.TH ACCELD.TOML 5 "" "acceld {version}"
.SH NAME
acceld.toml \- settings of the daemon acceld
.SH DESCRIPTION
The daemon of the machine, acceld.service, reads
.IR /etc/acceld/acceld.toml .
.PP
"""
TAIL = r""".SH SEE ALSO
.BR acceld (8),
.BR accelctl (1)
"""


def text(markdown):
    """A line for roff: code in bold, links as their text."""
    line = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", markdown.replace("\\|", "|"))
    line = line.replace("\\", r"\e").replace("-", r"\-")
    line = re.sub(r"`([^`]*)`", r"\\fB\1\\fR", line)
    return "\\&" + line if line.startswith((".", "'")) else line


def row(cells):
    """A row of a table: its first cell is the name, its last what it is."""
    name, value, *rest, meaning = cells
    default = f" Default: {rest[0]}." if rest else ""
    reload = " Takes effect on reload." if rest and rest[1] == "yes" else ""
    return [".TP", f"{text(name)} \\- {text(value)}", text(f"{meaning[0].upper()}{meaning[1:]}.{default}{reload}")]


def page(markdown):
    """The lines of the page."""
    lines, in_code = [], False
    for line in markdown.split("\n"):
        if line.startswith("```"):
            in_code = not in_code
            lines += [".PP", ".nf"] if in_code else [".fi"]
        elif in_code:
            lines.append(text(line))
        elif line.startswith("## "):
            lines.append(f".SH {text(line[3:]).upper()}")
        elif line.startswith("### "):
            lines.append(f".SS {text(line[4:])}")
        elif line.startswith("|"):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            if cells[0] not in ("setting", "quota") and not set(cells[0]) <= {"-"}:
                lines += row(cells)
        elif not line:
            lines.append(".PP")
        elif not line.startswith(("# ", "Written by")):
            lines.append(text(line))
    # Headings and ends begin paragraphs themselves.
    return [line for i, line in enumerate(lines)
            if line != ".PP" or (i + 1 < len(lines) and not lines[i + 1].startswith("."))]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        markdown = file.read()
    sys.stdout.write(HEAD.format(version=sys.argv[2]) + "\n".join(page(markdown)) + "\n" + TAIL)


if __name__ == "__main__":
    main()
