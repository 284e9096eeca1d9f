#include "common/ir/bytecode/function_reader.h"

#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/ir/bytecode/locations.h"
#include "common/ir/bytecode/sdy_ops.h"
#include "common/ir/bytecode/vhlo_ops.h"
#include "common/ir/import/inlined_ops.h"
#include "common/ir/verify/limits.h"

namespace acceld::ir::bytecode {
namespace {

constexpr ValueId kUndefined = ~ValueId{0};

// The ops of other dialects that artifacts may contain. This one converts between VHLO's types and
// the builtin types, which are the same here.
constexpr absl::string_view kCast = "builtin.unrealized_conversion_cast";

// Whether a message begins with the number of an op: "op 3 'vhlo.add_v1': ...".
bool NamesAnOp(const absl::Status& status) {
  absl::string_view message = status.message();
  return absl::ConsumePrefix(&message, "op ") && !message.empty() &&
         absl::ascii_isdigit(message[0]);
}

absl::Status ExpectRegions(const OpHeader& header, uint64_t count) {
  if (header.num_regions == count) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("has ", header.num_regions, " regions, expected ", count));
}

bool IsTerminator(absl::string_view op) {
  return op == "stablehlo.return" || op == "func.return" || op == "sdy.return";
}

// Returns the number of an attribute among an op's properties; nullopt if it is absent.
absl::StatusOr<std::optional<uint64_t>> ReadIndex(const StoredAttribute& attribute,
                                                  size_t num_attributes, Cursor& in) {
  if (!attribute.is_optional) return in.Index(num_attributes, "attribute");
  // Behind the end are attributes that the producer's version of the op did not have.
  if (in.AtEnd()) return std::nullopt;
  const size_t begin = in.offset();
  ACCELD_ASSIGN_OR_RETURN(const auto index_and_flag, in.VarintWithFlag());
  if (!index_and_flag.second) return std::nullopt;
  if (index_and_flag.first < num_attributes) return index_and_flag.first;
  return Cursor::ErrorAt(begin, absl::StrCat("there is no attribute ", index_and_flag.first));
}

// Returns how artifacts store the op, which must not be a conversion of types.
absl::StatusOr<const StoredOp*> FindStoredOp(const OpHeader& header) {
  if (header.name->dialect == "vhlo") return FindVhloOp(header.name->name);
  if (header.name->dialect == "sdy") {
    ACCELD_ASSIGN_OR_RETURN(const ShardyOp* op, FindShardyOp(header.name->name));
    ACCELD_RETURN_IF_ERROR(ExpectRegions(header, op->num_regions));
    return op;
  }
  return absl::UnimplementedError(absl::StrCat(
      "op '", header.FullName(), "' is not supported in bytecode, only VHLO and Shardy are"));
}

}  // namespace

Location Reader::LocationOf(uint64_t attribute) {
  // A few names can make many long locations, so locations beyond this size are left out.
  constexpr size_t kMaxLocationBytes = size_t{4} << 20;
  const auto [known, is_new] = location_of_attribute_.try_emplace(attribute, 0);
  if (is_new && location_bytes_ < kMaxLocationBytes) {
    std::string location = DescribeLocation(container, attribute);
    // An op whose location does not fit in the budget has none.
    if (!location.empty() &&
        totals.budget.Charge(static_cast<int64_t>(location.size()), "locations").ok()) {
      location_bytes_ += location.size();
      source_locations.push_back(std::move(location));
      known->second = static_cast<uint32_t>(source_locations.size());
    }
  }
  return {.index = known->second};
}

absl::StatusOr<Decoder::Entries> ReadAttributes(Reader& reader, const OpHeader& header,
                                                const StoredOp& op) {
  Decoder::Entries entries;
  if (header.dictionary.has_value()) {
    ACCELD_ASSIGN_OR_RETURN(entries, reader.decoder.DictionaryAt(*header.dictionary));
  }
  if (!header.properties.has_value()) return entries;
  Cursor in = *header.properties;
  const size_t num_attributes = reader.container.attributes.size();
  if (header.name->registered) {
    for (const StoredAttribute& attribute : op.attributes) {
      ACCELD_ASSIGN_OR_RETURN(const std::optional<uint64_t> index,
                              ReadIndex(attribute, num_attributes, in));
      if (index.has_value()) entries.emplace_back(std::string(attribute.name), *index);
    }
  } else {
    // The producer did not know the op and wrote its properties as one dictionary.
    ACCELD_ASSIGN_OR_RETURN(const uint64_t index, in.Index(num_attributes, "attribute"));
    ACCELD_ASSIGN_OR_RETURN(const Decoder::Entries more, reader.decoder.DictionaryAt(index));
    entries.insert(entries.end(), more.begin(), more.end());
  }
  ACCELD_RETURN_IF_ERROR(in.ExpectEnd("a set of properties"));
  return entries;
}

FunctionReader::FunctionReader(Reader& reader, std::string name, bool is_public)
    : reader_(reader), importer_(std::move(name), is_public, reader.totals) {}

absl::Status FunctionReader::Define(const std::vector<ValueId>& ids) {
  if (ids.size() > values_.size() - next_value_) {
    return absl::InvalidArgumentError("a region defines more values than it says");
  }
  for (const ValueId id : ids) values_[next_value_++] = id;
  return absl::OkStatus();
}

absl::StatusOr<std::vector<ValueId>> FunctionReader::OperandsOf(const OpHeader& header) const {
  std::vector<ValueId> operands;
  operands.reserve(header.operands.size());
  for (const uint64_t number : header.operands) {
    if (number >= values_.size() || values_[number] == kUndefined) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected a value defined before, found value ", number));
    }
    operands.push_back(values_[number]);
  }
  return operands;
}

absl::StatusOr<AttributeDictionary> FunctionReader::AttributesOf(const OpHeader& header,
                                                                 const StoredOp& op) {
  ACCELD_ASSIGN_OR_RETURN(Decoder::Entries entries, ReadAttributes(reader_, header, op));
  AttributeDictionary attributes;
  for (auto& [name, index] : entries) {
    if (name.size() > static_cast<size_t>(limits::kMaxNameBytes)) {
      return absl::InvalidArgumentError(
          absl::StrCat("a name is longer than ", limits::kMaxNameBytes, " bytes"));
    }
    const StoredAttribute* known = nullptr;
    for (const StoredAttribute& attribute : op.attributes) {
      if (attribute.name == name) known = &attribute;
    }
    if (known != nullptr && known->is_ignored) continue;
    ACCELD_ASSIGN_OR_RETURN(Attribute value, reader_.decoder.AttributeAt(index));
    if (Decoder::IsAbsent(value)) continue;
    AttributeDictionary* to = &attributes;
    if (known != nullptr && known->is_function) {
      if (auto* text = std::get_if<StringAttribute>(&value.value)) {
        value.value = SymbolAttribute{std::move(text->value)};
      }
    }
    if (known != nullptr && !known->field.empty()) {
      Attribute& field = attributes[std::string(known->field)];
      auto* parts = std::get_if<StructAttribute>(&field.value);
      if (parts == nullptr) {
        parts = &field.value.emplace<StructAttribute>();
        parts->name = std::string(known->field_kind);
      }
      to = &parts->fields;
    }
    if (!to->try_emplace(name, std::move(value)).second) {
      return absl::InvalidArgumentError(absl::StrCat("attribute '", name, "' stands twice"));
    }
  }
  return attributes;
}

absl::StatusOr<Region> FunctionReader::ReadInnerRegion(Cursor& in) {
  const size_t outer_size = values_.size();
  const size_t outer_next = next_value_;
  ACCELD_ASSIGN_OR_RETURN(std::vector<ValueId> results, ReadRegion(in, RegionKind::kInner));
  values_.resize(outer_size);
  next_value_ = outer_next;
  return importer_.EndRegion(std::move(results));
}

template <typename Read>
absl::Status FunctionReader::ReadAtRegions(Cursor& in, const OpHeader& header, Read read) {
  const bool is_section = IsSection(reader_.container, header);
  Cursor part = in;
  if (is_section) {
    ACCELD_ASSIGN_OR_RETURN(part, ReadRegionSection(in));
  }
  // Isolated regions number their values from zero on.
  std::vector<ValueId> around;
  if (header.is_isolated) std::swap(around, values_);
  ACCELD_RETURN_IF_ERROR(read(part));
  if (header.is_isolated) std::swap(around, values_);
  if (is_section) return part.ExpectEnd("the section of its regions");
  in = part;
  return absl::OkStatus();
}

absl::Status FunctionReader::ReadRegions(Cursor& in, const OpHeader& header,
                                         std::vector<Region>& regions) {
  if (header.num_regions == 0) return absl::OkStatus();
  return ReadAtRegions(in, header, [&](Cursor& part) -> absl::Status {
    for (uint64_t i = 0; i < header.num_regions; ++i) {
      ACCELD_ASSIGN_OR_RETURN(Region region, ReadInnerRegion(part));
      regions.push_back(std::move(region));
    }
    return absl::OkStatus();
  });
}

absl::StatusOr<std::vector<ValueId>> FunctionReader::ReadInlinedRegion(Cursor& in,
                                                                       const OpHeader& header,
                                                                       const ImportedOp& op) {
  ACCELD_RETURN_IF_ERROR(ExpectRegions(header, 1));
  std::vector<ValueId> returned;
  const size_t outer_next = next_value_;
  ACCELD_RETURN_IF_ERROR(ReadAtRegions(in, header, [&](Cursor& part) -> absl::Status {
    const size_t outer_size = values_.size();
    ACCELD_ASSIGN_OR_RETURN(returned, ReadRegion(part, RegionKind::kInlined, &op));
    values_.resize(outer_size);
    return absl::OkStatus();
  }));
  next_value_ = outer_next;
  return returned;
}

absl::StatusOr<std::vector<ValueId>> FunctionReader::ReadContents(Cursor& in,
                                                                  const OpHeader& header,
                                                                  const StoredOp& stored,
                                                                  ImportedOp& op) {
  ACCELD_ASSIGN_OR_RETURN(op.attributes, AttributesOf(header, stored));
  if (IsInlinedOp(op.name)) {
    ACCELD_ASSIGN_OR_RETURN(std::vector<ValueId> returned, ReadInlinedRegion(in, header, op));
    return importer_.ImportInlined(op, std::move(returned));
  }
  ACCELD_RETURN_IF_ERROR(ReadRegions(in, header, op.regions));
  return importer_.Import(op);
}

absl::StatusOr<bool> FunctionReader::ReadOp(Cursor& in, const OpHeader& header,
                                            std::vector<ValueId>& returned) {
  ImportedOp op;
  ACCELD_ASSIGN_OR_RETURN(op.operands, OperandsOf(header));
  op.name = header.FullName();
  const bool is_cast = op.name == kCast;
  const StoredOp* stored = nullptr;
  if (!is_cast) {
    ACCELD_ASSIGN_OR_RETURN(stored, FindStoredOp(header));
    op.name = std::string(stored->op);
  }
  if (is_cast || IsTerminator(op.name)) ACCELD_RETURN_IF_ERROR(ExpectRegions(header, 0));
  if (IsTerminator(op.name)) {
    ACCELD_RETURN_IF_ERROR(importer_.ChargeUses(op.operands, op.name));
    returned = std::move(op.operands);
    return true;
  }
  op.location = reader_.LocationOf(header.location);
  for (const uint64_t type : header.result_types) {
    ACCELD_ASSIGN_OR_RETURN(op.result_types.emplace_back(), reader_.decoder.ValueTypeAt(type));
  }
  if (is_cast) {
    if (importer_.TypesOf(op.operands) != op.result_types) {
      return absl::InvalidArgumentError("its operands and results have different types");
    }
    ACCELD_RETURN_IF_ERROR(Define(op.operands));
    return false;
  }
  ACCELD_ASSIGN_OR_RETURN(const std::vector<ValueId> results,
                          ReadContents(in, header, *stored, op));
  ACCELD_RETURN_IF_ERROR(Define(results));
  return false;
}

absl::StatusOr<std::vector<ValueId>> FunctionReader::ReadRegion(Cursor& in, RegionKind kind,
                                                                const ImportedOp* inlined) {
  if (depth_ >= limits::kMaxRegionDepth) {
    return in.Error(absl::StrCat("regions are nested deeper than ", limits::kMaxRegionDepth));
  }
  uint64_t num_values = 0;
  ACCELD_ASSIGN_OR_RETURN(const BlockHeader block,
                          ReadRegionHeader(reader_.container, in, num_values));
  // A value takes at least a byte of the file, so the file's size bounds the memory that is
  // reserved.
  if (num_values > reader_.values_left) return in.Error("more values than the file has bytes");
  reader_.values_left -= num_values;
  next_value_ = values_.size();
  values_.resize(values_.size() + num_values, kUndefined);
  std::vector<Type> types;
  for (const uint64_t type : block.parameter_types) {
    ACCELD_ASSIGN_OR_RETURN(types.emplace_back(), reader_.decoder.ValueTypeAt(type));
  }
  std::vector<ValueId> parameters;
  switch (kind) {
    case RegionKind::kBody:
      for (const Type& type : types) parameters.push_back(importer_.AddParameter(type));
      type_.parameters = std::move(types);
      break;
    case RegionKind::kInner:
      parameters = importer_.BeginRegion(types);
      break;
    case RegionKind::kInlined:
      ACCELD_RETURN_IF_ERROR(importer_.CheckInlined(*inlined, types));
      parameters = inlined->operands;
      break;
  }
  ACCELD_RETURN_IF_ERROR(Define(parameters));

  const int depth = ++depth_;
  std::vector<ValueId> returned;
  bool ended = false;
  for (uint64_t i = 0; i < block.num_ops; ++i) {
    if (ended) return in.Error("ops after the return that ends the region");
    if (++reader_.op_count > limits::kMaxOps) {
      return in.Error(absl::StrCat("the program has more than ", limits::kMaxOps, " ops"));
    }
    ACCELD_ASSIGN_OR_RETURN(const OpHeader header, ReadOpHeader(reader_.container, in));
    const auto read = ReadOp(in, header, returned);
    if (!read.ok()) {
      // The message names at most the two outermost of the ops that contain the failed one.
      constexpr int kNamedDepth = 2;
      if (depth > kNamedDepth && NamesAnOp(read.status())) return read.status();
      const std::string where = DescribeLocation(reader_.container, header.location);
      return Annotate(read.status(), absl::StrCat("op ", i, " '", header.FullName(), "'",
                                                  where.empty() ? "" : " at ", where));
    }
    ended = *read;
  }
  if (!ended) return in.Error("expected the return that ends the region");
  --depth_;
  return returned;
}

absl::StatusOr<Function> FunctionReader::ReadBody(Cursor& in) {
  ACCELD_ASSIGN_OR_RETURN(std::vector<ValueId> results, ReadRegion(in, RegionKind::kBody));
  type_.results = importer_.TypesOf(results);
  return importer_.Finish(std::move(results));
}

}  // namespace acceld::ir::bytecode
