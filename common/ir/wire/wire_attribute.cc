#include "common/ir/wire/wire_attribute.h"

#include "absl/strings/str_cat.h"
#include "common/ir/types/float_formats.h"
#include "common/ir/verify/limits.h"
#include "common/ir/wire/wire.h"

namespace acceld::ir {
namespace {

absl::Status TooDeep(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, " is nested deeper than ", limits::kMaxDepth));
}

absl::StatusOr<DType> DTypeFromProto(const std::string& name) {
  const absl::optional<DType> dtype = ParseDType(name);
  if (dtype.has_value()) return *dtype;
  return absl::InvalidArgumentError(absl::StrCat("'", name, "' is not an element type"));
}

std::string DTypeText(DType dtype) { return std::string(DTypeName(dtype)); }

absl::StatusOr<Type> TypeAtDepth(const v1::Type& proto, MemoryBudget& budget, int depth) {
  ACCELD_RETURN_IF_ERROR(budget.Charge(sizeof(Type), "a type"));
  switch (proto.kind_case()) {
    case v1::Type::kTensor: {
      ACCELD_ASSIGN_OR_RETURN(TensorType tensor, FromProto(proto.tensor()));
      return Type(std::move(tensor));
    }
    case v1::Type::kToken:
      return Type::Token();
    case v1::Type::kTuple: {
      if (depth >= limits::kMaxDepth) return TooDeep("a tuple type");
      std::vector<Type> elements;
      for (const v1::Type& element : proto.tuple().elements()) {
        ACCELD_ASSIGN_OR_RETURN(elements.emplace_back(), TypeAtDepth(element, budget, depth + 1));
      }
      return Type::Tuple(std::move(elements));
    }
    case v1::Type::KIND_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("a type is empty");
}

void DictionaryToProto(const AttributeDictionary& entries,
                       google::protobuf::Map<std::string, v1::Attribute>& proto) {
  for (const auto& [name, attribute] : entries) ToProto(attribute, proto[name]);
}

struct AttributeWriter {
  v1::Attribute& proto;

  void operator()(const UnitAttribute&) { proto.set_unit(true); }
  void operator()(const IntegerAttribute& a) {
    proto.mutable_integer()->set_value(a.value);
    proto.mutable_integer()->set_dtype(DTypeText(a.dtype));
  }
  void operator()(const FloatAttribute& a) {
    proto.mutable_float_()->set_value(a.value);
    proto.mutable_float_()->set_dtype(DTypeText(a.dtype));
  }
  void operator()(const StringAttribute& a) { proto.set_text(a.value); }
  void operator()(const SymbolAttribute& a) { proto.set_symbol(a.name); }
  void operator()(const EnumAttribute& a) { proto.set_keyword(a.keyword); }
  void operator()(const DenseArrayAttribute& a) {
    proto.mutable_dense_array()->set_dtype(DTypeText(a.dtype));
    proto.mutable_dense_array()->mutable_values()->Add(a.values.begin(), a.values.end());
  }
  void operator()(const ArrayAttribute& a) {
    v1::Attribute::Array& array = *proto.mutable_array();
    for (const Attribute& element : a.elements) ToProto(element, *array.add_elements());
  }
  void operator()(const DictionaryAttribute& a) {
    DictionaryToProto(a.entries, *proto.mutable_dictionary()->mutable_entries());
  }
  void operator()(const StructAttribute& a) {
    proto.mutable_structure()->set_name(a.name);
    DictionaryToProto(a.fields, *proto.mutable_structure()->mutable_fields());
  }
  void operator()(const Type& a) { TypeToProto(a, *proto.mutable_type()); }
  void operator()(const Literal& a) { ToProto(a, *proto.mutable_literal()); }
  void operator()(const OpaqueAttribute& a) { proto.set_opaque(a.text); }
};

absl::StatusOr<Attribute> AttributeAtDepth(const v1::Attribute& proto, MemoryBudget& budget,
                                           int depth);

absl::StatusOr<AttributeDictionary> DictionaryAtDepth(
    const google::protobuf::Map<std::string, v1::Attribute>& proto, MemoryBudget& budget,
    int depth) {
  AttributeDictionary entries;
  for (const auto& [name, attribute] : proto) {
    ACCELD_ASSIGN_OR_RETURN(entries[name], AttributeAtDepth(attribute, budget, depth));
  }
  return entries;
}

absl::StatusOr<Attribute> AttributeAtDepth(const v1::Attribute& proto, MemoryBudget& budget,
                                           int depth) {
  if (depth >= limits::kMaxDepth) return TooDeep("an attribute");
  // The memory of an attribute in a list or a dictionary. Its further contents are no larger than
  // the message.
  constexpr int64_t kAttributeEntryBytes = sizeof(Attribute) + 64;
  ACCELD_RETURN_IF_ERROR(budget.Charge(kAttributeEntryBytes, "an attribute"));
  switch (proto.value_case()) {
    case v1::Attribute::kUnit:
      return Attribute{UnitAttribute{}};
    case v1::Attribute::kInteger: {
      ACCELD_ASSIGN_OR_RETURN(const DType dtype, DTypeFromProto(proto.integer().dtype()));
      return Attribute{IntegerAttribute{proto.integer().value(), dtype}};
    }
    case v1::Attribute::kFloat: {
      ACCELD_ASSIGN_OR_RETURN(const DType dtype, DTypeFromProto(proto.float_().dtype()));
      if (!IsFloat(dtype)) {
        return absl::InvalidArgumentError(
            absl::StrCat("a float attribute cannot be of type ", DTypeName(dtype)));
      }
      return Attribute{FloatAttribute{RoundToFormat(dtype, proto.float_().value()), dtype}};
    }
    case v1::Attribute::kText:
      return Attribute{StringAttribute{proto.text()}};
    case v1::Attribute::kSymbol:
      return Attribute{SymbolAttribute{proto.symbol()}};
    case v1::Attribute::kKeyword:
      return Attribute{EnumAttribute{proto.keyword()}};
    case v1::Attribute::kDenseArray: {
      ACCELD_ASSIGN_OR_RETURN(const DType dtype, DTypeFromProto(proto.dense_array().dtype()));
      const auto& values = proto.dense_array().values();
      return Attribute{DenseArrayAttribute{dtype, {values.begin(), values.end()}}};
    }
    case v1::Attribute::kArray: {
      ArrayAttribute array;
      for (const v1::Attribute& element : proto.array().elements()) {
        ACCELD_ASSIGN_OR_RETURN(array.elements.emplace_back(),
                                AttributeAtDepth(element, budget, depth + 1));
      }
      return Attribute{std::move(array)};
    }
    case v1::Attribute::kDictionary: {
      ACCELD_ASSIGN_OR_RETURN(AttributeDictionary entries,
                              DictionaryAtDepth(proto.dictionary().entries(), budget, depth + 1));
      return Attribute{DictionaryAttribute{std::move(entries)}};
    }
    case v1::Attribute::kStructure: {
      ACCELD_ASSIGN_OR_RETURN(AttributeDictionary fields,
                              DictionaryAtDepth(proto.structure().fields(), budget, depth + 1));
      return Attribute{StructAttribute{proto.structure().name(), std::move(fields)}};
    }
    case v1::Attribute::kType: {
      ACCELD_ASSIGN_OR_RETURN(Type type, TypeAtDepth(proto.type(), budget, 0));
      return Attribute{std::move(type)};
    }
    case v1::Attribute::kLiteral: {
      ACCELD_ASSIGN_OR_RETURN(Literal literal, FromProto(proto.literal()));
      return Attribute{std::move(literal)};
    }
    case v1::Attribute::kOpaque:
      return Attribute{OpaqueAttribute{proto.opaque()}};
    case v1::Attribute::VALUE_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("an attribute is empty");
}

}  // namespace

void ToProto(const TensorType& type, v1::TensorType& proto) {
  proto.set_dtype(DTypeText(type.dtype));
  for (int64_t dim : type.dims) proto.add_dims(dim == kDynamicDim ? -1 : dim);
}

v1::TensorType ToProto(const TensorType& type) {
  v1::TensorType proto;
  ToProto(type, proto);
  return proto;
}

absl::StatusOr<TensorType> FromProto(const v1::TensorType& proto) {
  TensorType type;
  ACCELD_ASSIGN_OR_RETURN(type.dtype, DTypeFromProto(proto.dtype()));
  if (proto.dims_size() > limits::kMaxRank) {
    return absl::InvalidArgumentError(absl::StrCat("a type has rank ", proto.dims_size(),
                                                   ", above the limit of ", limits::kMaxRank));
  }
  for (int64_t dim : proto.dims()) {
    if (dim < -1) {
      return absl::InvalidArgumentError(absl::StrCat("a type has a dimension of size ", dim));
    }
    type.dims.push_back(dim == -1 ? kDynamicDim : dim);
  }
  ACCELD_RETURN_IF_ERROR(ValidateType(type));
  return type;
}

void ToProto(const Literal& literal, v1::Literal& proto) {
  ToProto(literal.type(), *proto.mutable_type());
  proto.set_data(literal.bytes().data(), literal.bytes().size());
}

v1::Literal ToProto(const Literal& literal) {
  v1::Literal proto;
  ToProto(literal, proto);
  return proto;
}

absl::StatusOr<Literal> FromProto(const v1::Literal& proto) {
  ACCELD_ASSIGN_OR_RETURN(TensorType type, FromProto(proto.type()));
  return Literal::FromBytes(std::move(type), proto.data());
}

void TypeToProto(const Type& type, v1::Type& proto) {
  switch (type.kind()) {
    case Type::Kind::kTensor:
    case Type::Kind::kQuantized:
      ToProto(type.tensor(), *proto.mutable_tensor());
      break;
    case Type::Kind::kToken:
      proto.mutable_token();
      break;
    case Type::Kind::kTuple:
      for (const Type& element : type.elements()) {
        TypeToProto(element, *proto.mutable_tuple()->add_elements());
      }
      // An empty tuple is a tuple too.
      proto.mutable_tuple();
      break;
  }
}

absl::StatusOr<Type> TypeFromProto(const v1::Type& proto, MemoryBudget& budget) {
  return TypeAtDepth(proto, budget, 0);
}

void ToProto(const Attribute& attribute, v1::Attribute& proto) {
  std::visit(AttributeWriter{proto}, attribute.value);
}

absl::StatusOr<Attribute> AttributeFromProto(const v1::Attribute& proto, MemoryBudget& budget) {
  return AttributeAtDepth(proto, budget, 0);
}

}  // namespace acceld::ir
