#include "server/compiler/pipeline.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "common/ir/text.h"
#include "common/ir/verify/limits.h"
#include "common/ir/verify/verifier.h"
#include "common/memory/allocation.h"
#include "server/compiler/decompose/decompose.h"
#include "server/compiler/fusion/attention/fuse_attention.h"
#include "server/compiler/fusion/fuse.h"
#include "server/compiler/fusion/fuse_matmuls.h"
#include "server/compiler/fusion/groups/fuse_rows.h"
#include "server/compiler/fusion/groups/merge_reductions.h"
#include "server/compiler/passes/cleanup/canonicalize.h"
#include "server/compiler/passes/cleanup/cse.h"
#include "server/compiler/passes/cleanup/dce.h"
#include "server/compiler/passes/cleanup/fold_constants.h"
#include "server/compiler/passes/cleanup/shrink_splats.h"
#include "server/compiler/passes/cleanup/simplify_algebra.h"
#include "server/compiler/passes/loops/forget_initials.h"
#include "server/compiler/passes/loops/hoist_invariants.h"
#include "server/compiler/passes/loops/hoist_products.h"
#include "server/compiler/passes/loops/sink_products.h"
#include "server/compiler/passes/loops/unroll_loops.h"
#include "server/compiler/passes/products/canonicalize_convolutions.h"
#include "server/compiler/passes/products/canonicalize_dots.h"
#include "server/compiler/passes/products/swap_dots.h"
#include "server/compiler/passes/products/widen_dots.h"
#include "server/compiler/passes/reductions/split_reductions.h"
#include "server/compiler/passes/reductions/split_scans.h"
#include "server/compiler/passes/reductions/unroll_reductions.h"
#include "server/compiler/passes/reductions/widen_scatters.h"
#include "server/compiler/passes/sorts/shorten_sorts.h"
#include "server/compiler/passes/sorts/split_sorts.h"
#include "server/compiler/passes/structure/drop_barriers.h"
#include "server/compiler/passes/structure/expand_composites.h"
#include "server/compiler/passes/structure/flatten_values.h"
#include "server/compiler/passes/structure/inline.h"
#include "server/compiler/passes/structure/isolate_nests.h"
#include "server/compiler/passes/structure/normalize_collectives.h"
#include "server/compiler/spmd/collectives/gather_again.h"

namespace acceld::compiler {
namespace {

// The nesting of regions that the verifier allows in a module between two passes.
constexpr int kMaxRegions = ir::limits::kMaxRegionDepth + ir::limits::kMaxCompilerRegions;

constexpr Pass kPipeline[] = {
    {"expand-composites", &ExpandComposites},
    {"flatten-values", &FlattenValues},
    {"inline", &InlineCalls},
    {"decompose", &Decompose},
    {"normalize-collectives", &NormalizeCollectives},
    {"unroll-loops", &UnrollLoops},
    {"canonicalize", &Canonicalize},
    {"fold-constants", &FoldConstants},
    {"simplify-algebra", &SimplifyAlgebra},
    {"cse", &EliminateCommonSubexpressions},
    {"dce", &EliminateDeadCode},
    // Once more: branches that became known and constants that moved give it more to simplify.
    {"canonicalize", &Canonicalize},
    {"hoist-invariants", &HoistInvariants},
    {"fuse-attention", &FuseAttention},
    {"swap-dots", &SwapDots},
    {"hoist-products", &HoistProducts},
    {"sink-products", &SinkProducts},
    {"widen-dots", &WidenDots},
    {"canonicalize-dots", &CanonicalizeDots},
    {"canonicalize-convolutions", &CanonicalizeConvolutions},
    {"widen-scatters", &WidenScatters},
    {"unroll-reductions", &UnrollReductions},
    {"split-reductions", &SplitReductions},
    {"split-scans", &SplitScans},
    {"shorten-sorts", &ShortenSorts},
    {"split-sorts", &SplitSorts},
    {"shrink-splats", &ShrinkSplats},
    {"cse", &EliminateCommonSubexpressions},
    {"drop-barriers", &DropBarriers},
    {"dce", &EliminateDeadCode},
    {"forget-initials", &ForgetInitials},
    {"isolate-nests", &IsolateNests},
    {"dce", &EliminateDeadCode},
    {"fuse-matmuls", &FuseMatmuls},
    {"fuse", &Fuse},
    {"fuse-rows", &FuseRows},
    {"merge-reductions", &MergeReductions},
    {"gather-again", &spmd::GatherAgain},
};

// Whether the module is verified after each pass. Verifying takes about as long as a pass, so
// release builds verify only after the last pass, unless the stages are dumped.
bool VerifiesEach(const Dump& dump) {
#ifdef NDEBUG
  return dump.enabled();
#else
  (void)dump;
  return true;
#endif
}

}  // namespace

absl::Span<const Pass> Pipeline() { return kPipeline; }

const Pass* FindPass(absl::string_view name) {
  for (const Pass& pass : kPipeline) {
    if (pass.name == name) return &pass;
  }
  return nullptr;
}

absl::Status NoSuchPass(absl::string_view name) {
  std::vector<absl::string_view> names;
  for (const Pass& pass : kPipeline) {
    if (std::find(names.begin(), names.end(), pass.name) == names.end()) names.push_back(pass.name);
  }
  return absl::InvalidArgumentError(absl::StrCat("there is no compiler pass '", name,
                                                 "'; there are ", absl::StrJoin(names, ", ")));
}

absl::StatusOr<ir::Module> RunPipeline(ir::Module module, const codegen::Target& target,
                                       absl::Span<const std::string> disabled, Dump& dump,
                                       std::vector<CompileStep>* steps, const StopFlag* stop) {
  for (const std::string& name : disabled) {
    if (FindPass(name) == nullptr) return NoSuchPass(name);
  }
  int number = 0;
  for (const Pass& pass : kPipeline) {
    ++number;
    const auto is_pass = [&](const std::string& name) { return pass.name == name; };
    if (std::any_of(disabled.begin(), disabled.end(), is_pass)) continue;
    ACCELD_RETURN_IF_ERROR(CheckStop(stop));
    const auto start = std::chrono::steady_clock::now();
    absl::StatusOr<ir::Module> result = pass(module, target);
    if (!result.ok()) return Annotate(result.status(), absl::StrCat("pass ", pass.name));
    ACCELD_RETURN_IF_ERROR(CheckMayContinue(pass.name));
    module = *std::move(result);
    if (steps != nullptr) steps->push_back({pass.name, start, std::chrono::steady_clock::now()});
    if (VerifiesEach(dump)) {
      if (const absl::Status valid = ir::VerifyWithin(module, kMaxRegions); !valid.ok()) {
        return absl::InternalError(
            absl::StrCat("pass ", pass.name, " broke the module: ", valid.message()));
      }
    }
    if (dump.enabled()) {
      dump.Write(absl::StrFormat("%02d-%s.mlir", number, std::string(pass.name)),
                 ir::PrintModule(module));
    }
  }
  if (const absl::Status valid = ir::VerifyWithin(module, kMaxRegions); !valid.ok()) {
    return absl::InternalError(absl::StrCat("the passes broke the module: ", valid.message()));
  }
  return module;
}

}  // namespace acceld::compiler
