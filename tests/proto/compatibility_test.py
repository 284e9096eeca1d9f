#!/usr/bin/env python3
"""What tests/proto/compatibility.py finds, and what it lets pass.

    /usr/bin/python3 tests/proto/compatibility_test.py
"""

import pathlib
import tempfile
import unittest

import compatibility
import protocol_text

PROTOCOL = """
syntax = "proto3";
package acceld.v1;
import "acceld/v1/value.proto";
service Store {
  rpc Get(Key) returns (Value);
  rpc Watch(Key) returns (stream Value);
}
message Key {
  reserved 7 to 9;
  string name = 1;
  repeated uint32 parts = 2;
  optional uint32 version = 3;
  oneof place {
    Place on_disk = 4;
    bytes in_memory = 5;
  }
  message Place { string folder = 1; }
  Kind kind = 6;
  enum Kind { NORMAL = 0; BRIEF = 1; }
}
"""
VALUE = """
syntax = "proto3";
package acceld.v1;
message Value { map<string, Value> parts = 1; }
"""
STORED = """
syntax = "proto3";
package acceld.v1;
message Stored { bytes code = 1; }
"""


def read(protocol):
    """The protocol of acceld/v1/store.proto, beside a file that it imports and one that no service reaches."""
    with tempfile.TemporaryDirectory() as root:
        folder = pathlib.Path(root, "acceld/v1")
        folder.mkdir(parents=True)
        for name, text in (("store", protocol), ("value", VALUE), ("stored", STORED)):
            (folder / f"{name}.proto").write_text(text)
        return compatibility.read_protocol(pathlib.Path(root))


class CompatibilityTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.released = read(PROTOCOL)

    def findings(self, *changes):
        """What is found when each (old, new) of the changes is replaced in the protocol."""
        text = PROTOCOL
        for old, new in changes:
            self.assertEqual(text.count(old), 1, old)
            text = text.replace(old, new)
        return compatibility.compare(self.released, read(text))

    def test_a_protocol_is_compatible_with_itself(self):
        self.assertEqual(self.findings(), [])

    def test_additions_pass(self):
        self.assertEqual(self.findings(
            ("string name = 1;", "string name = 1; string user = 10; Added added = 11;"),
            ("BRIEF = 1;", "BRIEF = 1; LONG = 2;"),
            ("bytes in_memory = 5;", "bytes in_memory = 5; bytes in_cache = 12;"),
            ("rpc Get(", "rpc Put(Key) returns (Value); rpc Get("),
            ("message Key {", "message Added {} message Key {")), [])

    def test_a_field_that_goes_has_to_be_reserved(self):
        self.assertEqual(self.findings(("repeated uint32 parts = 2;", "")),
                         ["acceld.v1.Key: field 2 (repeated uint32 parts) is gone and the number is not reserved"])
        self.assertEqual(self.findings(("repeated uint32 parts = 2;", "reserved 2;")), [])

    def test_a_value_of_an_enum_that_goes_has_to_be_reserved(self):
        self.assertEqual(self.findings(("BRIEF = 1;", "")),
                         ["acceld.v1.Key.Kind: value 1 (BRIEF) is gone and the number is not reserved"])
        self.assertEqual(self.findings(("BRIEF = 1;", "reserved 1;")), [])

    def test_numbers_stay(self):
        self.assertEqual(self.findings(("parts = 2;", "parts = 10;")),
                         ["acceld.v1.Key: field 2 (repeated uint32 parts) has the number 10 now"])
        self.assertEqual(self.findings(("BRIEF = 1;", "BRIEF = 3;")),
                         ["acceld.v1.Key.Kind: value 1 (BRIEF) has the number 3 now"])

    def test_names_types_and_labels_stay(self):
        self.assertEqual(self.findings(("string name = 1;", "string title = 1;")),
                         ["acceld.v1.Key: field 1 was 'string name' and is 'string title'"])
        self.assertEqual(self.findings(("string name = 1;", "bytes name = 1;")),
                         ["acceld.v1.Key: field 1 was 'string name' and is 'bytes name'"])
        self.assertEqual(self.findings(("repeated uint32", "uint32")),
                         ["acceld.v1.Key: field 2 was 'repeated uint32 parts' and is 'uint32 parts'"])
        self.assertEqual(self.findings(("optional uint32", "uint32")),
                         ["acceld.v1.Key: field 3 was 'optional uint32 version' and is 'uint32 version'"])
        self.assertEqual(self.findings(("bytes in_memory = 5;", ""), ("Kind kind", "bytes in_memory = 5; Kind kind")),
                         ["acceld.v1.Key: field 5 was 'oneof(place) bytes in_memory' and is 'bytes in_memory'"])

    def test_reserved_numbers_stay_reserved(self):
        self.assertEqual(self.findings(("reserved 7 to 9;", "reserved 7 to 8; bool old = 9;")),
                         ["acceld.v1.Key: 7 to 9 were reserved, and not all of it is now"])
        self.assertEqual(self.findings(("reserved 7 to 9;", "reserved 7, 8 to 12;")), [])

    def test_calls_and_their_streams_stay(self):
        self.assertEqual(self.findings(("rpc Watch(Key) returns (stream Value);", "")),
                         ["acceld.v1.Store: Watch is gone"])
        self.assertEqual(self.findings(("returns (stream Value)", "returns (Value)")),
                         ["acceld.v1.Store: Watch returned stream acceld.v1.Value, now it is acceld.v1.Value"])
        self.assertEqual(self.findings(("rpc Get(Key)", "rpc Get(Value)")),
                         ["acceld.v1.Store: Get took acceld.v1.Key, now it is acceld.v1.Value"])

    def test_a_type_may_go_with_the_numbers_that_have_it(self):
        gone = ("message Place { string folder = 1; }", "")
        self.assertEqual(
            self.findings(("Place on_disk = 4;", ""), ("string name", "reserved 4; string name"), gone), [])
        self.assertEqual(self.findings(("Place on_disk = 4;", "bytes on_disk = 4;"), gone),
                         ["acceld.v1.Key.Place is gone",
                          "acceld.v1.Key: field 4 was 'oneof(place) acceld.v1.Key.Place on_disk' and is "
                          "'oneof(place) bytes on_disk'"])

    def test_what_no_service_reaches_is_left_out(self):
        self.assertEqual(sorted(self.released.messages),
                         ["acceld.v1.Key", "acceld.v1.Key.Place", "acceld.v1.Value"])

    def test_the_text_can_be_read_again(self):
        lines = protocol_text.print_text(self.released)
        self.assertIn("  1 map<string,acceld.v1.Value> parts", lines)
        self.assertIn("  Watch(acceld.v1.Key) returns (stream acceld.v1.Value)", lines)
        self.assertEqual(protocol_text.parse_text(["# A comment.", *lines]), self.released)

    def test_a_line_that_cannot_be_read_is_named(self):
        for lines in (["message A", "  1"], ["  1 bool a"], ["message A", "  1 bool"], ["service A", "  1 bool a"]):
            with self.assertRaisesRegex(ValueError, f"line {len(lines)}: "):
                protocol_text.parse_text(lines)


if __name__ == "__main__":
    unittest.main()
