#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/ir/attributes/attribute_dictionary.h"
#include "common/ir/attributes/attribute_write.h"
#include "common/ir/processes/sharding.h"
#include "common/ir/text/printer.h"
#include "common/ir/types/literal_text.h"

namespace acceld::ir::text {
namespace {

std::string List(absl::Span<const int64_t> values) {
  return absl::StrCat("[", absl::StrJoin(values, ", "), "]");
}

template <typename Enum>
const char* Keyword(Enum value) {
  return EnumKeywords(value)[static_cast<int>(value)];
}

// Writes the pretty form for a struct of attributes; returns false if there is none.
class PrettyForm {
 public:
  PrettyForm(FunctionPrinter& printer, const Op& op) : printer_(printer), op_(op) {}

  bool operator()(const NoAttributes&) {
    if (op_.kind == OpKind::kOptimizationBarrier) return OptimizationBarrier();
    if (op_.kind == OpKind::kSelect) return Select();
    for (const OpKind kind : {OpKind::kAfterAll, OpKind::kCreateToken, OpKind::kPartitionId,
                              OpKind::kReplicaId, OpKind::kTuple}) {
      if (op_.kind == kind) return ResultTypeOnly();
    }
    Start();
    if (FamilyOf(op_.kind) != OpFamily::kElementwise) return Functional("");
    return SharedType("");
  }
  bool operator()(const ConstantAttributes& a) {
    Append(NameOf(op_.kind), " ", ToString(a.value));
    return true;
  }
  bool operator()(const CompareAttributes& a) {
    Append(NameOf(op_.kind), " ", Keyword(a.comparison_direction), ", ");
    printer_.Values(op_.operands);
    if (a.compare_type == ComparisonType::kNone) return Functional("");
    return Functional(absl::StrCat(", ", Keyword(a.compare_type)));
  }
  bool operator()(const ReducePrecisionAttributes& a) {
    Start();
    return SharedType(absl::StrCat(", format = e", a.exponent_bits, "m", a.mantissa_bits));
  }
  bool operator()(const BroadcastInDimAttributes& a) {
    Start();
    return Functional(absl::StrCat(", dims = ", List(a.broadcast_dimensions)));
  }
  bool operator()(const IotaAttributes& a) {
    Append(NameOf(op_.kind), " dim = ", a.iota_dimension, " : ", ResultType());
    return true;
  }
  bool operator()(const TransposeAttributes& a) {
    Start();
    return Functional(absl::StrCat(", dims = ", List(a.permutation)));
  }
  bool operator()(const DimensionsAttributes& a) {
    Start();
    return SharedType(absl::StrCat(", dims = ", List(a.dimensions)));
  }
  bool operator()(const DimensionAttributes& a) {
    Start();
    return Functional(absl::StrCat(", dim = ", a.dimension));
  }
  bool operator()(const SliceAttributes& a) {
    if (a.start_indices.size() != a.limit_indices.size() ||
        a.start_indices.size() != a.strides.size()) {
      return false;
    }
    Start();
    std::string ranges;
    for (size_t i = 0; i < a.start_indices.size(); ++i) {
      absl::StrAppend(&ranges, i == 0 ? "" : ", ", a.start_indices[i], ":", a.limit_indices[i]);
      if (a.strides[i] != 1) absl::StrAppend(&ranges, ":", a.strides[i]);
    }
    return Functional(absl::StrCat(" [", ranges, "]"));
  }
  bool operator()(const DynamicSliceAttributes& a) {
    Start();
    return Functional(absl::StrCat(", sizes = ", List(a.slice_sizes)));
  }
  bool operator()(const PadAttributes& a) {
    Start();
    return Functional(absl::StrCat(", low = ", List(a.edge_padding_low),
                                   ", high = ", List(a.edge_padding_high),
                                   ", interior = ", List(a.interior_padding)));
  }
  bool operator()(const DotGeneralAttributes& a) {
    Start();
    const DotDimensionNumbers& numbers = a.dot_dimension_numbers;
    std::string fields;
    if (!numbers.lhs_batching_dimensions.empty() || !numbers.rhs_batching_dimensions.empty()) {
      absl::StrAppend(&fields, ", batching_dims = ", List(numbers.lhs_batching_dimensions), " x ",
                      List(numbers.rhs_batching_dimensions));
    }
    absl::StrAppend(&fields, ", contracting_dims = ", List(numbers.lhs_contracting_dimensions),
                    " x ", List(numbers.rhs_contracting_dimensions));
    if (!a.precision_config.empty()) {
      const auto keyword = [](std::string* out, Precision p) { *out += Keyword(p); };
      absl::StrAppend(&fields, ", precision = [", absl::StrJoin(a.precision_config, ", ", keyword),
                      "]");
    }
    if (a.algorithm.has_value())
      absl::StrAppend(&fields, ", algorithm = ", Algorithm(*a.algorithm));
    return Functional(fields);
  }
  bool operator()(const IndexAttributes& a) {
    Start();
    return Functional(absl::StrCat("[", a.index, "]"));
  }
  bool operator()(const CallAttributes& a) {
    Append(NameOf(op_.kind), " ", ToString(Attribute{SymbolAttribute{a.callee.name}}), "(");
    printer_.Values(op_.operands);
    return Functional(")");
  }
  bool operator()(const CompositeAttributes& a) {
    Append(NameOf(op_.kind), " ", QuoteText(a.name));
    if (!op_.operands.empty()) Append(" ");
    printer_.Values(op_.operands);
    return Functional(DictionaryWithout("name"));
  }
  bool operator()(const CustomCallAttributes& a) {
    Append(NameOf(op_.kind), " ", ToString(Attribute{SymbolAttribute{a.call_target_name}}), "(");
    printer_.Values(op_.operands);
    Append(")");
    return Functional(DictionaryWithout("call_target_name"));
  }
  bool operator()(const CholeskyAttributes& a) {
    Start();
    return SharedType(a.lower ? ", lower = true" : "");
  }
  bool operator()(const FftAttributes& a) {
    Start();
    return Functional(
        absl::StrCat(", type = ", Keyword(a.fft_type), ", length = ", List(a.fft_length)));
  }
  bool operator()(const RngAttributes& a) {
    Start();
    return Functional(absl::StrCat(", distribution = ", Keyword(a.rng_distribution)));
  }
  bool operator()(const RngBitGeneratorAttributes& a) {
    Start();
    return Functional(absl::StrCat(", algorithm = ", Keyword(a.rng_algorithm)));
  }
  bool operator()(const DynamicBroadcastInDimAttributes& a) {
    Start();
    return Functional(absl::StrCat(", dims = ", List(a.broadcast_dimensions),
                                   DictionaryWithout("broadcast_dimensions")));
  }
  bool operator()(const EinsumAttributes& a) {
    Start();
    return Functional(absl::StrCat(", config = ", QuoteText(a.einsum_config)));
  }
  bool operator()(const ShardingConstraintAttributes& a) {
    Start();
    return SharedType(absl::StrCat(" ", ToString(a.sharding, printer_.meshes())));
  }
  bool operator()(const ShardingGroupAttributes& a) {
    Start();
    Append(" group_id=", a.group_id, " : ", printer_.function().TypeOf(op_.operands[0]).ToString());
    return true;
  }
  // Ops that have no pretty form in StableHLO, have one that is no shorter than the generic form,
  // or have regions.
  template <typename Attributes>
  bool operator()(const Attributes&) {
    return false;
  }

 private:
  template <typename... Parts>
  void Append(const Parts&... parts) {
    absl::StrAppend(&printer_.out(), parts...);
  }
  // Appends the name and the operands.
  void Start() {
    Append(NameOf(op_.kind), " ");
    printer_.Values(op_.operands);
  }
  std::string ResultType() const { return printer_.function().TypeOf(op_.results[0]).ToString(); }
  bool Functional(absl::string_view fields) {
    Append(fields);
    printer_.Signature(op_);
    return true;
  }
  // Appends one type if operands and result have the same, else a function type.
  bool SharedType(absl::string_view fields) {
    const Function& function = printer_.function();
    const Type& result = function.TypeOf(op_.results[0]);
    const bool shared = std::all_of(op_.operands.begin(), op_.operands.end(),
                                    [&](ValueId id) { return function.TypeOf(id) == result; });
    if (!shared) return Functional(fields);
    Append(fields, " : ", result.ToString());
    return true;
  }
  // Appends the predicate's type and the type of the other operands, even if they are equal.
  bool Select() {
    Start();
    const Function& function = printer_.function();
    const Type& result = function.TypeOf(op_.results[0]);
    if (!(function.TypeOf(op_.operands[1]) == result) ||
        !(function.TypeOf(op_.operands[2]) == result)) {
      return Functional("");
    }
    Append(" : ", function.TypeOf(op_.operands[0]).ToString(), ", ", result.ToString());
    return true;
  }
  bool ResultTypeOnly() {
    Append(NameOf(op_.kind), op_.operands.empty() ? "" : " ");
    printer_.Values(op_.operands);
    Append(" : ", ResultType());
    return true;
  }
  bool OptimizationBarrier() {
    Append(NameOf(op_.kind), " ");
    if (op_.operands.empty()) {
      Append("()");
      return true;
    }
    printer_.Values(op_.operands);
    Append(" : ", ToString(printer_.function().TypesOf(op_.results)));
    return true;
  }
  // Returns all fields, since other tools have no defaults for them.
  static std::string Algorithm(const DotAlgorithm& a) {
    return absl::StrCat("<lhs_precision_type = ", NameOf(a.lhs_precision_type),
                        ", rhs_precision_type = ", NameOf(a.rhs_precision_type),
                        ", accumulation_type = ", NameOf(a.accumulation_type),
                        ", lhs_component_count = ", a.lhs_component_count,
                        ", rhs_component_count = ", a.rhs_component_count,
                        ", num_primitive_operations = ", a.num_primitive_operations,
                        ", allow_imprecise_accumulation = ",
                        a.allow_imprecise_accumulation ? "true" : "false", ">");
  }
  // Returns " {...}" with the attributes that the form itself does not contain.
  std::string DictionaryWithout(const std::string& shown) const {
    AttributeDictionary dictionary = GenericProperties(op_);
    dictionary.erase(shown);
    if (dictionary.empty()) return "";
    return absl::StrCat(" ", ToString(Attribute{DictionaryAttribute{std::move(dictionary)}}));
  }

  FunctionPrinter& printer_;
  const Op& op_;
};

}  // namespace

bool PrintPrettyForm(FunctionPrinter& printer, const Op& op) {
  if (!op.regions.empty()) return false;
  return std::visit(PrettyForm(printer, op), op.attributes);
}

namespace {

// Returns all attributes of a collective op, since StableHLO requires them even if they equal their
// defaults. Its flags are there or not.
AttributeDictionary CollectiveProperties(const Op& op) {
  AttributeDictionary properties =
      std::visit([](const auto& fields) { return WriteAllFields(fields); }, op.attributes);
  for (const char* flag : {"has_dynamic_root", "use_global_device_ids"}) {
    const auto found = properties.find(flag);
    if (found == properties.end()) continue;
    if (std::get<IntegerAttribute>(found->second.value).value == 0) {
      properties.erase(found);
    } else {
      found->second.value = UnitAttribute{};
    }
  }
  const auto channel = properties.find("channel_handle");
  if (channel == properties.end()) return properties;
  AttributeDictionary& fields = std::get<StructAttribute>(channel->second.value).fields;
  for (const char* field : {"handle", "type"}) {
    fields.try_emplace(field, Attribute{IntegerAttribute{}});
  }
  return properties;
}

}  // namespace

AttributeDictionary GenericProperties(const Op& op) {
  if (FamilyOf(op.kind) == OpFamily::kCollective) return CollectiveProperties(op);
  AttributeDictionary properties = ToDictionary(op.attributes);
  // Attributes that StableHLO declares as i32.
  for (const char* name : {"api_version", "version"}) {
    const auto found = properties.find(name);
    if (found == properties.end()) continue;
    if (auto* integer = std::get_if<IntegerAttribute>(&found->second.value)) {
      integer->dtype = DType::kI32;
    }
  }
  // Attributes that StableHLO requires even if they equal their defaults.
  const Attribute no_dimensions{DenseArrayAttribute{}};
  if (op.kind == OpKind::kReduce) properties.try_emplace("dimensions", no_dimensions);
  if (op.kind == OpKind::kReduceWindow) properties.try_emplace("window_dimensions", no_dimensions);
  if (op.kind == OpKind::kGather) {
    properties.try_emplace("slice_sizes", no_dimensions);
    properties.try_emplace("dimension_numbers", Attribute{StructAttribute{"gather", {}}});
  }
  if (op.kind == OpKind::kScatter) {
    properties.try_emplace("scatter_dimension_numbers", Attribute{StructAttribute{"scatter", {}}});
  }
  return properties;
}

}  // namespace acceld::ir::text
