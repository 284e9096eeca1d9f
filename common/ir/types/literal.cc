#include "common/ir/types/literal.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/ir/types/element.h"

namespace acceld::ir {
namespace {

// Returns `element` repeated `count` times, at the speed of memcpy.
std::string Repeat(absl::string_view element, int64_t count) {
  const size_t total = element.size() * static_cast<size_t>(count);
  if (element.size() == 1) return std::string(total, element[0]);
  std::string out(total, '\0');
  if (total == 0) return out;
  std::memcpy(out.data(), element.data(), element.size());
  for (size_t filled = element.size(); filled < total;) {
    const size_t chunk = std::min(filled, total - filled);
    std::memcpy(out.data() + filled, out.data(), chunk);
    filled += chunk;
  }
  return out;
}

// Checks the elements of dtypes that do not use all values of their storage byte.
absl::Status ValidateElements(const TensorType& type, absl::string_view bytes) {
  const int bits = BitsOf(type.dtype);
  if (bits >= 8) return absl::OkStatus();
  const int low = IsSigned(type.dtype) ? -(1 << (bits - 1)) : 0;
  const int high = low + (1 << bits) - 1;
  const auto is_bad = [&](char c) {
    const int value = static_cast<signed char>(c);
    return value < low || value > high;
  };
  // Works block by block without branches inside a block, which compilers turn into vector code.
  constexpr size_t kBlock = 4096;
  for (size_t start = 0; start < bytes.size(); start += kBlock) {
    const absl::string_view block = bytes.substr(start, kBlock);
    bool any_bad = false;
    for (char c : block) any_bad |= is_bad(c);
    if (!any_bad) continue;
    const size_t at = start + (std::find_if(block.begin(), block.end(), is_bad) - block.begin());
    return absl::InvalidArgumentError(
        absl::StrCat("literal of type ", type.ToString(), ": element ", at, " is stored as ",
                     static_cast<int>(static_cast<signed char>(bytes[at])), ", which no ",
                     DTypeName(type.dtype), " is"));
  }
  return absl::OkStatus();
}

}  // namespace

Literal::Literal() {
  static const auto* const zero = new std::shared_ptr<const std::string>(
      std::make_shared<const std::string>(sizeof(float), '\0'));
  bytes_ = *zero;
  splat_ = true;
}

absl::StatusOr<Literal> Literal::FromBytes(TensorType type, std::string bytes) {
  ACCELD_RETURN_IF_ERROR(ValidateType(type));
  if (!type.IsStatic()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a literal needs a static type, not ", type.ToString()));
  }
  const auto given = static_cast<int64_t>(bytes.size());
  if (given != type.size_bytes() && given != StorageBytesOf(type.dtype)) {
    return absl::InvalidArgumentError(
        absl::StrCat("literal of type ", type.ToString(), " needs ", type.size_bytes(),
                     " bytes (or ", StorageBytesOf(type.dtype), " for a splat), but has ", given));
  }
  ACCELD_RETURN_IF_ERROR(ValidateElements(type, bytes));
  return Unchecked(std::move(type), std::move(bytes));
}

Literal Literal::Filled(TensorType type, double value) {
  std::string element(StorageBytesOf(type.dtype), '\0');
  StoreConverted(type.dtype, element.data(), value);
  return Unchecked(std::move(type), std::move(element));
}

Literal Literal::Unchecked(TensorType type, std::string bytes) {
  Literal literal;
  const int64_t count = type.num_elements();
  const auto given = static_cast<int64_t>(bytes.size());
  const int64_t element = StorageBytesOf(type.dtype);
  ACCELD_CHECK(given == element || given == count * element);
  literal.splat_ = given == element && count > 0;
  if (count == 0) bytes.clear();
  literal.type_ = std::move(type);
  literal.bytes_ = std::make_shared<const std::string>(std::move(bytes));
  return literal;
}

std::string Literal::DenseBytes() const {
  return splat_ ? Repeat(bytes(), type_.num_elements()) : *bytes_;
}

bool operator==(const Literal& a, const Literal& b) {
  if (!(a.type_ == b.type_)) return false;
  if (a.bytes_ == b.bytes_ || *a.bytes_ == *b.bytes_) return true;
  if (a.splat_ == b.splat_) return false;
  const absl::string_view element = a.splat_ ? a.bytes() : b.bytes();
  const absl::string_view all = a.splat_ ? b.bytes() : a.bytes();
  // Every element equals the splat: the first does, and each equals the one before it.
  return all.substr(0, element.size()) == element &&
         all.substr(element.size()) == all.substr(0, all.size() - element.size());
}

}  // namespace acceld::ir
