#include "common/ir/bytecode/container.h"

#include <array>
#include <optional>

#include "absl/strings/str_cat.h"
#include "common/ir/verify/limits.h"

namespace acceld::ir::bytecode {
namespace {

constexpr absl::string_view kMagic = "ML\xEFR";

enum SectionId : uint8_t {
  kString,
  kDialect,
  kAttrType,
  kAttrTypeOffset,
  kIr,
  kResource,
  kResourceOffset,
  kDialectVersion,
  kPropertiesSection,
  kNumSections,
};
constexpr absl::string_view kSectionNames[kNumSections] = {
    "string",    "dialect",  "attribute and type", "attribute and type offset",
    "IR",        "resource", "resource offset",    "dialect version",
    "properties"};

class ContainerReader {
 public:
  ContainerReader(absl::string_view bytes, MemoryBudget& budget) : file_(bytes), budget_(budget) {}

  absl::StatusOr<Container> Read();

 private:
  absl::Status ReadHeader();
  absl::Status ReadSections();
  absl::StatusOr<Cursor> Required(SectionId id) const;
  absl::StatusOr<absl::string_view> ReadString(Cursor& in) const;
  absl::Status ReadStrings(Cursor in);
  absl::Status ReadDialects(Cursor in);
  absl::Status ReadOffsets(Cursor offsets, Cursor data);
  absl::Status ReadEntries(Cursor& offsets, Cursor& data, uint64_t count, std::vector<Entry>& to);
  absl::Status ReadProperties(Cursor in);
  absl::Status ReadResources(Cursor offsets, Cursor data);
  absl::Status ReadResourceGroup(Cursor& offsets, Cursor& data, bool of_dialect);

  // Reads a count of things and charges `bytes_each` for each of them.
  absl::StatusOr<uint64_t> Count(Cursor& in, absl::string_view what, size_t bytes_each);

  Cursor file_;
  MemoryBudget& budget_;
  std::array<std::optional<Cursor>, kNumSections> sections_;
  std::vector<absl::string_view> dialects_;
  Container container_;
};

absl::Status ContainerReader::ReadHeader() {
  ACCELD_ASSIGN_OR_RETURN(const absl::string_view magic, file_.Bytes(kMagic.size()));
  if (magic != kMagic) return Cursor::ErrorAt(0, "this is not MLIR bytecode");
  ACCELD_ASSIGN_OR_RETURN(container_.version, file_.Varint());
  if (container_.version > kNewestVersion) {
    return absl::UnimplementedError(absl::StrCat("MLIR bytecode version ", container_.version,
                                                 " is not supported, only 0 to ", kNewestVersion));
  }
  ACCELD_ASSIGN_OR_RETURN(container_.producer, file_.NulTerminated());
  return absl::OkStatus();
}

absl::Status ContainerReader::ReadSections() {
  while (!file_.AtEnd()) {
    const size_t begin = file_.offset();
    ACCELD_ASSIGN_OR_RETURN(const Section section, file_.ReadSection());
    if (section.id >= kNumSections) {
      return Cursor::ErrorAt(begin, absl::StrCat("there is no section of kind ", section.id));
    }
    if (sections_[section.id].has_value()) {
      return Cursor::ErrorAt(begin,
                             absl::StrCat("the ", kSectionNames[section.id], " section is twice"));
    }
    sections_[section.id] = section.data;
  }
  return absl::OkStatus();
}

absl::StatusOr<Cursor> ContainerReader::Required(SectionId id) const {
  if (sections_[id].has_value()) return *sections_[id];
  return file_.Error(absl::StrCat("the ", kSectionNames[id], " section is missing"));
}

absl::StatusOr<uint64_t> ContainerReader::Count(Cursor& in, absl::string_view what,
                                                size_t bytes_each) {
  ACCELD_ASSIGN_OR_RETURN(const uint64_t count, in.Count(what));
  ACCELD_RETURN_IF_ERROR(budget_.Charge(static_cast<int64_t>(count * bytes_each), what));
  return count;
}

absl::StatusOr<absl::string_view> ContainerReader::ReadString(Cursor& in) const {
  ACCELD_ASSIGN_OR_RETURN(const uint64_t index, in.Index(container_.strings.size(), "string"));
  return container_.strings[index];
}

// Format: the count, the sizes of the strings with their NULs from the last to the first, the
// strings.
absl::Status ContainerReader::ReadStrings(Cursor in) {
  ACCELD_ASSIGN_OR_RETURN(const uint64_t count, Count(in, "strings", sizeof(absl::string_view)));
  std::vector<uint64_t> sizes(count);
  for (size_t i = count; i-- > 0;) {
    ACCELD_ASSIGN_OR_RETURN(sizes[i], in.Varint());
  }
  container_.strings.reserve(count);
  for (const uint64_t size : sizes) {
    const size_t begin = in.offset();
    ACCELD_ASSIGN_OR_RETURN(absl::string_view text, in.Bytes(size));
    if (text.empty() || text.back() != '\0') {
      return Cursor::ErrorAt(begin, "a string does not end in NUL");
    }
    text.remove_suffix(1);
    container_.strings.push_back(text);
  }
  return in.ExpectEnd("the string section");
}

// Format: the names of the dialects, then the names of the ops, grouped by dialect.
absl::Status ContainerReader::ReadDialects(Cursor in) {
  ACCELD_ASSIGN_OR_RETURN(const uint64_t count, Count(in, "dialects", sizeof(absl::string_view)));
  for (uint64_t i = 0; i < count; ++i) {
    if (container_.version < kDialectVersions) {
      ACCELD_ASSIGN_OR_RETURN(const absl::string_view name, ReadString(in));
      dialects_.push_back(name);
      continue;
    }
    const size_t begin = in.offset();
    ACCELD_ASSIGN_OR_RETURN(const auto index_and_flag, in.VarintWithFlag());
    const auto [index, has_version] = index_and_flag;
    if (index >= container_.strings.size()) {
      return Cursor::ErrorAt(begin, absl::StrCat("there is no string ", index));
    }
    dialects_.push_back(container_.strings[index]);
    // A dialect's version has no effect here: VHLO has versions in the names of its ops.
    if (has_version) ACCELD_RETURN_IF_ERROR(in.ReadSection().status());
  }
  if (container_.version >= kElidedLocations) ACCELD_RETURN_IF_ERROR(in.Varint().status());
  while (!in.AtEnd()) {
    ACCELD_ASSIGN_OR_RETURN(const uint64_t dialect, in.Index(dialects_.size(), "dialect"));
    ACCELD_ASSIGN_OR_RETURN(const uint64_t num_ops, Count(in, "names of ops", sizeof(OpName)));
    for (uint64_t i = 0; i < num_ops; ++i) {
      const size_t begin = in.offset();
      ACCELD_ASSIGN_OR_RETURN(uint64_t index, in.Varint());
      bool registered = true;
      if (container_.version >= kProperties) {
        registered = (index & 1) != 0;
        index >>= 1;
      }
      if (index >= container_.strings.size()) {
        return Cursor::ErrorAt(begin, absl::StrCat("there is no string ", index));
      }
      container_.op_names.push_back({dialects_[dialect], container_.strings[index], registered});
    }
  }
  return absl::OkStatus();
}

// Format: groups until there are `count` attributes or types. A group has a dialect, a count, and
// the size and a flag of each entry.
absl::Status ContainerReader::ReadEntries(Cursor& offsets, Cursor& data, uint64_t count,
                                          std::vector<Entry>& to) {
  to.reserve(count);
  while (to.size() < count) {
    ACCELD_ASSIGN_OR_RETURN(const uint64_t dialect, offsets.Index(dialects_.size(), "dialect"));
    const size_t begin = offsets.offset();
    ACCELD_ASSIGN_OR_RETURN(const uint64_t in_group, offsets.Varint());
    if (in_group > count - to.size()) {
      return Cursor::ErrorAt(
          begin, absl::StrCat("a group of ", in_group, " attributes or types, where only ",
                              count - to.size(), " are left"));
    }
    for (uint64_t i = 0; i < in_group; ++i) {
      ACCELD_ASSIGN_OR_RETURN(const auto size_and_flag, offsets.VarintWithFlag());
      Entry entry;
      entry.dialect = dialects_[dialect];
      entry.has_encoding = size_and_flag.second;
      ACCELD_ASSIGN_OR_RETURN(entry.data, data.Part(size_and_flag.first));
      to.push_back(entry);
    }
  }
  return absl::OkStatus();
}

absl::Status ContainerReader::ReadOffsets(Cursor offsets, Cursor data) {
  ACCELD_ASSIGN_OR_RETURN(const uint64_t num_attributes,
                          Count(offsets, "attributes", sizeof(Entry) + kDecodedBytes));
  ACCELD_ASSIGN_OR_RETURN(const uint64_t num_types,
                          Count(offsets, "types", sizeof(Entry) + kDecodedBytes));
  ACCELD_RETURN_IF_ERROR(ReadEntries(offsets, data, num_attributes, container_.attributes));
  ACCELD_RETURN_IF_ERROR(ReadEntries(offsets, data, num_types, container_.types));
  return offsets.ExpectEnd("the attribute and type offset section");
}

absl::Status ContainerReader::ReadProperties(Cursor in) {
  ACCELD_ASSIGN_OR_RETURN(const uint64_t count, Count(in, "properties", sizeof(Cursor)));
  container_.properties.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    ACCELD_ASSIGN_OR_RETURN(const uint64_t size, in.Varint());
    ACCELD_ASSIGN_OR_RETURN(const Cursor part, in.Part(size));
    container_.properties.push_back(part);
  }
  return in.ExpectEnd("the properties section");
}

// Format: the dialect or owner, a count, and for each resource its key, size and kind.
absl::Status ContainerReader::ReadResourceGroup(Cursor& offsets, Cursor& data, bool of_dialect) {
  constexpr uint8_t kBlob = 0;
  if (of_dialect) {
    ACCELD_RETURN_IF_ERROR(offsets.Index(dialects_.size(), "dialect").status());
  } else {
    ACCELD_RETURN_IF_ERROR(ReadString(offsets).status());
  }
  ACCELD_ASSIGN_OR_RETURN(const uint64_t count, Count(offsets, "resources", sizeof(Resource)));
  for (uint64_t i = 0; i < count; ++i) {
    Resource resource;
    ACCELD_ASSIGN_OR_RETURN(resource.key, ReadString(offsets));
    ACCELD_ASSIGN_OR_RETURN(const uint64_t size, offsets.Varint());
    ACCELD_ASSIGN_OR_RETURN(const uint8_t kind, offsets.Byte());
    ACCELD_ASSIGN_OR_RETURN(Cursor value, data.Part(size));
    if (!of_dialect) continue;
    if (kind == kBlob) {
      resource.is_blob = true;
      ACCELD_ASSIGN_OR_RETURN(const uint64_t alignment, value.Varint());
      ACCELD_ASSIGN_OR_RETURN(const uint64_t blob_size, value.Varint());
      ACCELD_RETURN_IF_ERROR(value.Align(alignment));
      ACCELD_ASSIGN_OR_RETURN(resource.bytes, value.Bytes(blob_size));
    }
    container_.resources.push_back(resource);
  }
  return absl::OkStatus();
}

absl::Status ContainerReader::ReadResources(Cursor offsets, Cursor data) {
  ACCELD_ASSIGN_OR_RETURN(const uint64_t num_external, offsets.Count("groups of resources"));
  for (uint64_t i = 0; i < num_external; ++i) {
    ACCELD_RETURN_IF_ERROR(ReadResourceGroup(offsets, data, /*of_dialect=*/false));
  }
  while (!offsets.AtEnd()) {
    ACCELD_RETURN_IF_ERROR(ReadResourceGroup(offsets, data, /*of_dialect=*/true));
  }
  return absl::OkStatus();
}

absl::StatusOr<Container> ContainerReader::Read() {
  ACCELD_RETURN_IF_ERROR(ReadHeader());
  ACCELD_RETURN_IF_ERROR(ReadSections());
  ACCELD_ASSIGN_OR_RETURN(const Cursor strings, Required(kString));
  ACCELD_RETURN_IF_ERROR(ReadStrings(strings));
  ACCELD_ASSIGN_OR_RETURN(const Cursor dialects, Required(kDialect));
  ACCELD_RETURN_IF_ERROR(ReadDialects(dialects));
  ACCELD_ASSIGN_OR_RETURN(const Cursor offsets, Required(kAttrTypeOffset));
  ACCELD_ASSIGN_OR_RETURN(const Cursor data, Required(kAttrType));
  ACCELD_RETURN_IF_ERROR(ReadOffsets(offsets, data));
  if (sections_[kResourceOffset].has_value()) {
    ACCELD_ASSIGN_OR_RETURN(const Cursor values, Required(kResource));
    ACCELD_RETURN_IF_ERROR(ReadResources(*sections_[kResourceOffset], values));
  }
  if (sections_[kPropertiesSection].has_value()) {
    ACCELD_RETURN_IF_ERROR(ReadProperties(*sections_[kPropertiesSection]));
  }
  ACCELD_ASSIGN_OR_RETURN(container_.ir, Required(kIr));
  return std::move(container_);
}

}  // namespace

absl::StatusOr<Container> ReadContainer(absl::string_view bytes, MemoryBudget& budget) {
  return ContainerReader(bytes, budget).Read();
}

}  // namespace acceld::ir::bytecode
