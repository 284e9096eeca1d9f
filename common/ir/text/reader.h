#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/ir/attribute.h"
#include "common/ir/importer.h"
#include "common/ir/text/lexer.h"
#include "common/ir/type.h"

// What every part of the reader shares, and the grammar of types.
namespace acceld::ir::text {

struct FunctionType {
  std::vector<Type> parameters;
  std::vector<Type> results;
};

// A place in the text and what was declared for all of it.
struct Reader {
  Reader(absl::string_view source, absl::string_view file_name) : lexer(source, file_name) {}

  Lexer lexer;
  absl::flat_hash_map<std::string, Attribute> attribute_aliases;        // by "#name"
  absl::flat_hash_map<std::string, Type> type_aliases;                  // by "!name"
  absl::flat_hash_map<std::string, Quantization> quantization_aliases;  // by "!name"
  int depth = 0;  // of what is being read: regions, types, attributes
  ImportTotals totals;
};

// Counts one level of nesting while it lives; status() is an error beyond limits::kMaxDepth.
class Nesting {
 public:
  explicit Nesting(Reader& reader) : reader_(reader) { ++reader_.depth; }
  ~Nesting() { --reader_.depth; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
  absl::Status status() const;

 private:
  Reader& reader_;
};

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
