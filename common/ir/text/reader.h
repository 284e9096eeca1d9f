#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "common/ir/attributes/attribute.h"
#include "common/ir/import/importer.h"
#include "common/ir/text/lexer.h"
#include "common/ir/types/type.h"

// What every part of the reader shares, and the grammar of types.
namespace acceld::ir::text {

struct FunctionType {
  std::vector<Type> parameters;
  std::vector<Type> results;
};

// A value with a name. Each use is a copy, and nests where it stands.
template <typename Value>
struct Alias {
  Value value;
  int64_t memory_bytes = 0;
  int depth = 0;  // of what nests in it
};

// A place in the text and what was declared for all of it.
struct Reader {
  Reader(absl::string_view source, absl::string_view file_name)
      : lexer(source, file_name), totals(static_cast<int64_t>(source.size())) {}

  // Counts what is built, which stands at `offset` of the source.
  absl::Status Charge(int64_t bytes, absl::string_view what, size_t offset);

  Lexer lexer;
  absl::flat_hash_map<std::string, Alias<Attribute>> attribute_aliases;    // by "#name"
  absl::flat_hash_map<std::string, Alias<Type>> type_aliases;              // by "!name"
  absl::flat_hash_map<std::string, Quantization> quantization_aliases;     // by "!name"
  absl::flat_hash_map<std::string, DType> element_aliases;                 // by "!name"
  absl::flat_hash_map<std::string, Alias<FunctionType>> function_aliases;  // by "!name"
  absl::flat_hash_set<std::string> location_aliases;                       // "#name"
  // Locations may name aliases that follow: where each name stands first.
  absl::flat_hash_map<std::string, size_t> named_locations;
  int region_depth = 0;  // of the ops that are being read
  int depth = 0;         // of the type or attribute that is being read
  int deepest = 0;       // that has been reached since somebody set this
  ImportTotals totals;
};

// Counts a region while it lives; status() is an error beyond limits::kMaxRegionDepth.
class RegionNesting {
 public:
  explicit RegionNesting(Reader& reader) : reader_(reader) { ++reader_.region_depth; }
  ~RegionNesting() { --reader_.region_depth; }
  RegionNesting(const RegionNesting&) = delete;
  RegionNesting& operator=(const RegionNesting&) = delete;
  absl::Status status() const;

 private:
  Reader& reader_;
};

// Counts levels of types and attributes while it lives; status() is an error beyond
// limits::kMaxDepth.
class Nesting {
 public:
  // `levels` at once: those of something that was read elsewhere.
  explicit Nesting(Reader& reader, int levels = 1) : reader_(reader), levels_(levels) {
    reader_.depth += levels_;
    reader_.deepest = std::max(reader_.deepest, reader_.depth);
  }
  ~Nesting() { reader_.depth -= levels_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
  absl::Status status() const;

 private:
  Reader& reader_;
  const int levels_;
};

// loc(...)?, with note taken of the aliases that it names.
absl::Status SkipLocation(Reader& reader);
// An error for the first alias named in a location that is declared nowhere. For the end of the
// text.
absl::Status CheckNamedLocations(const Reader& reader);
// True when the current token is the alias of a function type.
bool AtFunctionAlias(const Reader& reader);

// type of a value: tensor<...>, tuple<...>, !stablehlo.token or an alias of one.
absl::StatusOr<Type> ReadType(Reader& reader);
// tensor<...> that is not quantized; in attributes `index` elements are allowed and read as i64.
absl::StatusOr<TensorType> ReadTensorType(Reader& reader, bool allow_index = false);
// i32, bf16, complex<f32>.
absl::StatusOr<DType> ReadDType(Reader& reader, bool allow_index = false);
// !quant.uniform<...> or an alias of one: what the elements of a quantized tensor are.
absl::StatusOr<Quantization> ReadQuantization(Reader& reader);
// True when the current token can only start that.
bool AtQuantization(const Reader& reader);
// type (, type)*
absl::StatusOr<std::vector<Type>> ReadTypeList(Reader& reader);
// (types) -> type or (types) -> (types). Parentheses are needed on the left.
absl::StatusOr<FunctionType> ReadFunctionType(Reader& reader);
// What stands after "->": one type, or a list in parentheses, which may be empty.
absl::StatusOr<std::vector<Type>> ReadResultTypes(Reader& reader);
// True when the current token can only start a type of ReadType.
bool AtType(const Reader& reader);

}  // namespace acceld::ir::text
