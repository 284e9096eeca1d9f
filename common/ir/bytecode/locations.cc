#include "common/ir/bytecode/locations.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/verify/limits.h"

// Decodes locations, which are attributes of MLIR's builtin dialect. Source:
// BuiltinDialectBytecode.td.
namespace acceld::ir::bytecode {
namespace {

enum BuiltinAttributeCode : uint64_t {
  kString = 2,
  kCallSite = 10,
  kFileLineColumn = 11,
  kFused = 12,
  kFusedWithMetadata = 13,
  kNamed = 14,
  kFileLineColumnRange = 22,
};

// Longer texts are cut.
constexpr size_t kMaxShown = 200;

struct SourceLocation {
  std::string file;  // with line and column
  std::string name;  // of the outermost location that has one
};

class LocationReader {
 public:
  explicit LocationReader(const Container& container) : container_(container) {}

  // Sets the members of `location` that are still empty.
  absl::Status Read(uint64_t attribute, int depth, SourceLocation& location) const {
    if (depth >= limits::kMaxDepth) return absl::InvalidArgumentError("too deep");
    const Entry& entry = container_.attributes[attribute];
    if (!entry.has_encoding || entry.dialect != "builtin") return absl::OkStatus();
    Cursor in = entry.data;
    ACCELD_ASSIGN_OR_RETURN(const uint64_t code, in.Varint());
    switch (code) {
      case kCallSite:  // the callee, then the caller, which does not matter here
        return ReadNext(in, depth, location);
      case kFileLineColumn:
        return ReadFileLineColumn(in, location);
      case kFileLineColumnRange:
        return ReadFileLineColumnRange(in, location);
      case kFusedWithMetadata:
      case kFused: {
        ACCELD_ASSIGN_OR_RETURN(const uint64_t count, in.Count("locations"));
        return count == 0 ? absl::OkStatus() : ReadNext(in, depth, location);
      }
      case kNamed: {
        ACCELD_ASSIGN_OR_RETURN(std::string name, ReadString(in));
        if (location.name.empty()) location.name = std::move(name);
        return ReadNext(in, depth, location);
      }
      default:
        return absl::OkStatus();
    }
  }

 private:
  absl::Status ReadNext(Cursor& in, int depth, SourceLocation& location) const {
    ACCELD_ASSIGN_OR_RETURN(const uint64_t next,
                            in.Index(container_.attributes.size(), "location"));
    return Read(next, depth + 1, location);
  }

  // Format: the file, the line, the column.
  absl::Status ReadFileLineColumn(Cursor& in, SourceLocation& location) const {
    ACCELD_ASSIGN_OR_RETURN(std::string file, ReadString(in));
    return AddNumbers(in, 2, std::move(file), location);
  }

  // Format: the file, the count of numbers that follow, and these: line, column, and where the
  // range ends.
  absl::Status ReadFileLineColumnRange(Cursor& in, SourceLocation& location) const {
    ACCELD_ASSIGN_OR_RETURN(std::string file, ReadString(in));
    ACCELD_ASSIGN_OR_RETURN(const uint64_t count, in.Count("numbers of a location"));
    return AddNumbers(in, std::min<uint64_t>(count, 2), std::move(file), location);
  }

  absl::Status AddNumbers(Cursor& in, uint64_t count, std::string file,
                          SourceLocation& location) const {
    for (uint64_t i = 0; i < count; ++i) {
      ACCELD_ASSIGN_OR_RETURN(const uint64_t number, in.Varint());
      absl::StrAppend(&file, ":", number);
    }
    if (location.file.empty()) location.file = std::move(file);
    return absl::OkStatus();
  }

  // Reads the number of a string attribute and returns its text.
  absl::StatusOr<std::string> ReadString(Cursor& in) const {
    ACCELD_ASSIGN_OR_RETURN(const uint64_t index,
                            in.Index(container_.attributes.size(), "string attribute"));
    const Entry& entry = container_.attributes[index];
    Cursor text = entry.data;
    ACCELD_ASSIGN_OR_RETURN(const uint64_t code, text.Varint());
    if (!entry.has_encoding || entry.dialect != "builtin" || code != kString) {
      return text.Error("expected a string");
    }
    ACCELD_ASSIGN_OR_RETURN(const uint64_t string, text.Index(container_.strings.size(), "string"));
    return std::string(container_.strings[string].substr(0, kMaxShown));
  }

  const Container& container_;
};

}  // namespace

std::string DescribeLocation(const Container& container, uint64_t attribute) {
  SourceLocation location;
  if (!LocationReader(container).Read(attribute, 0, location).ok()) return "";
  if (location.file.empty() || location.name.empty())
    return absl::StrCat(location.file, location.name);
  return absl::StrCat(location.file, " (", location.name, ")");
}

}  // namespace acceld::ir::bytecode
