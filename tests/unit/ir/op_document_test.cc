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
#include "common/ir/import/importer.h"
#include "common/ir/import/inlined_ops.h"
#include "common/ir/import/replaced_ops.h"
#include "common/ir/op.h"
#include "gtest/gtest.h"

namespace acceld::ir {
namespace {

// What becomes of the ops of a family on a device of the CPU.
const char* OnCpu(OpFamily family) {
  switch (family) {
    case OpFamily::kElementwise:
    case OpFamily::kIndexing:
      return "kernel, fused with others";
    case OpFamily::kNest:
      return "kernel, with its producers";
    case OpFamily::kContraction:
      return "oneDNN, else a kernel";
    case OpFamily::kRoutine:
      return "routine on whole buffers";
    case OpFamily::kDerived:
      return "written as other ops";
    case OpFamily::kDynamic:
      return "static once shapes are known";
    case OpFamily::kStructure:
      return "part of the plan";
  }
  return "";
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
    rows.push_back(absl::StrCat("| `", info.name, "` | ",
                                Count(info.min_operands, info.max_operands), " | ", regions, " | ",
                                types, " | ", OnCpu(info.family), " |\n"));
  }
  std::sort(rows.begin(), rows.end());
  std::vector<absl::string_view> replaced = ReplacedOps();
  replaced.insert(replaced.end(), std::begin(kInlinedOps), std::end(kInlinedOps));
  replaced.push_back(kAsyncDone);
  std::sort(replaced.begin(), replaced.end());
  return absl::StrCat(
      "# Ops\n\nWritten by `op_document_test` from `ops.def`; do not edit.\n\n"
      "Element types are those of the data operands of elementwise ops; the others take what the "
      "StableHLO\nspecification says.\n\n"
      "| op | operands | regions | element types | CPU |\n|---|---|---|---|---|\n",
      absl::StrJoin(rows, ""),
      "\nThese are written as other ops when a program is read, and run wherever those do:\n\n",
      absl::StrJoin(
          replaced, "\n",
          [](std::string* out, absl::string_view name) { absl::StrAppend(out, "- `", name, "`"); }),
      "\n\nSo are ",
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
