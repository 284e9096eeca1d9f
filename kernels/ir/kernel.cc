#include "kernels/ir/kernel.h"

namespace acceld::kernels {
namespace {

struct ScalarOpInfo {
  absl::string_view name;
  int arity;
};

constexpr ScalarOpInfo kScalarOps[] = {
#define ACCELD_SCALAR_OP(Kind, text, arity) {text, arity},
#include "kernels/ir/scalar_ops.def"
};

}  // namespace

absl::string_view NameOf(ScalarOp op) { return kScalarOps[static_cast<int>(op)].name; }
int ArityOf(ScalarOp op) { return kScalarOps[static_cast<int>(op)].arity; }

}  // namespace acceld::kernels
