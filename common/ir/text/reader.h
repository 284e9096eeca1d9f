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

// The state that all parts of the reader share, and the grammar of types.
namespace acceld::ir::text {

// The type of a function.
struct FunctionType {
  std::vector<Type> parameters;
  std::vector<Type> results;
};

// The value of an alias. Each use of the alias is a copy, whose nesting levels count where it is
// used.
template <typename Value>
struct Alias {
  Value value;
  int64_t memory_bytes = 0;
  int depth = 0;  // the nesting levels of the value
};

// The position in the text, and the declarations that hold for all of it.
struct Reader {
  Reader(absl::string_view source, absl::string_view file_name)
      : lexer(source, file_name), totals(static_cast<int64_t>(source.size())) {}

  // Charges the memory of something that is built from the text at `offset`.
  absl::Status Charge(int64_t bytes, absl::string_view what, size_t offset);

  Lexer lexer;
  absl::flat_hash_map<std::string, Alias<Attribute>> attribute_aliases;    // by "#name"
  absl::flat_hash_map<std::string, Alias<Type>> type_aliases;              // by "!name"
  absl::flat_hash_map<std::string, Quantization> quantization_aliases;     // by "!name"
  absl::flat_hash_map<std::string, DType> element_aliases;                 // by "!name"
  absl::flat_hash_map<std::string, Alias<FunctionType>> function_aliases;  // by "!name"
  absl::flat_hash_set<std::string> location_aliases;                       // "#name"
  // The first use of each alias that a location refers to; it may be declared later.
  absl::flat_hash_map<std::string, size_t> named_locations;
  int region_depth = 0;    // of the regions that are being read
  int depth = 0;           // of the type or attribute that is being read
  int max_depth_seen = 0;  // the largest `depth` since this was set to 0
  ImportTotals totals;
};

// Counts a nested region while it lives; status() is an error beyond limits::kMaxRegionDepth.
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

// Counts nesting levels of types and attributes while it lives; status() is an error beyond
// limits::kMaxDepth.
class Nesting {
 public:
  // `levels` are the levels to count: more than one for a value that was read elsewhere.
  explicit Nesting(Reader& reader, int levels = 1) : reader_(reader), levels_(levels) {
    reader_.depth += levels_;
    reader_.max_depth_seen = std::max(reader_.max_depth_seen, reader_.depth);
  }
  ~Nesting() { reader_.depth -= levels_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
  absl::Status status() const;

 private:
  Reader& reader_;
  const int levels_;
};

// Skips loc(...)? and notes the aliases that it refers to.
absl::Status SkipLocation(Reader& reader);
// Returns an error for the first alias that a location refers to and that is not declared. For the
// end of the text.
absl::Status CheckNamedLocations(const Reader& reader);
// True when the current token is the alias of a function type.
bool AtFunctionAlias(const Reader& reader);

// Reads the type of a value: tensor<...>, tuple<...>, !stablehlo.token or an alias of one.
absl::StatusOr<Type> ReadType(Reader& reader);
// Reads tensor<...>, not quantized. With `allow_index`, for attributes, `index` elements are read
// as i64.
absl::StatusOr<TensorType> ReadTensorType(Reader& reader, bool allow_index = false);
// Reads i32, bf16, complex<f32>.
absl::StatusOr<DType> ReadDType(Reader& reader, bool allow_index = false);
// Reads !quant.uniform<...>, or an alias of one: the element type of a quantized tensor.
absl::StatusOr<Quantization> ReadQuantization(Reader& reader);
// True when the current token can only start a type of ReadQuantization.
bool AtQuantization(const Reader& reader);
// Reads type (',' type)*.
absl::StatusOr<std::vector<Type>> ReadTypeList(Reader& reader);
// Reads (types) -> type or (types) -> (types), or an alias. Parentheses are needed on the left.
absl::StatusOr<FunctionType> ReadFunctionType(Reader& reader);
// Reads what follows "->": one type, or a list in parentheses, which may be empty.
absl::StatusOr<std::vector<Type>> ReadResultTypes(Reader& reader);
// True when the current token can only start a type of ReadType.
bool AtType(const Reader& reader);

}  // namespace acceld::ir::text
