#include "common/ir/fingerprint.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "common/check.h"
#include "common/ir/attributes/attribute_dictionary.h"
#include "common/ir/attributes/attribute_write.h"
#include "common/ir/attributes/canonical_attributes.h"
#include "common/ir/calls/call_graph.h"

namespace acceld::ir {
namespace {

// Collects the canonical bytes and hashes them in large pieces. Every run of bytes is preceded by
// its length and every list by its count, so that different programs never give the same bytes.
class Encoder {
 public:
  void Number(uint64_t value) {
    for (int i = 0; i < 8; ++i) buffer_.push_back(static_cast<char>(value >> (8 * i)));
    if (buffer_.size() >= kFlushBytes) Flush();
  }
  void Bytes(absl::string_view bytes) {
    Number(bytes.size());
    if (bytes.size() >= kFlushBytes) {
      // Large constants go to the hasher without a copy.
      Flush();
      hasher_.Add(bytes);
      return;
    }
    buffer_.append(bytes.data(), bytes.size());
  }
  Digest Finish() {
    Flush();
    return hasher_.Finish();
  }

 private:
  static constexpr size_t kFlushBytes = size_t{1} << 16;
  void Flush() {
    hasher_.Add(buffer_);
    buffer_.clear();
  }
  Hasher hasher_;
  std::string buffer_;
};

void EncodeTensor(const TensorType& type, Encoder& out) {
  out.Bytes(DTypeName(type.dtype));
  out.Number(type.dims.size());
  for (int64_t dim : type.dims) out.Number(static_cast<uint64_t>(dim));
}

// Recurses as deep as types and attributes nest, which the verifier bounds.
void EncodeType(const Type& type, Encoder& out) {
  out.Number(static_cast<uint64_t>(type.kind()));
  if (type.IsTensor()) EncodeTensor(type.tensor(), out);
  out.Number(type.elements().size());
  for (const Type& element : type.elements()) EncodeType(element, out);
}

bool AllElementsEqual(const Literal& literal) {
  const absl::string_view bytes = literal.bytes();
  const auto element = static_cast<size_t>(StorageBytesOf(literal.type().dtype));
  return bytes.size() >= element &&
         bytes.substr(element) == bytes.substr(0, bytes.size() - element);
}

// Encodes the elements of a literal, independent of whether it is stored as a splat.
void EncodeLiteral(const Literal& literal, Encoder& out) {
  EncodeTensor(literal.type(), out);
  const absl::string_view bytes = literal.bytes();
  out.Bytes(AllElementsEqual(literal) ? bytes.substr(0, StorageBytesOf(literal.type().dtype))
                                      : bytes);
}

void EncodeDictionary(const AttributeDictionary& entries, Encoder& out);

struct AttributeEncoder {
  Encoder& out;

  void operator()(const UnitAttribute&) {}
  void operator()(const IntegerAttribute& a) {
    out.Bytes(DTypeName(a.dtype));
    out.Number(static_cast<uint64_t>(a.value));
  }
  void operator()(const FloatAttribute& a) {
    out.Bytes(DTypeName(a.dtype));
    uint64_t bits = 0;
    static_assert(sizeof(bits) == sizeof(a.value));
    std::copy_n(reinterpret_cast<const char*>(&a.value), sizeof(bits),
                reinterpret_cast<char*>(&bits));
    out.Number(bits);
  }
  void operator()(const StringAttribute& a) { out.Bytes(a.value); }
  void operator()(const SymbolAttribute& a) { out.Bytes(a.name); }
  void operator()(const EnumAttribute& a) { out.Bytes(a.keyword); }
  void operator()(const DenseArrayAttribute& a) {
    out.Bytes(DTypeName(a.dtype));
    out.Number(a.values.size());
    for (int64_t value : a.values) out.Number(static_cast<uint64_t>(value));
  }
  void operator()(const ArrayAttribute& a) {
    out.Number(a.elements.size());
    for (const Attribute& element : a.elements) Encode(element);
  }
  void operator()(const DictionaryAttribute& a) { EncodeDictionary(a.entries, out); }
  void operator()(const StructAttribute& a) {
    out.Bytes(a.name);
    EncodeDictionary(a.fields, out);
  }
  void operator()(const Type& a) { EncodeType(a, out); }
  void operator()(const Literal& a) { EncodeLiteral(a, out); }
  void operator()(const OpaqueAttribute& a) { out.Bytes(a.text); }

  void Encode(const Attribute& attribute) {
    out.Number(attribute.value.index());
    std::visit(*this, attribute.value);
  }
};

void EncodeDictionary(const AttributeDictionary& entries, Encoder& out) {
  out.Number(entries.size());
  for (const auto& [name, attribute] : entries) {
    out.Bytes(name);
    AttributeEncoder{out}.Encode(attribute);
  }
}

// Numbers functions in the order of their first call.
class FunctionNumbers {
 public:
  size_t NumberOf(const std::string& name) {
    const auto [entry, is_new] = numbers_.emplace(name, order_.size());
    if (is_new) order_.push_back(name);
    return entry->second;
  }
  size_t size() const { return order_.size(); }
  const std::string& NameAt(size_t number) const { return order_[number]; }

 private:
  absl::flat_hash_map<std::string, size_t> numbers_;
  std::vector<std::string> order_;
};

// Encodes meshes and processes; nothing for a program of one process.
void EncodeProcesses(const Module& module, const Function& entry, Encoder& out) {
  if (module.grid.size() == 1) return;
  out.Number(static_cast<uint64_t>(module.grid.num_replicas));
  out.Number(static_cast<uint64_t>(module.grid.num_partitions));
  out.Number(module.meshes.size());
  for (const Mesh& mesh : module.meshes) {
    out.Number(mesh.axes.size());
    for (const MeshAxis& axis : mesh.axes) out.Number(static_cast<uint64_t>(axis.size));
    out.Number(mesh.device_ids.size());
    for (const int64_t id : mesh.device_ids) out.Number(static_cast<uint64_t>(id));
  }
  for (const auto* shardings : {&entry.parameter_shardings, &entry.result_shardings}) {
    out.Number(shardings->size());
    for (const std::optional<Sharding>& sharding : *shardings) {
      out.Number(sharding.has_value() ? 1 : 0);
      if (sharding.has_value()) EncodeDictionary(WriteFields(*sharding), out);
    }
  }
}

class FunctionEncoder {
 public:
  FunctionEncoder(const Function& function, FunctionNumbers& functions, Encoder& out)
      : function_(function), functions_(functions), out_(out) {}

  void Run() { EncodeRegion(function_.body); }

 private:
  void Define(const std::vector<ValueId>& ids) {
    out_.Number(ids.size());
    for (ValueId id : ids) {
      numbers_[id] = numbers_.size();
      EncodeType(function_.TypeOf(id), out_);
    }
  }
  void Use(const std::vector<ValueId>& ids) {
    out_.Number(ids.size());
    for (ValueId id : ids) out_.Number(numbers_.at(id));
  }

  // Recurses as deep as the regions nest, which the verifier bounds.
  void EncodeRegion(const Region& region) {
    Define(region.parameters);
    out_.Number(region.ops.size());
    for (const Op& op : region.ops) {
      out_.Bytes(NameOf(op.kind));
      EncodeAttributes(op);
      Use(op.operands);
      out_.Number(op.regions.size());
      for (const Region& inner : op.regions) EncodeRegion(inner);
      Define(op.results);
    }
    Use(region.results);
  }

  void EncodeAttributes(const Op& op) {
    OpAttributes attributes = CanonicalAttributes(op, function_);
    if (const std::string* callee = CalleeOf(op)) {
      out_.Number(functions_.NumberOf(*callee));
      // The number of the callee is encoded instead of its name.
      if (auto* call = std::get_if<CallAttributes>(&attributes)) call->callee.name.clear();
      if (auto* composite = std::get_if<CompositeAttributes>(&attributes)) {
        composite->decomposition.name.clear();
      }
    }
    EncodeDictionary(ToDictionary(attributes), out_);
  }

  const Function& function_;
  FunctionNumbers& functions_;
  Encoder& out_;
  absl::flat_hash_map<ValueId, size_t> numbers_;
};

}  // namespace

Digest Fingerprint(const Module& module, absl::string_view entry) {
  // To be changed with the encoding, so that stored fingerprints of another encoding do not match.
  constexpr absl::string_view kForm = "acceld program, form 1";
  absl::flat_hash_map<absl::string_view, const Function*> by_name;
  for (const Function& function : module.functions) by_name[function.name] = &function;
  Encoder out;
  out.Bytes(kForm);
  FunctionNumbers functions;
  functions.NumberOf(std::string(entry));
  for (size_t i = 0; i < functions.size(); ++i) {
    const auto found = by_name.find(functions.NameAt(i));
    ACCELD_CHECK(found != by_name.end());
    if (i == 0) EncodeProcesses(module, *found->second, out);
    FunctionEncoder(*found->second, functions, out).Run();
  }
  return out.Finish();
}

}  // namespace acceld::ir
