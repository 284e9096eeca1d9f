#include "kernels/cpu/object_set.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace acceld::kernels::cpu {
namespace {

// Marks a set of several objects. A single object begins with ELF's own magic number instead.
constexpr absl::string_view kMark = "acceldset1";
constexpr size_t kNumberBytes = 8;

void AppendNumber(std::string& bytes, uint64_t number) {
  for (size_t i = 0; i < kNumberBytes; ++i) {
    bytes.push_back(static_cast<char>(number >> (8 * i)));
  }
}

// Removes a number from the front of `bytes`, which must have at least kNumberBytes bytes.
uint64_t TakeNumber(absl::string_view& bytes) {
  uint64_t number = 0;
  for (size_t i = 0; i < kNumberBytes; ++i) {
    number |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  bytes.remove_prefix(kNumberBytes);
  return number;
}

absl::Status InvalidSet(absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("code of several objects: ", why));
}

}  // namespace

std::string PackObjects(absl::Span<const std::string> objects) {
  if (objects.size() == 1) return objects[0];
  std::string code(kMark);
  AppendNumber(code, objects.size());
  for (const std::string& object : objects) AppendNumber(code, object.size());
  for (const std::string& object : objects) code += object;
  return code;
}

absl::StatusOr<std::vector<absl::string_view>> UnpackObjects(absl::string_view code) {
  if (!absl::StartsWith(code, kMark)) return std::vector<absl::string_view>{code};
  code.remove_prefix(kMark.size());
  if (code.size() < kNumberBytes) return InvalidSet("their number is cut off");
  const uint64_t count = TakeNumber(code);
  if (count == 0 || count > code.size() / kNumberBytes) {
    return InvalidSet(absl::StrCat(count, " objects in ", code.size(), " bytes"));
  }
  absl::string_view sizes = code.substr(0, count * kNumberBytes);
  code.remove_prefix(sizes.size());
  std::vector<absl::string_view> objects;
  while (!sizes.empty()) {
    const uint64_t size = TakeNumber(sizes);
    if (size > code.size()) {
      return InvalidSet(absl::StrCat("object ", objects.size(), " has ", size, " bytes, ",
                                     code.size(), " are left"));
    }
    objects.push_back(code.substr(0, size));
    code.remove_prefix(size);
  }
  if (!code.empty()) return InvalidSet(absl::StrCat(code.size(), " bytes are left over"));
  return objects;
}

}  // namespace acceld::kernels::cpu
