#include "common/ir/bytecode/vhlo_ops.h"

#include <map>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/check.h"

namespace acceld::ir::bytecode {
namespace {

// By name, then by version.
using Table = std::map<std::string, std::map<int, StoredOp>, std::less<>>;

const Table& TheTable() {
  static const auto& table = *new Table([] {
    struct Row {
      absl::string_view name, op;
      int first_version, last_version;
      absl::string_view attributes;
    };
    constexpr Row kRows[] = {
#define ACCELD_VHLO_OP(name, op, first_version, last_version, attributes) \
  {name, op, first_version, last_version, attributes},
#include "common/ir/bytecode/vhlo_ops.def"
    };
    Table rows;
    for (const Row& row : kRows) {
      const StoredOp op{row.op, ParseStoredAttributes(row.attributes)};
      for (int version = row.first_version; version <= row.last_version; ++version) {
        ACCELD_CHECK(rows[std::string(row.name)].emplace(version, op).second);
      }
    }
    return rows;
  }());
  return table;
}

}  // namespace

absl::StatusOr<const StoredOp*> FindVhloOp(absl::string_view versioned_name) {
  const auto unknown = [&](absl::string_view why) {
    return absl::UnimplementedError(
        absl::StrCat("op 'vhlo.", versioned_name.substr(0, 100), "' is not supported", why));
  };
  const size_t end = versioned_name.rfind("_v");
  int version = 0;
  if (end == absl::string_view::npos ||
      !absl::SimpleAtoi(versioned_name.substr(end + 2), &version)) {
    return unknown(": its name has no version");
  }
  const absl::string_view name = versioned_name.substr(0, end);
  const auto versions = TheTable().find(std::string(name));
  if (versions == TheTable().end()) {
    return unknown(absl::StrCat(": StableHLO ", kNewestVhlo, " has no such op"));
  }
  const auto found = versions->second.find(version);
  if (found == versions->second.end()) {
    const int first = versions->second.begin()->first;
    const int last = versions->second.rbegin()->first;
    const std::string known = first == last
                                  ? absl::StrCat("version ", first, " of it is known")
                                  : absl::StrCat("versions ", first, " to ", last, " are known");
    return unknown(absl::StrCat(": ", known, " (StableHLO ", kNewestVhlo, ")"));
  }
  return &found->second;
}

}  // namespace acceld::ir::bytecode
