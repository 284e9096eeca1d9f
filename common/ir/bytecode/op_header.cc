#include "common/ir/bytecode/op_header.h"

#include "absl/strings/str_cat.h"
#include "common/ir/verify/limits.h"

namespace acceld::ir::bytecode {
namespace {

// The bits of the mask that says which parts an op's header has.
enum OpPart : uint8_t {
  kHasDictionary = 1,
  kHasResults = 2,
  kHasOperands = 4,
  kHasSuccessors = 8,
  kHasRegions = 16,
  kHasUseListOrders = 32,
  kHasProperties = 64,
};

constexpr uint8_t kIrSection = 4;

// Skips the orders of uses, of one value or of the values that are named.
absl::Status SkipUseListOrders(Cursor& in, size_t num_values) {
  uint64_t count = 1;
  if (num_values > 1) {
    ACCELD_ASSIGN_OR_RETURN(count, in.Count("orders of uses"));
  }
  for (uint64_t i = 0; i < count; ++i) {
    if (num_values > 1) ACCELD_RETURN_IF_ERROR(in.Varint().status());
    const size_t begin = in.offset();
    ACCELD_ASSIGN_OR_RETURN(const auto size_and_flag, in.VarintWithFlag());
    if (size_and_flag.first > in.remaining()) {
      return Cursor::ErrorAt(begin, "an order of uses is longer than the file");
    }
    for (uint64_t j = 0; j < size_and_flag.first; ++j) {
      ACCELD_RETURN_IF_ERROR(in.Varint().status());
    }
  }
  return absl::OkStatus();
}

absl::Status ReadNumbers(Cursor& in, absl::string_view what, int64_t limit,
                         std::vector<uint64_t>& to) {
  const size_t begin = in.offset();
  ACCELD_ASSIGN_OR_RETURN(const uint64_t count, in.Count(what));
  if (count > static_cast<uint64_t>(limit)) {
    return Cursor::ErrorAt(begin, absl::StrCat("an op has more than ", limit, " ", what));
  }
  to.resize(count);
  for (uint64_t& number : to) {
    ACCELD_ASSIGN_OR_RETURN(number, in.Varint());
  }
  return absl::OkStatus();
}

absl::Status CheckTypes(const Container& container, const Cursor& in,
                        const std::vector<uint64_t>& types) {
  for (const uint64_t type : types) {
    if (type >= container.types.size()) return in.Error(absl::StrCat("there is no type ", type));
  }
  return absl::OkStatus();
}

}  // namespace

std::string OpHeader::FullName() const {
  constexpr size_t kMaxShown = 100;
  return absl::StrCat(name->dialect.substr(0, kMaxShown), ".", name->name.substr(0, kMaxShown));
}

absl::StatusOr<OpHeader> ReadOpHeader(const Container& container, Cursor& in) {
  OpHeader op;
  ACCELD_ASSIGN_OR_RETURN(const uint64_t name,
                          in.Index(container.op_names.size(), "name of an op"));
  op.name = &container.op_names[name];
  ACCELD_ASSIGN_OR_RETURN(const uint8_t parts, in.Byte());
  const size_t num_attributes = container.attributes.size();
  ACCELD_ASSIGN_OR_RETURN(op.location, in.Index(num_attributes, "location"));
  if ((parts & kHasDictionary) != 0) {
    ACCELD_ASSIGN_OR_RETURN(op.dictionary, in.Index(num_attributes, "attribute"));
  }
  if ((parts & kHasProperties) != 0) {
    ACCELD_ASSIGN_OR_RETURN(const uint64_t index,
                            in.Index(container.properties.size(), "set of properties"));
    op.properties = container.properties[index];
  }
  if ((parts & kHasResults) != 0) {
    ACCELD_RETURN_IF_ERROR(ReadNumbers(in, "results", limits::kMaxResults, op.result_types));
    ACCELD_RETURN_IF_ERROR(CheckTypes(container, in, op.result_types));
  }
  if ((parts & kHasOperands) != 0) {
    ACCELD_RETURN_IF_ERROR(ReadNumbers(in, "operands", limits::kMaxOperands, op.operands));
  }
  if ((parts & kHasSuccessors) != 0) {
    return absl::UnimplementedError(
        absl::StrCat("op '", op.FullName(), "' with successor blocks is not supported"));
  }
  if ((parts & kHasUseListOrders) != 0) {
    ACCELD_RETURN_IF_ERROR(SkipUseListOrders(in, op.result_types.size()));
  }
  if ((parts & kHasRegions) != 0) {
    const size_t begin = in.offset();
    ACCELD_ASSIGN_OR_RETURN(const auto count_and_flag, in.VarintWithFlag());
    op.num_regions = count_and_flag.first;
    op.is_isolated = count_and_flag.second;
    if (op.num_regions > in.remaining()) {
      return Cursor::ErrorAt(begin, absl::StrCat("an op has ", op.num_regions, " regions, ",
                                                 in.remaining(), " bytes remain"));
    }
  }
  return op;
}

absl::StatusOr<BlockHeader> ReadBlockHeader(const Container& container, Cursor& in) {
  BlockHeader block;
  ACCELD_ASSIGN_OR_RETURN(const auto ops_and_flag, in.VarintWithFlag());
  block.num_ops = ops_and_flag.first;
  const bool has_parameters = ops_and_flag.second;
  if (!has_parameters) return block;
  const size_t begin = in.offset();
  ACCELD_ASSIGN_OR_RETURN(const uint64_t count, in.Count("parameters"));
  if (count > static_cast<uint64_t>(limits::kMaxOperands)) {
    return Cursor::ErrorAt(
        begin, absl::StrCat("a region has more than ", limits::kMaxOperands, " parameters"));
  }
  for (uint64_t i = 0; i < count; ++i) {
    bool has_location = true;
    ACCELD_ASSIGN_OR_RETURN(uint64_t type, in.Varint());
    if (container.version >= kElidedLocations) {
      has_location = (type & 1) != 0;
      type >>= 1;
    }
    block.parameter_types.push_back(type);
    if (has_location) {
      ACCELD_RETURN_IF_ERROR(in.Index(container.attributes.size(), "location").status());
    }
  }
  ACCELD_RETURN_IF_ERROR(CheckTypes(container, in, block.parameter_types));
  if (container.version >= kUseListOrders) {
    ACCELD_ASSIGN_OR_RETURN(const uint8_t has_orders, in.Byte());
    if (has_orders != 0) ACCELD_RETURN_IF_ERROR(SkipUseListOrders(in, count));
  }
  return block;
}

absl::StatusOr<BlockHeader> ReadRegionHeader(const Container& container, Cursor& in,
                                             uint64_t& num_values) {
  ACCELD_ASSIGN_OR_RETURN(const uint64_t num_blocks, in.Varint());
  if (num_blocks == 0) return absl::UnimplementedError("regions without a body are not supported");
  ACCELD_ASSIGN_OR_RETURN(num_values, in.Count("values"));
  if (num_blocks > 1) {
    return absl::UnimplementedError("regions of several blocks are not supported");
  }
  return ReadBlockHeader(container, in);
}

bool IsSection(const Container& container, const OpHeader& op) {
  return op.is_isolated && container.version >= kIsolatedRegionSections;
}

absl::StatusOr<Cursor> ReadRegionSection(Cursor& in) {
  const size_t begin = in.offset();
  ACCELD_ASSIGN_OR_RETURN(const Section section, in.ReadSection());
  if (section.id != kIrSection) return Cursor::ErrorAt(begin, "expected the regions of an op");
  return section.data;
}

}  // namespace acceld::ir::bytecode
