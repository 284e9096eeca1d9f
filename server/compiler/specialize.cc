#include "server/compiler/specialize.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/ir/infer.h"

namespace acceld::compiler {
namespace {

using ir::OpKind;

bool IsStatic(const ir::Type& type) {
  switch (type.kind()) {
    case ir::Type::Kind::kTensor:
      return type.tensor().IsStatic();
    case ir::Type::Kind::kToken:
      return true;
    case ir::Type::Kind::kTuple:
      for (const ir::Type& element : type.elements()) {
        if (!IsStatic(element)) return false;
      }
      return true;
  }
  return false;
}

// The declared shape of a reshape with one unknown dimension follows from the element count.
void SolveReshape(const ir::TensorType& operand, ir::TensorType& declared) {
  if (!operand.IsStatic()) return;
  int64_t known = 1;
  int64_t* unknown = nullptr;
  for (int64_t& dim : declared.dims) {
    if (dim != ir::kDynamicDim) {
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

// What the producer declared for an op, refined by the operands where that is possible.
std::vector<ir::Type> RefineDeclared(const ir::Op& op, const ir::Function& source,
                                     absl::Span<const ir::Type> operands) {
  std::vector<ir::Type> declared = source.TypesOf(op.results);
  if (declared.size() != 1 || operands.empty() || IsStatic(declared[0]) ||
      !declared[0].IsTensor() || !operands[0].IsTensor()) {
    return declared;
  }
  ir::TensorType type = declared[0].tensor();
  const ir::TensorType& operand = operands[0].tensor();
  if (op.kind == OpKind::kReshape) {
    SolveReshape(operand, type);
  } else if (op.kind == OpKind::kBroadcastInDim) {
    const auto& dims = op.As<ir::BroadcastInDimAttributes>().broadcast_dimensions;
    for (size_t i = 0; i < dims.size() && i < operand.dims.size(); ++i) {
      // A dimension of size 1 may stretch to anything, so it determines nothing.
      int64_t& dim = type.dims[dims[i]];
      if (dim == ir::kDynamicDim && operand.dims[i] != 1) dim = operand.dims[i];
    }
  } else if (operand.rank() == type.rank() &&
             (op.kind == OpKind::kConvert || op.kind == OpKind::kBitcastConvert)) {
    type.dims = operand.dims;
  }
  declared[0] = std::move(type);
  return declared;
}

class Specializer {
 public:
  explicit Specializer(const ir::Module& module) : module_(module) {}

  absl::StatusOr<ir::Module> Run(const ir::Function& entry, std::vector<ir::Type> arguments) {
    out_.name = module_.name;
    names_.insert("main");
    ACCELD_RETURN_IF_ERROR(Make(entry, std::move(arguments), "main").status());
    return std::move(out_);
  }

 private:
  absl::StatusOr<size_t> Make(const ir::Function& source, std::vector<ir::Type> arguments,
                              std::string name) {
    const size_t index = out_.functions.size();
    out_.functions.emplace_back();
    ir::Function function;
    function.name = std::move(name);
    function.is_public = index == 0;
    function.value_types = source.value_types;
    bool is_static = true;
    for (const ir::Type& type : source.value_types) is_static = is_static && IsStatic(type);
    for (size_t i = 0; i < arguments.size(); ++i) {
      function.value_types[source.body.parameters[i]] = std::move(arguments[i]);
    }
    function.body = source.body;
    ACCELD_RETURN_IF_ERROR(Refine(function.body, function, source, is_static));
    out_.functions[index] = std::move(function);
    return index;
  }

  // The specialization of a callee; made on first use.
  absl::StatusOr<size_t> Callee(const std::string& name, std::vector<ir::Type> arguments) {
    std::string key = absl::StrCat(name, "(", ir::ToString(arguments), ")");
    const auto it = made_.find(key);
    if (it != made_.end()) return it->second;
    const ir::Function* source = module_.Find(name);
    if (source == nullptr || source->body.parameters.size() != arguments.size()) {
      return absl::InternalError(absl::StrCat("specialize: call of unknown function @", name));
    }
    std::string fresh = name;
    for (int i = 1; !names_.insert(fresh).second; ++i) fresh = absl::StrCat(name, "_", i);
    ACCELD_ASSIGN_OR_RETURN(const size_t index,
                            Make(*source, std::move(arguments), std::move(fresh)));
    made_[std::move(key)] = index;
    return index;
  }

  absl::Status Refine(ir::Region& region, ir::Function& function, const ir::Function& source,
                      bool is_static) {
    for (ir::Op& op : region.ops) {
      const ir::InferContext::RegionSignature* callee = nullptr;
      ir::InferContext::RegionSignature signature;
      if (op.kind == OpKind::kCall || op.kind == OpKind::kComposite) {
        std::string& name =
            op.kind == OpKind::kCall
                ? std::get<ir::CallAttributes>(op.attributes).callee.name
                : std::get<ir::CompositeAttributes>(op.attributes).decomposition.name;
        ACCELD_ASSIGN_OR_RETURN(const size_t index, Callee(name, function.TypesOf(op.operands)));
        const ir::Function& made = out_.functions[index];
        name = made.name;
        signature = {made.ParameterTypes(), made.ResultTypes()};
        callee = &signature;
      }
      for (ir::Region& inner : op.regions) {
        if (op.kind == OpKind::kWhile) {
          for (size_t i = 0; i < inner.parameters.size(); ++i) {
            function.value_types[inner.parameters[i]] = function.value_types[op.operands[i]];
          }
        }
        ACCELD_RETURN_IF_ERROR(Refine(inner, function, source, is_static));
      }
      if (!is_static) ACCELD_RETURN_IF_ERROR(Infer(op, function, source, callee));
    }
    return absl::OkStatus();
  }

  static absl::Status Infer(const ir::Op& op, ir::Function& function, const ir::Function& source,
                            const ir::InferContext::RegionSignature* callee) {
    const std::vector<ir::Type> operands = function.TypesOf(op.operands);
    const std::vector<ir::Type> declared = RefineDeclared(op, source, operands);
    std::vector<ir::InferContext::RegionSignature> regions;
    for (const ir::Region& region : op.regions) {
      regions.push_back({function.TypesOf(region.parameters), function.TypesOf(region.results)});
    }
    const ir::InferContext context{op.kind, op.attributes, operands, regions, declared, callee};
    absl::StatusOr<std::vector<ir::Type>> results = ir::InferResultTypes(context);
    const std::string where =
        absl::StrCat("specialize: @", source.name, " line ", op.location.line);
    if (!results.ok()) return Annotate(results.status(), where);
    for (size_t i = 0; i < op.results.size(); ++i) {
      if (!IsStatic((*results)[i])) {
        return absl::InvalidArgumentError(
            absl::StrCat(where, ": result ", i, " of '", NameOf(op.kind), "' stays dynamic: ",
                         (*results)[i].ToString(), "; the arguments do not determine its shape"));
      }
      if (!ir::IsCompatible(source.TypeOf(op.results[i]), (*results)[i])) {
        return absl::InvalidArgumentError(absl::StrCat(
            where, ": result ", i, " of '", NameOf(op.kind), "' becomes ", (*results)[i].ToString(),
            " and is declared as ", source.TypeOf(op.results[i]).ToString()));
      }
      function.value_types[op.results[i]] = std::move((*results)[i]);
    }
    return absl::OkStatus();
  }

  const ir::Module& module_;
  ir::Module out_;
  absl::flat_hash_map<std::string, size_t> made_;
  absl::flat_hash_set<std::string> names_;
};

}  // namespace

absl::Status CheckArguments(const ir::Function& entry,
                            absl::Span<const ir::TensorType> argument_types) {
  const std::vector<ir::Type> parameters = entry.ParameterTypes();
  if (parameters.size() != argument_types.size()) {
    return absl::InvalidArgumentError(absl::StrCat("@", entry.name, " takes ", parameters.size(),
                                                   " arguments (", ir::ToString(parameters),
                                                   ") and was given ", argument_types.size()));
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!argument_types[i].IsStatic() || !ir::IsCompatible(parameters[i], argument_types[i])) {
      return absl::InvalidArgumentError(
          absl::StrCat("argument ", i, " of @", entry.name, " is ", argument_types[i].ToString(),
                       " and the program takes ", parameters[i].ToString()));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<ir::Module> Specialize(const ir::Module& module, absl::string_view entry,
                                      absl::Span<const ir::TensorType> argument_types) {
  ACCELD_ASSIGN_OR_RETURN(const ir::Function* function, module.Entry(entry));
  ACCELD_RETURN_IF_ERROR(CheckArguments(*function, argument_types));
  return Specializer(module).Run(
      *function, std::vector<ir::Type>(argument_types.begin(), argument_types.end()));
}

}  // namespace acceld::compiler
