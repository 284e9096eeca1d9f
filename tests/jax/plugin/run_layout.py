#!/usr/bin/env python3
"""Compares the plugin's declaration of the PJRT C API with an independent one, pypjrt's.

    run_layout.py LAYOUT        LAYOUT is the program built from layout.cc

Names, order and offsets of all fields, and the order of the table. Structs of later versions may be longer.
"""

import ctypes
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import harness  # noqa: E402,F401  starts this again with the Python that has pypjrt

try:
    from pypjrt._abi import pjrt_0_114 as reference
except ImportError as missing:
    print(f"skipped: {missing} (tests/jax/requirements.txt)")
    sys.exit(77)


def differences(name: str, ours: dict) -> list[str]:
    theirs = getattr(reference, name, None)
    if theirs is None:
        return [f"{name}: unknown to pypjrt"]
    fields = [(field[0], getattr(theirs, field[0]).offset) for field in theirs._fields_]
    found = []
    known = [(field, offset) for field, offset in fields if not field.startswith("_")]
    for field, offset in ours["fields"]:
        if (field, offset) not in known:
            found.append(f"{name}.{field} is at {offset}; pypjrt has {dict(known).get(field, 'no such field')}")
    if ours["size"] > ctypes.sizeof(theirs):
        found.append(f"{name} has {ours['size']} bytes; pypjrt's, {ctypes.sizeof(theirs)}")
    return found


def main() -> None:
    layout = json.loads(subprocess.run([sys.argv[1]], check=True, capture_output=True).stdout)
    found = [line for name, struct in layout["structs"].items() for line in differences(name, struct)]
    for name, offset in layout["table"]:
        expected = reference.VTABLE_OFFSET + 8 * reference.SLOT[name]
        if offset != expected:
            found.append(f"{name} is at {offset} of the table; pypjrt has {expected}")
    print("\n".join(found))
    print(f"{len(layout['structs'])} structs and {len(layout['table'])} functions compared; {len(found)} differences")
    sys.exit(bool(found) or len(layout["table"]) != 128)


if __name__ == "__main__":
    main()
