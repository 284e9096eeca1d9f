#include "server/compiler/passes/cleanup/op_equality.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"

namespace acceld::compiler {
namespace {

size_t Mix(size_t state, size_t value) { return absl::HashOf(state, value); }

// Hashes the attributes that are cheap to hash: numbers, strings and constants. Untyped attributes
// are not hashed, only compared.
struct AttributeHasher {
  size_t state = 0;

  void Add(bool value) { state = Mix(state, value ? 1 : 2); }
  void Add(int64_t value) { state = Mix(state, static_cast<size_t>(value)); }
  void Add(double value) { state = Mix(state, absl::HashOf(value)); }
  void Add(const std::string& value) { state = Mix(state, absl::HashOf(value)); }
  void Add(const ir::FunctionName& value) { Add(value.name); }
  void Add(ir::PrecisionType value) { Add(std::string(NameOf(value))); }
  void Add(const ir::Literal& value) {
    state = Mix(state, absl::HashOf(value.type(), value.is_splat(), value.bytes()));
  }
  void Add(const ir::PaddingPairs& value) {
    for (const auto& [low, high] : value.pairs) {
      Add(low);
      Add(high);
    }
  }
  void Add(const ir::Attribute&) {}
  void Add(const ir::AttributeDictionary&) {}
  template <typename T>
  void Add(const std::vector<T>& values) {
    Add(static_cast<int64_t>(values.size()));
    for (const T& value : values) Add(value);
  }
  template <typename T>
  void Add(const std::optional<T>& value) {
    if (value.has_value()) Add(*value);
  }
  template <typename T>
  void Add(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      Add(static_cast<int64_t>(value));
    } else {
      T::VisitFields(value, *this);
    }
  }
  template <typename T>
  void Visit(const char*, const T& value) {
    Add(value);
  }
};

size_t HashAttributes(const ir::OpAttributes& attributes) {
  AttributeHasher hasher;
  std::visit(
      [&](const auto& value) {
        using Attributes = std::decay_t<decltype(value)>;
        Attributes::VisitFields(value, hasher);
      },
      attributes);
  return hasher.state;
}

size_t HashRegion(const ir::Region& region) {
  size_t state = region.ops.size();
  for (const ir::Op& op : region.ops) {
    state = Mix(state, static_cast<size_t>(op.kind));
    for (const ir::Region& inner : op.regions) state = Mix(state, HashRegion(inner));
  }
  return state;
}

class Comparison {
 public:
  explicit Comparison(const ir::Function& function) : function_(function) {}

  bool SameOp(const ir::Op& a, const ir::Op& b) {
    if (a.kind != b.kind || a.operands.size() != b.operands.size() ||
        a.results.size() != b.results.size() || a.regions.size() != b.regions.size() ||
        !SameValues(a.operands, b.operands) || !SameTypes(a.results, b.results) ||
        a.attributes != b.attributes) {
      return false;
    }
    for (size_t i = 0; i < a.regions.size(); ++i) {
      if (!SameRegion(a.regions[i], b.regions[i])) return false;
    }
    return true;
  }

 private:
  bool SameRegion(const ir::Region& a, const ir::Region& b) {
    if (a.parameters.size() != b.parameters.size() || a.ops.size() != b.ops.size() ||
        a.results.size() != b.results.size() || !SameTypes(a.parameters, b.parameters)) {
      return false;
    }
    Define(a.parameters, b.parameters);
    for (size_t i = 0; i < a.ops.size(); ++i) {
      if (!SameOp(a.ops[i], b.ops[i])) return false;
      Define(a.ops[i].results, b.ops[i].results);
    }
    return SameValues(a.results, b.results);
  }

  bool SameValues(const std::vector<ir::ValueId>& a, const std::vector<ir::ValueId>& b) const {
    for (size_t i = 0; i < a.size(); ++i) {
      const auto it = inner_.find(a[i]);
      if ((it == inner_.end() ? a[i] : it->second) != b[i]) return false;
    }
    return true;
  }

  bool SameTypes(const std::vector<ir::ValueId>& a, const std::vector<ir::ValueId>& b) const {
    for (size_t i = 0; i < a.size(); ++i) {
      if (function_.TypeOf(a[i]) != function_.TypeOf(b[i])) return false;
    }
    return true;
  }

  void Define(const std::vector<ir::ValueId>& a, const std::vector<ir::ValueId>& b) {
    for (size_t i = 0; i < a.size(); ++i) inner_[a[i]] = b[i];
  }

  const ir::Function& function_;
  absl::flat_hash_map<ir::ValueId, ir::ValueId> inner_;  // values defined inside a -> inside b
};

}  // namespace

size_t HashComputation(const ir::Function& function, const ir::Op& op) {
  size_t state = Mix(static_cast<size_t>(op.kind), HashAttributes(op.attributes));
  for (ir::ValueId id : op.operands) state = Mix(state, id);
  for (ir::ValueId id : op.results) {
    if (function.TypeOf(id).IsTensor()) state = Mix(state, absl::HashOf(function.TensorOf(id)));
  }
  for (const ir::Region& region : op.regions) state = Mix(state, HashRegion(region));
  return state;
}

bool SameComputation(const ir::Function& function, const ir::Op& a, const ir::Op& b) {
  return Comparison(function).SameOp(a, b);
}

}  // namespace acceld::compiler
