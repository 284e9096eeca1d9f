#include "kernels/cpu/emit/llvm_passes/optimize.h"

#include <optional>

#include "common/memory/allocation.h"
#include "kernels/cpu/emit/launching_functions.h"
#include "kernels/cpu/emit/llvm_passes/loop_hints.h"
#include "kernels/cpu/emit/llvm_passes/prefetch_copies.h"
#include "kernels/cpu/emit/llvm_passes/prefetch_streams.h"
#include "kernels/cpu/emit/llvm_passes/stream_stores.h"
#include "kernels/cpu/emit/llvm_passes/unroll_loops.h"
#include "kernels/cpu/emit/math/divide_by_invariants.h"
#include "kernels/cpu/emit/math/vector_extrema.h"
#include "kernels/cpu/emit/math/vector_math.h"
#include "kernels/cpu/emit/math/vector_reductions.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopIdiomRecognize.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Vectorize/LoopVectorize.h"
#include "llvm/Transforms/Vectorize/VectorCombine.h"

namespace acceld::kernels::cpu {
namespace {

constexpr unsigned kLongestUnrolledRemainder = 8;

// The passes that generated code profits from, in the order of LLVM's own O2 pipeline. Generated
// code needs fewer passes than code of a C++ front end: it has no local variables in memory, its
// loops are already rotated, functions to be inlined are marked, and common subexpressions were
// merged before. The SLP vectorizer is left out as well: that of LLVM 19.1.7 miscompiles
// straight-line code (an unrolled outer product of two times 3 by 3 64-bit integers leaves lanes of
// one factor undefined), and vectors come from loops here.
llvm::FunctionPassManager MakePasses(const CodeContext& code) {
  using llvm::createFunctionToLoopPassAdaptor;
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                 /*UseMemorySSA=*/true));
  llvm::LoopPassManager loops;
  loops.addPass(llvm::LoopIdiomRecognizePass());
  loops.addPass(llvm::LoopDeletionPass());
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops)));
  // Vectorizes innermost loops before short ones are unrolled: afterwards only the loops around
  // them could be vectorized.
  passes.addPass(LoopHintsPass());
  passes.addPass(llvm::LoopVectorizePass());
  passes.addPass(RemoveEmptyRemaindersPass());
  llvm::FunctionPassManager unrolled;
  // In unrolled loops scratch arrays have constant indices, so that SROA can remove them.
  unrolled.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  unrolled.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  unrolled.addPass(llvm::InstCombinePass());
  unrolled.addPass(llvm::SimplifyCFGPass());
  unrolled.addPass(llvm::LoopVectorizePass());
  // After unrolling, unlike before, vectorization leaves much that can be folded.
  unrolled.addPass(llvm::InstCombinePass());
  passes.addPass(UnrollShortLoopsPass(std::move(unrolled)));

  passes.addPass(ExpandVectorMathPass(code));
  passes.addPass(ExpandVectorExtremaPass());
  passes.addPass(DivideByInvariantsPass(code));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::VectorCombinePass());
  passes.addPass(PrefetchCopiesPass());
  // Remainder loops are not worth much code.
  llvm::FunctionPassManager unrolled_rests;
  unrolled_rests.addPass(llvm::InstCombinePass());
  passes.addPass(UnrollRemaindersPass(kLongestUnrolledRemainder, std::move(unrolled_rests)));
  passes.addPass(createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                 /*UseMemorySSA=*/true));
  passes.addPass(llvm::ADCEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(PrefetchStreamsPass());
  passes.addPass(ExpandReductionsPass());
  return passes;
}

}  // namespace

void OptimizeModule(llvm::Module& module, llvm::TargetMachine& machine, const CpuTarget& target) {
  const CodeContext code(target, module);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback(
      [](llvm::StringRef, const llvm::Any&) { return MayContinue(); });
  llvm::PassBuilder builder(&machine, llvm::PipelineTuningOptions(), std::nullopt, &callbacks);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::ModulePassManager before;
  before.addPass(ShareInlinedMathPass());
  if (llvm::any_of(module, [](const llvm::Function& function) {
        return function.hasFnAttribute(llvm::Attribute::AlwaysInline);
      })) {
    before.addPass(llvm::AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/false));
  }
  before.addPass(llvm::GlobalDCEPass());
  before.addPass(DeclareVectorMathPass());
  before.run(module, modules);
  llvm::FunctionPassManager passes = MakePasses(code);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    if (OnlyCalls(function)) {
      DisableOptimization(function);
    } else {
      passes.run(function, functions);
    }
  }
  for (llvm::Function* function : DefineCalledMath(code, module)) passes.run(*function, functions);
  StreamStores(module);
}

}  // namespace acceld::kernels::cpu
