"""The protocol as a text that is readable in diffs, and back.

A protocol is what the messages, enums and services say on the wire: numbers, names, types, labels, streams and what
is reserved. Comments and the order of declarations are left out.
"""

import dataclasses
import re
import typing

from google.protobuf.descriptor_pb2 import FieldDescriptorProto

FIELD = re.compile(r"  (?P<number>\d+) (?:(?P<label>optional|repeated|oneof\(\w+\)) )?(?P<type>\S+) (?P<name>\w+)")
VALUE = re.compile(r"  (?P<number>-?\d+) (?P<names>\w+(?: \w+)*)")
RESERVED = re.compile(r"  reserved (?P<first>-?\d+)(?: to (?P<last>-?\d+))?")
RPC = re.compile(r"  (?P<name>\w+)\((?P<takes>[\w. ]+)\) returns \((?P<returns>[\w. ]+)\)")


class Field(typing.NamedTuple):
    name: str
    type: str  # "uint64", or the full name of a message or an enum, or "map<KEY,VALUE>"
    label: str  # "", "optional", "repeated" or "oneof(NAME)"

    def __str__(self):
        return " ".join(filter(None, (self.label, self.type, self.name)))


@dataclasses.dataclass
class Numbered:
    """A message or an enum: what stands at each number, and which numbers are reserved."""

    # The Field of a message. The name of an enum's value, or several names with blanks between them.
    entries: dict = dataclasses.field(default_factory=dict)
    # The first and the last number of each range.
    reserved: list = dataclasses.field(default_factory=list)

    def reserves(self, number):
        return any(first <= number <= last for first, last in self.reserved)


@dataclasses.dataclass
class Protocol:
    messages: dict = dataclasses.field(default_factory=dict)  # Numbered by full name
    enums: dict = dataclasses.field(default_factory=dict)  # Numbered by full name
    services: dict = dataclasses.field(default_factory=dict)  # by full name: {RPC: (what it takes, what it returns)}


def of_services(descriptors):
    """The protocol that the services of a FileDescriptorSet speak: their files, and what these import."""
    files = {file.name: file for file in descriptors.file}
    wanted = [file.name for file in descriptors.file if file.service]
    for name in wanted:
        wanted += [imported for imported in files[name].dependency if imported not in wanted]
    protocol = Protocol()
    for name in wanted:
        file = files[name]
        for message in file.message_type:
            _add_message(protocol, file.package, message)
        for enum in file.enum_type:
            _add_enum(protocol, file.package, enum)
        for service in file.service:
            protocol.services[f"{file.package}.{service.name}"] = {
                method.name: (_stream(method.client_streaming) + method.input_type[1:],
                              _stream(method.server_streaming) + method.output_type[1:])
                for method in service.method}
    return protocol


def _stream(streams):
    return "stream " if streams else ""


def _add_message(protocol, scope, message):
    name = f"{scope}.{message.name}"
    maps = {f".{name}.{nested.name}": nested for nested in message.nested_type if nested.options.map_entry}
    protocol.messages[name] = Numbered(
        {field.number: Field(field.name, _type(field, maps), _label(message, field, maps)) for field in message.field},
        [(each.start, each.end - 1) for each in message.reserved_range])
    for nested in message.nested_type:
        if not nested.options.map_entry:
            _add_message(protocol, name, nested)
    for enum in message.enum_type:
        _add_enum(protocol, name, enum)


def _add_enum(protocol, scope, enum):
    numbered = Numbered({}, [(each.start, each.end) for each in enum.reserved_range])
    for value in enum.value:
        known = numbered.entries.get(value.number)
        numbered.entries[value.number] = f"{known} {value.name}" if known else value.name
    protocol.enums[f"{scope}.{enum.name}"] = numbered


def _label(message, field, maps):
    if field.type_name in maps:
        return ""
    if field.label == FieldDescriptorProto.LABEL_REPEATED:
        return "repeated"
    if field.proto3_optional:
        return "optional"
    return f"oneof({message.oneof_decl[field.oneof_index].name})" if field.HasField("oneof_index") else ""


def _type(field, maps):
    if field.type_name in maps:
        key, value = maps[field.type_name].field
        return f"map<{_type(key, {})},{_type(value, {})}>"
    return field.type_name[1:] or FieldDescriptorProto.Type.Name(field.type).removeprefix("TYPE_").lower()


def print_text(protocol):
    """The lines of a text that parse_text reads."""
    lines = []
    for kind, all_of_kind in (("enum", protocol.enums), ("message", protocol.messages)):
        for name, numbered in sorted(all_of_kind.items()):
            lines += ["", f"{kind} {name}"]
            lines += [f"  {number} {entry}" for number, entry in sorted(numbered.entries.items())]
            lines += [f"  reserved {first}" + (f" to {last}" if last != first else "")
                      for first, last in sorted(numbered.reserved)]
    for name, rpcs in sorted(protocol.services.items()):
        lines += ["", f"service {name}"]
        lines += [f"  {rpc}({takes}) returns ({returns})" for rpc, (takes, returns) in sorted(rpcs.items())]
    return lines


def parse_text(lines):
    """The protocol of a text that print_text wrote. Raises ValueError with the line that it cannot read."""
    protocol = Protocol()
    current = None
    for number, line in enumerate(lines, 1):
        kind, _, name = line.partition(" ")
        if not line or line.startswith("#"):
            continue
        if kind in ("enum", "message"):
            pattern = FIELD if kind == "message" else VALUE
            current = Numbered()
            (protocol.messages if kind == "message" else protocol.enums)[name] = current
        elif kind == "service":
            current = protocol.services[name] = {}
        elif isinstance(current, dict) and (match := RPC.fullmatch(line)):
            current[match["name"]] = (match["takes"], match["returns"])
        elif isinstance(current, Numbered) and (match := RESERVED.fullmatch(line)):
            current.reserved.append((int(match["first"]), int(match["last"] or match["first"])))
        elif isinstance(current, Numbered) and (match := pattern.fullmatch(line)):
            current.entries[int(match["number"])] = (
                Field(match["name"], match["type"], match["label"] or "") if pattern is FIELD else match["names"])
        else:
            raise ValueError(f"line {number}: '{line}' has no meaning here")
    return protocol
