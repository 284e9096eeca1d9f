#include "common/ir/specialize/specialize.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/node_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "common/ir/import/static_form.h"
#include "common/ir/infer/infer.h"
#include "common/ir/specialize/dynamic_slice.h"
#include "common/ir/specialize/known_values.h"
#include "common/ir/types/literal_integers.h"
#include "common/ir/verify/limits.h"
#include "common/ir/verify/memory_budget.h"
#include "common/ir/verify/memory_size.h"
#include "common/ir/verify/op_error.h"
#include "common/memory/allocation.h"

namespace acceld::ir {
namespace {

bool IsStatic(const Type& type) {
  switch (type.kind()) {
    case Type::Kind::kTensor:
    case Type::Kind::kQuantized:
      return type.tensor().IsStatic();
    case Type::Kind::kToken:
      return true;
    case Type::Kind::kTuple:
      for (const Type& element : type.elements()) {
        if (!IsStatic(element)) return false;
      }
      return true;
  }
  return false;
}

// The declared shape of a reshape with one unknown dimension follows from the element count.
void SolveReshape(const TensorType& operand, TensorType& declared) {
  if (!operand.IsStatic()) return;
  int64_t known = 1;
  int64_t* unknown = nullptr;
  for (int64_t& dim : declared.dims) {
    if (dim != kDynamicDim) {
      known *= dim;
    } else if (unknown == nullptr) {
      unknown = &dim;
    } else {
      return;
    }
  }
  if (unknown != nullptr && known > 0 && operand.num_elements() % known == 0) {
    *unknown = operand.num_elements() / known;
  }
}

// Returns the declared result types of an op, with sizes from the operands where that is possible.
std::vector<Type> RefineDeclared(const Op& op, const Function& source,
                                 absl::Span<const Type> operands) {
  std::vector<Type> declared = source.TypesOf(op.results);
  if (declared.size() != 1 || operands.empty() || IsStatic(declared[0]) ||
      !declared[0].IsTensor() || !operands[0].IsTensor()) {
    return declared;
  }
  TensorType type = declared[0].tensor();
  const TensorType& operand = operands[0].tensor();
  if (op.kind == OpKind::kReshape) {
    SolveReshape(operand, type);
  } else if (op.kind == OpKind::kBroadcastInDim) {
    const auto& dims = op.As<BroadcastInDimAttributes>().broadcast_dimensions;
    for (size_t i = 0; i < dims.size() && i < operand.dims.size(); ++i) {
      // A dimension of size 1 may be broadcast to any size, so it determines nothing.
      int64_t& dim = type.dims[dims[i]];
      if (dim == kDynamicDim && operand.dims[i] != 1) dim = operand.dims[i];
    }
  } else if (operand.rank() == type.rank() &&
             (op.kind == OpKind::kConvert || op.kind == OpKind::kBitcastConvert)) {
    type.dims = operand.dims;
  }
  declared[0] = std::move(type);
  return declared;
}

// A function that is being specialized.
struct Frame {
  const Function& source;
  Function function;
  KnownValues known;
  // The results of adds, with their operands: a limit is often the sum of an unknown start and a
  // known size.
  absl::flat_hash_map<ValueId, std::pair<ValueId, ValueId>> sums;
};

// Whether the op is an assertion of a program about its dynamic shapes: operand 0 must be true, the
// others are sizes for its message.
bool IsShapeAssertion(const Op& op) {
  return op.kind == OpKind::kCustomCall &&
         op.As<CustomCallAttributes>().call_target_name == "shape_assertion" &&
         op.results.empty() && !op.operands.empty();
}

bool HasDynamicOps(const Region& region) {
  for (const Op& op : region.ops) {
    if (FamilyOf(op.kind) == OpFamily::kDynamic || IsShapeAssertion(op)) return true;
    for (const Region& inner : op.regions) {
      if (HasDynamicOps(inner)) return true;
    }
  }
  return false;
}

bool IsStatic(const Function& function) {
  for (const Type& type : function.value_types) {
    if (!IsStatic(type)) return false;
  }
  return !HasDynamicOps(function.body);
}

int64_t CountOps(const Region& region) {
  int64_t count = static_cast<int64_t>(region.ops.size());
  for (const Op& op : region.ops) {
    for (const Region& inner : op.regions) count += CountOps(inner);
  }
  return count;
}

// How much larger than the program all copies together may be, if there are many.
constexpr int64_t kMaxGrowth = 4;

class Specializer {
 public:
  explicit Specializer(const Module& module)
      : module_(module), budget_(MemoryBudget::ForCopies(MemoryBytesOf(module))) {
    for (const Function& function : module.functions) {
      is_static_ = is_static_ && IsStatic(function);
      num_ops_ += CountOps(function.body);
    }
  }

  absl::StatusOr<Module> Run(const Function& entry, std::vector<Type> arguments) {
    if (!is_static_ && module_.grid.size() != 1) {
      return absl::UnimplementedError(
          "dynamic shapes in a program for several processes are not supported");
    }
    out_ = module_.WithoutFunctions();
    names_.insert("main");
    const std::vector<const Literal*> unknown(arguments.size(), nullptr);
    ACCELD_RETURN_IF_ERROR(Make(entry, std::move(arguments), unknown, "main").status());
    return std::move(out_);
  }

 private:
  using Values = std::vector<absl::optional<Literal>>;
  // A specialized function, with the known values of its results.
  struct Made {
    size_t index = 0;
    Values results;
  };

  absl::StatusOr<Made> Make(const Function& source, std::vector<Type> arguments,
                            absl::Span<const Literal* const> values, std::string name) {
    ACCELD_RETURN_IF_ERROR(
        budget_.Charge(BytesOf(source), absl::StrCat("specialize: @", source.name)));
    Made made{out_.functions.size(), {}};
    out_.functions.emplace_back();
    Frame frame{source, {}, {}};
    Function& function = frame.function;
    function.name = std::move(name);
    function.is_public = made.index == 0;
    function.parameter_shardings = source.parameter_shardings;
    function.result_shardings = source.result_shardings;
    function.value_types = source.value_types;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const ValueId parameter = source.body.parameters[i];
      function.value_types[parameter] = std::move(arguments[i]);
      if (values[i] != nullptr) frame.known.Set(parameter, *values[i]);
    }
    function.body = source.body;
    ACCELD_RETURN_IF_ERROR(Refine(function.body, frame));
    for (ValueId id : function.body.results) {
      const Literal* value = frame.known.Find(id);
      made.results.push_back(value == nullptr ? absl::nullopt : absl::make_optional(*value));
    }
    out_.functions[made.index] = std::move(function);
    return made;
  }

  // Returns the specialization of a callee, which is made on first use.
  absl::StatusOr<const Made*> Callee(const std::string& name, const Op& op, Frame& frame) {
    std::vector<Type> arguments = frame.function.TypesOf(op.operands);
    std::vector<const Literal*> values;
    std::string key = absl::StrCat(name, "(", ToString(arguments), ")");
    for (ValueId id : op.operands) {
      values.push_back(frame.known.Find(id));
      if (values.back() == nullptr) continue;
      absl::StrAppend(&key, " ", values.size(), "=", values.back()->DenseBytes());
    }
    const auto it = made_.find(key);
    if (it != made_.end()) return &it->second;
    const Function* source = module_.Find(name);
    if (source == nullptr || source->body.parameters.size() != arguments.size()) {
      return absl::InternalError(absl::StrCat("specialize: call of unknown function @", name));
    }
    ACCELD_ASSIGN_OR_RETURN(Made made,
                            Make(*source, std::move(arguments), values, FreshName(name)));
    return &(made_[std::move(key)] = std::move(made));
  }

  int64_t BytesOf(const Function& source) {
    const auto [known, is_new] = bytes_of_.try_emplace(&source, 0);
    if (is_new) known->second = MemoryBytesOf(source);
    return known->second;
  }

  std::string FreshName(const std::string& name) {
    std::string fresh = name;
    for (int64_t& i = num_named_[name]; !names_.insert(fresh).second;) {
      fresh = absl::StrCat(name, "_", ++i);
    }
    return fresh;
  }

  absl::Status Refine(Region& region, Frame& frame) {
    // Functions are copied for each shape and size that they are called with. In a chain of calls,
    // each of which calls one function in two ways, the copies double at each step.
    num_copied_ops_ += static_cast<int64_t>(region.ops.size());
    if (num_copied_ops_ > limits::kMaxCopiedOps && num_copied_ops_ > kMaxGrowth * num_ops_) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "specialize: @", frame.source.name, ": the program of ", num_ops_, " ops has ",
          num_copied_ops_, " or more once its functions are copied for each shape they take"));
    }
    std::vector<Op> ops;
    ops.reserve(region.ops.size());
    for (Op& op : region.ops) {
      ACCELD_RETURN_IF_ERROR(CheckMayContinue("specializing a program"));
      if (IsShapeAssertion(op)) {
        ACCELD_RETURN_IF_ERROR(AtOp(CheckAssertion(op, frame), op));
        continue;
      }
      if (op.kind == OpKind::kRealDynamicSlice) {
        absl::optional<std::vector<int64_t>> sizes = SizesOfSlice(op, frame);
        if (sizes.has_value()) WriteAsDynamicSlice(*std::move(sizes), op, frame.function, ops);
      }
      ACCELD_RETURN_IF_ERROR(AtOp(RefineOp(op, frame), op));
      ops.push_back(std::move(op));
    }
    region.ops = std::move(ops);
    return absl::OkStatus();
  }

  absl::Status RefineOp(Op& op, Frame& frame) {
    if (op.kind == OpKind::kCall || op.kind == OpKind::kComposite) return RefineCall(op, frame);
    if (op.kind == OpKind::kWhile) BindCarried(op, frame);
    for (Region& inner : op.regions) ACCELD_RETURN_IF_ERROR(Refine(inner, frame));
    if (is_static_) return absl::OkStatus();
    ACCELD_RETURN_IF_ERROR(Infer(op, frame, nullptr));
    frame.known.Evaluate(frame.function, op);
    if (op.kind == OpKind::kAdd) frame.sums[op.results[0]] = {op.operands[0], op.operands[1]};
    return absl::OkStatus();
  }

  absl::Status RefineCall(Op& op, Frame& frame) {
    std::string& name = op.kind == OpKind::kCall
                            ? std::get<CallAttributes>(op.attributes).callee.name
                            : std::get<CompositeAttributes>(op.attributes).decomposition.name;
    ACCELD_ASSIGN_OR_RETURN(const Made* made, Callee(name, op, frame));
    const Function& callee = out_.functions[made->index];
    name = callee.name;
    for (size_t i = 0; i < op.results.size(); ++i) {
      if (made->results[i].has_value()) frame.known.Set(op.results[i], *made->results[i]);
    }
    if (is_static_) return absl::OkStatus();
    const InferContext::RegionSignature signature = {callee.ParameterTypes(), callee.ResultTypes()};
    return Infer(op, frame, &signature);
  }

  // Sets the types of the values that a loop carries, and the known values that it does not change.
  static void BindCarried(const Op& op, Frame& frame) {
    const Region& body = op.regions[1];
    for (size_t i = 0; i < op.operands.size(); ++i) {
      for (const Region& region : op.regions) {
        frame.function.value_types[region.parameters[i]] =
            frame.function.value_types[op.operands[i]];
      }
      const Literal* value = frame.known.Find(op.operands[i]);
      if (value == nullptr || body.results[i] != body.parameters[i]) continue;
      const Literal unchanged = *value;
      frame.known.Set(op.regions[0].parameters[i], unchanged);
      frame.known.Set(body.parameters[i], unchanged);
      frame.known.Set(op.results[i], unchanged);
    }
  }

  // Returns the sizes of a slice whose start is unknown, whose limit is the start plus a known
  // size, and whose strides are 1; nullopt for other slices.
  static absl::optional<std::vector<int64_t>> SizesOfSlice(const Op& op, const Frame& frame) {
    const ValueId start = op.operands[1];
    const auto limit = frame.sums.find(op.operands[2]);
    const Literal* strides = frame.known.Find(op.operands[3]);
    if (frame.known.Find(start) != nullptr || limit == frame.sums.end() || strides == nullptr) {
      return absl::nullopt;
    }
    const auto [a, b] = limit->second;
    const Literal* size = a == start ? frame.known.Find(b) : frame.known.Find(a);
    if (size == nullptr || (a != start && b != start)) return absl::nullopt;
    for (int64_t stride : IntegersOf(*strides)) {
      if (stride != 1) return absl::nullopt;
    }
    return IntegersOf(*size);
  }

  static std::string MessagePrefix(const Frame& frame) {
    return absl::StrCat("specialize: @", frame.source.name);
  }

  static absl::Status CheckAssertion(const Op& op, const Frame& frame) {
    const Literal* holds = frame.known.Find(op.operands[0]);
    if (holds == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat(MessagePrefix(frame),
                       ": an assertion on shapes does not follow from the arguments' shapes"));
    }
    if (holds->bytes()[0] != 0) return absl::OkStatus();
    std::string message = op.As<CustomCallAttributes>().error_message;
    if (message.empty()) message = "the program does not take these shapes";
    for (size_t i = 1; i < op.operands.size(); ++i) {
      const Literal* size = frame.known.Find(op.operands[i]);
      const std::string text = size == nullptr ? "?" : absl::StrJoin(IntegersOf(*size), ", ");
      absl::StrReplaceAll({{absl::StrCat("{", i - 1, "}"), text}}, &message);
    }
    return absl::InvalidArgumentError(absl::StrCat(MessagePrefix(frame), ": ", message));
  }

  static absl::Status Infer(Op& op, Frame& frame, const InferContext::RegionSignature* callee) {
    Function& function = frame.function;
    const std::string where = MessagePrefix(frame);
    const OpKind written_as = op.kind;
    std::vector<Type> declared = RefineDeclared(op, frame.source, function.TypesOf(op.operands));
    if (FamilyOf(op.kind) == OpFamily::kDynamic) {
      absl::StatusOr<StaticForm> form =
          ToStaticForm(op, function, [&](ValueId id) { return frame.known.Find(id); });
      if (!form.ok()) {
        return Annotate(absl::InvalidArgumentError(form.status().message()), where);
      }
      op = std::move(form->op);
      if (form->dims.has_value()) {
        declared.back() = TensorType{declared.back().tensor().dtype, *std::move(form->dims)};
      }
    }
    const std::vector<Type> operands = function.TypesOf(op.operands);
    std::vector<InferContext::RegionSignature> regions;
    for (const Region& region : op.regions) {
      regions.push_back({function.TypesOf(region.parameters), function.TypesOf(region.results)});
    }
    const InferContext context{op.kind, op.attributes, operands, regions, declared, callee};
    absl::StatusOr<std::vector<Type>> results = InferResultTypes(context);
    if (!results.ok()) return Annotate(results.status(), where);
    for (size_t i = 0; i < op.results.size(); ++i) {
      if (!IsStatic((*results)[i])) {
        return absl::InvalidArgumentError(
            absl::StrCat(where, ": result ", i, " of '", NameOf(written_as), "' stays dynamic: ",
                         (*results)[i].ToString(), "; the arguments do not determine its shape"));
      }
      if (!IsCompatible(frame.source.TypeOf(op.results[i]), (*results)[i])) {
        return absl::InvalidArgumentError(
            absl::StrCat(where, ": result ", i, " of '", NameOf(written_as), "' becomes ",
                         (*results)[i].ToString(), " and is declared as ",
                         frame.source.TypeOf(op.results[i]).ToString()));
      }
      function.value_types[op.results[i]] = std::move((*results)[i]);
    }
    return absl::OkStatus();
  }

  const Module& module_;
  bool is_static_ = true;  // if so, nothing is inferred or evaluated
  int64_t num_ops_ = 0;
  int64_t num_copied_ops_ = 0;  // in all functions made so far
  MemoryBudget budget_;
  absl::flat_hash_map<const Function*, int64_t> bytes_of_;
  Module out_;
  absl::node_hash_map<std::string, Made> made_;
  absl::flat_hash_set<std::string> names_;
  absl::flat_hash_map<std::string, int64_t> num_named_;  // the last number given to a name
};

}  // namespace

absl::Status CheckArguments(const Function& entry, absl::Span<const TensorType> argument_types) {
  const std::vector<Type> parameters = entry.ParameterTypes();
  if (parameters.size() != argument_types.size()) {
    return absl::InvalidArgumentError(absl::StrCat("@", entry.name, " takes ", parameters.size(),
                                                   " arguments (", ToString(parameters),
                                                   ") and was given ", argument_types.size()));
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!argument_types[i].IsStatic() || !IsCompatible(parameters[i], argument_types[i])) {
      return absl::InvalidArgumentError(
          absl::StrCat("argument ", i, " of @", entry.name, " is ", argument_types[i].ToString(),
                       " and the program takes ", parameters[i].ToString()));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Module> Specialize(const Module& module, absl::string_view entry,
                                  absl::Span<const TensorType> argument_types) {
  ACCELD_ASSIGN_OR_RETURN(const Function* function, module.Entry(entry));
  ACCELD_RETURN_IF_ERROR(CheckArguments(*function, argument_types));
  return ContainAllocationFailure("specializing a program", [&] {
    return Specializer(module).Run(*function,
                                   std::vector<Type>(argument_types.begin(), argument_types.end()));
  });
}

bool HasStaticResults(const Function& entry) {
  const std::vector<Type> types = entry.ResultTypes();
  return std::all_of(types.begin(), types.end(), [](const Type& type) { return IsStatic(type); });
}

namespace {

absl::StatusOr<std::vector<TensorType>> StaticResultTypes(
    const Module& module, absl::string_view entry, const Function& function,
    absl::Span<const TensorType> argument_types) {
  std::vector<Type> types = function.ResultTypes();
  if (!HasStaticResults(function)) {
    ACCELD_ASSIGN_OR_RETURN(const Module specialized, Specialize(module, entry, argument_types));
    types = specialized.functions[0].ResultTypes();
  }
  std::vector<TensorType> tensors;
  for (const Type& type : types) {
    if (!type.IsTensor()) {
      return absl::UnimplementedError(
          absl::StrCat("a result of type ", type.ToString(), " cannot leave a program"));
    }
    tensors.push_back(type.tensor());
  }
  return tensors;
}

}  // namespace

absl::StatusOr<std::vector<TensorType>> ResultTypesOf(const Module& module, absl::string_view entry,
                                                      absl::Span<const TensorType> argument_types) {
  ACCELD_ASSIGN_OR_RETURN(const Function* function, module.Entry(entry));
  ACCELD_RETURN_IF_ERROR(CheckArguments(*function, argument_types));
  return ContainAllocationFailure("the types of a program's results", [&] {
    return StaticResultTypes(module, entry, *function, argument_types);
  });
}

}  // namespace acceld::ir
