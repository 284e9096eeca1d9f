#include "kernels/ir/host_call.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace acceld::kernels {

std::string ToString(const HostCall& call) {
  const auto list = [](const std::vector<ir::TensorType>& types) {
    return absl::StrJoin(types, ", ", [](std::string* out, const ir::TensorType& type) {
      absl::StrAppend(out, type.ToString());
    });
  };
  return absl::StrCat("host callback ", call.callback, " (", list(call.operands), ") -> (",
                      list(call.results), ")");
}

}  // namespace acceld::kernels
