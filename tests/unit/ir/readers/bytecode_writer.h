#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace acceld::ir {

// Writes MLIR bytecode piece by piece, right or wrong: what no producer would write too. Each piece
// gets the number by which others name it.
class BytecodeWriter {
 public:
  explicit BytecodeWriter(uint64_t version = 6) : version_(version) {}

  static std::string Varint(uint64_t value);
  static std::string Signed(int64_t value);
  // A varint and the bytes.
  static std::string Blob(absl::string_view bytes);
  static std::string Section(uint8_t id, absl::string_view data);

  uint64_t String(absl::string_view text);
  uint64_t Op(absl::string_view dialect, absl::string_view name, bool registered = true);
  uint64_t Attribute(absl::string_view dialect, absl::string_view encoded);
  // An attribute of a dialect that had no encoding for it.
  uint64_t TextAttribute(absl::string_view dialect, absl::string_view text);
  uint64_t Type(absl::string_view dialect, absl::string_view encoded);
  uint64_t Properties(absl::string_view bytes);
  // A blob of the builtin dialect.
  uint64_t Resource(absl::string_view key, absl::string_view bytes);

  // The file with `ops` as the body of function @main, which takes nothing, gives `results` (types)
  // and defines `num_values` values.
  std::string Finish(const std::vector<uint64_t>& results, const std::vector<std::string>& ops,
                     uint64_t num_values);
  // One op for Finish. `regions` are encoded and not isolated.
  static std::string EncodeOp(uint64_t name, const std::vector<uint64_t>& properties,
                              const std::vector<uint64_t>& result_types,
                              const std::vector<uint64_t>& operands,
                              const std::vector<std::string>& regions = {}, uint64_t location = 0);
  // A region of one block without parameters.
  static std::string EncodeRegion(const std::vector<std::string>& ops, uint64_t num_values);

 private:
  struct Entry {
    uint64_t dialect;
    std::string data;
    bool registered = true;
    bool has_encoding = true;
  };
  struct ResourceEntry {
    uint64_t key;
    std::string bytes;
  };
  uint64_t Dialect(absl::string_view name);
  std::string File(absl::string_view ir) const;

  uint64_t version_;
  std::vector<std::string> strings_;
  std::vector<uint64_t> dialects_;  // strings
  std::vector<Entry> ops_, attributes_, types_;
  std::vector<std::string> properties_;
  std::vector<ResourceEntry> resources_;
};

}  // namespace acceld::ir
