#!/usr/bin/env python3
"""Compares the protocol in proto/acceld/v1 with what clients and daemons of the last release speak.

    /usr/bin/python3 tests/proto/compatibility.py [--update]

tests/proto/protocol.txt is the protocol of that release. What was there has to be there still, or its number has to be
reserved; what is new is welcome. docs/compatibility.md says what is promised. Prints a line for each finding, and
exits with 1 if there is one. --update writes protocol.txt anew, which belongs to a release and to a protocol that no
release has spoken yet.

Only what the services reach is compared: the code of cached executables is read by the build that wrote it.
Needs protoc, and Debian's python3-protobuf.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

from google.protobuf import descriptor_pb2

import protocol_text

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASED = ROOT / "tests/proto/protocol.txt"
HEADER = """\
# The protocol of the last release: what tests/proto/compatibility.py compares with, and --update writes.
# A line of an enum is a number and a name; one of a message is a number, a label if there is one, a type and a name.
"""


def compare(old, new):
    """What a client or a daemon that speaks `old` would not understand in `new`, as a list of lines."""
    findings = []
    for name in sorted(_missed_types(old, new)):
        findings.append(f"{name} is gone")
    for kind, all_old, all_new in (("value", old.enums, new.enums), ("field", old.messages, new.messages)):
        for name in sorted(all_old.keys() & all_new.keys()):
            findings += _compare_numbered(name, kind, all_old[name], all_new[name])
    for name, rpcs in sorted(old.services.items()):
        findings += _compare_rpcs(name, rpcs, new.services.get(name, {}))
    return findings


def _compare_numbered(name, kind, old, new):
    numbers = {_name(entry): number for number, entry in new.entries.items()}
    for number, entry in sorted(old.entries.items()):
        now = new.entries.get(number)
        if now is None and not new.reserves(number):
            moved = numbers.get(_name(entry))
            yield (f"{name}: {kind} {number} ({entry}) is gone and the number is not reserved" if moved is None else
                   f"{name}: {kind} {number} ({entry}) has the number {moved} now")
        elif now is not None and now != entry:
            yield f"{name}: {kind} {number} was '{entry}' and is '{now}'"
    for first, last in sorted(old.reserved):
        if not _covers(new.reserved, first, last):
            numbers = f"{first} was" if first == last else f"{first} to {last} were"
            yield f"{name}: {numbers} reserved, and not all of it is now"


def _name(entry):
    return entry.name if isinstance(entry, protocol_text.Field) else entry


def _covers(ranges, first, last):
    """Whether ranges, of which some may adjoin, have all numbers from `first` to `last`."""
    for begin, end in sorted(ranges):
        if begin <= first <= end:
            first = end + 1
    return first > last


def _compare_rpcs(service, old, new):
    for rpc, (takes, returns) in sorted(old.items()):
        if rpc not in new:
            yield f"{service}: {rpc} is gone"
            continue
        for verb, before, now in (("took", takes, new[rpc][0]), ("returned", returns, new[rpc][1])):
            if before != now:
                yield f"{service}: {rpc} {verb} {before}, now it is {now}"


def _missed_types(old, new):
    """The messages and enums that are gone, but for those of which nothing can come any more: all fields that had them
    as their type have reserved numbers now, or were in such messages themselves."""
    gone = (old.messages.keys() - new.messages.keys()) | (old.enums.keys() - new.enums.keys())
    used_by = {name: [] for name in gone}
    for message, numbered in old.messages.items():
        for number, field in numbered.entries.items():
            for name in field.type.removeprefix("map<").removesuffix(">").split(","):
                if name in gone:
                    used_by[name].append((message, number))
    missed = {name for name in gone if not used_by[name]}
    found = None
    while found != set():
        found = {name for name in gone - missed for message, number in used_by[name]
                 if message in missed or message in new.messages and not new.messages[message].reserves(number)}
        missed |= found
    return missed


def read_protocol(folder):
    """The protocol of the files acceld/v1/*.proto in a folder. Raises CalledProcessError if protoc refuses one."""
    with tempfile.TemporaryDirectory() as results:
        descriptors = pathlib.Path(results, "descriptors")
        sources = sorted(path.relative_to(folder) for path in folder.glob("acceld/v1/*.proto"))
        subprocess.run(["protoc", f"--descriptor_set_out={descriptors}", *sources], check=True, cwd=folder)
        return protocol_text.of_services(descriptor_pb2.FileDescriptorSet.FromString(descriptors.read_bytes()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    now = read_protocol(ROOT / "proto")
    if arguments.update:
        RELEASED.write_text(HEADER + "\n".join(protocol_text.print_text(now)) + "\n")
        return 0
    findings = compare(protocol_text.parse_text(RELEASED.read_text().split("\n")), now)
    for finding in findings:
        print(finding)
    print(f"{len(now.messages)} messages, {len(now.enums)} enums, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
