// common/ir/OPS.md is written from the tables that it is about; with ACCELD_UPDATE_TEXT_TESTS=1 it
// is written anew.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "common/ir/import/importer.h"
#include "common/ir/import/inlined_ops.h"
#include "common/ir/import/replaced_ops.h"
#include "common/ir/op.h"
#include "gtest/gtest.h"

namespace acceld::ir {
namespace {

constexpr char kIntroduction[] = R"(# Ops

Written by `op_document_test` from `ops.def`; do not edit.

These are the ops of which programs may consist, and where each is computed. An op that is not in this document is
refused by its name when a program is read. Four ops of the StableHLO specification are missing: `infeed`, `outfeed`,
`recv` and `send`.

Element types are those of the data operands of elementwise ops; the other ops take what the specification says. The
last column is empty for ops that the text of the specification does not have.

What the columns "CPU" and "GPU" say:

- **kernel, fused with others**: acceld generates code for the op, and several such ops become one kernel.
- **kernel, with its producers**: acceld generates a loop nest for the op, into which ops that compute its operands may
  be fused.
- **routine on whole buffers**: a function of acceld's or of OpenBLAS computes the whole result
  (`kernels/cpu/support/routines/`).
- **the name of a library**: the library computes the op if it is there and has a function for these types and shapes.
  Otherwise a generated kernel computes it, or "the host": the operands are copied from the GPU to the machine's memory,
  the routine of the CPU computes the result there, and the result is copied back.
- **written as other ops**: the compiler replaces the op by others of this table, on every device in the same way.
- **static once shapes are known**: the op takes shapes as values. It is replaced by a static op when the program is
  compiled for the shapes of its arguments; a shape that depends on data is refused.
- **part of the plan**: constants, calls, loops, branches and tuples are steps of the compiled program, not kernels.
- **exchange between devices**: the processes of a program exchange values (`server/hal/gang.h`): CPU devices in memory,
  GPUs by NCCL and kernels that combine elements (`server/hal/cuda/nccl/`).
- **replaced by partitioning**: the partitioner divides the program over its processes by what the op says
  (`server/compiler/spmd/partition.h`).

)";

constexpr char kCustomCalls[] = R"(
A `stablehlo.custom_call` is a host callback (`common/ir/calls/host_callback.h`), a routine of linear algebra
(`server/compiler/plan/steps/linear_algebra_calls.cc` lists the targets), or one of the calls that are replaced when the
program is read. Any other target is refused by its name. GPUs compute with cuSOLVER and cuBLAS: Cholesky, LU and QR
decompositions, products with Householder reflectors, eigenvalues of Hermitian matrices, singular values and triangular
solves. The host computes, for GPUs too: Hessenberg, Schur and tridiagonal forms, eigenvalues of other matrices, QR with
pivots, tridiagonal solves, matrices of `f16` and `bf16`, and large batches of small matrices where the library has no
function for batches (`kernels/cuda/routines/prepare.cc`).
)";

constexpr char kSpecification[] = "https://github.com/openxla/stablehlo/blob/main/docs/spec.md";

// Ops that the text of the specification does not have.
constexpr absl::string_view kNotInSpecification[] = {
    "stablehlo.broadcast",
    "stablehlo.create_token",
    "stablehlo.cross-replica-sum",
    "stablehlo.dot",
    "stablehlo.dynamic_approx_top_k",
    "stablehlo.dynamic_reduce_window",
    "stablehlo.dynamic_rng_bit_generator",
    "stablehlo.dynamic_top_k",
    "stablehlo.einsum",
    "stablehlo.real_dynamic_slice",
    "stablehlo.set_dimension_size",
    "stablehlo.torch_index_select",
    "stablehlo.unary_einsum",
};

// A link to the section of the specification, or empty.
std::string Section(absl::string_view name) {
  if (name == "func.call") {
    return absl::StrCat("[Functions](", kSpecification, "#functions)");
  }
  if (!absl::ConsumePrefix(&name, "stablehlo.")) return "";
  for (const absl::string_view other : kNotInSpecification) {
    if (other == absl::StrCat("stablehlo.", name)) return "";
  }
  return absl::StrCat("[", name, "](", kSpecification, "#", name, ")");
}

// Where an op is computed.
struct Support {
  std::string cpu, gpu;
};

Support SupportOf(OpKind kind) {
  const auto both = [](const char* targets) { return Support{targets, targets}; };
  switch (FamilyOf(kind)) {
    case OpFamily::kElementwise:
    case OpFamily::kIndexing:
      return both("kernel, fused with others");
    case OpFamily::kNest:
      return both("kernel, with its producers");
    case OpFamily::kContraction:
      return {"oneDNN, else a kernel",
              kind == OpKind::kConvolution ? "cuDNN, else a kernel" : "cuBLASLt, else a kernel"};
    case OpFamily::kRoutine:
      if (kind == OpKind::kFft) return {"routine on whole buffers", "cuFFT, else the host"};
      if (kind == OpKind::kTriangularSolve)
        return {"routine on whole buffers", "cuBLAS, else the host"};
      return {"routine on whole buffers", "cuSOLVER, else the host"};
    case OpFamily::kDerived:
      return both("written as other ops");
    case OpFamily::kDynamic:
      return both("static once shapes are known");
    case OpFamily::kCollective:
      return {"exchange between devices", "exchange between devices"};
    case OpFamily::kSharding:
      return {"replaced by partitioning", "replaced by partitioning"};
    case OpFamily::kStructure:
      return both(kind == OpKind::kCustomCall ? "see below" : "part of the plan");
  }
  return {};
}

std::string Count(int least, int most) {
  if (most == kVariadic) return absl::StrCat(least, " or more");
  return least == most ? absl::StrCat(least) : absl::StrCat(least, " to ", most);
}

std::string ElementTypes(OperandClasses classes) {
  if (classes == kAny) return "any";
  std::vector<std::string> names;
  if (classes & kBool) names.push_back("i1");
  if ((classes & kInteger) == kInteger) {
    names.push_back("integer");
  } else if (classes & kSigned) {
    names.push_back("signed");
  }
  if (classes & kFloat) names.push_back("float");
  if (classes & kComplex) names.push_back("complex");
  return absl::StrJoin(names, ", ");
}

std::string Document() {
  std::vector<std::string> rows;
  for (int i = 0; i < kNumOpKinds; ++i) {
    const OpInfo& info = InfoOf(static_cast<OpKind>(i));
    if (absl::StartsWith(info.name, "acceld.")) continue;  // made by the compiler
    const std::string regions =
        info.num_regions == kVariadic ? Count(1, kVariadic) : absl::StrCat(info.num_regions);
    const std::string types =
        info.family == OpFamily::kElementwise ? ElementTypes(info.operand_classes) : "";
    const Support support = SupportOf(static_cast<OpKind>(i));
    rows.push_back(absl::StrCat(
        "| `", info.name, "` | ", Count(info.min_operands, info.max_operands), " | ", regions,
        " | ", types, " | ", support.cpu, " | ", support.gpu, " | ", Section(info.name), " |\n"));
  }
  std::sort(rows.begin(), rows.end());
  std::vector<absl::string_view> replaced = ReplacedOps();
  replaced.insert(replaced.end(), std::begin(kInlinedOps), std::end(kInlinedOps));
  replaced.push_back(kAsyncDone);
  std::sort(replaced.begin(), replaced.end());
  std::string replaced_rows;
  for (const absl::string_view name : replaced) {
    absl::StrAppend(&replaced_rows, "| `", name, "` | ", Section(name), " |\n");
  }
  return absl::StrCat(
      kIntroduction,
      "| op | operands | regions | element types | CPU | GPU | specification |\n"
      "|---|---|---|---|---|---|---|\n",
      absl::StrJoin(rows, ""), kCustomCalls,
      "\nThese are written as ops of the table above when a program is read, and run wherever "
      "those do, on CPUs and GPUs:\n\n| op | specification |\n|---|---|\n",
      replaced_rows, "\nSo are ",
      absl::StrJoin(
          kUniformOps, ", ",
          [](std::string* out, absl::string_view name) { absl::StrAppend(out, "`", name, "`"); }),
      ", and every op on quantized\ntensors: arguments and results of a program are the stored "
      "integers.\n\n"
      "A program runs as one process on one device. Collectives, process numbers and manual "
      "computations mean\nthat process, and a program whose groups, meshes or module attributes "
      "name others with them is refused.\n");
}

TEST(OpDocument, IsWhatTheTablesSay) {
  const std::string path = ACCELD_OPS_DOCUMENT;
  if (std::getenv("ACCELD_UPDATE_TEXT_TESTS") != nullptr) std::ofstream(path) << Document();
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_EQ(text, Document()) << "write it anew: ACCELD_UPDATE_TEXT_TESTS=1 op_document_test";
}

}  // namespace
}  // namespace acceld::ir
