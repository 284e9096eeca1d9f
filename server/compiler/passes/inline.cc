#include "server/compiler/passes/inline.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

// A body of this many ops costs less than the call.
constexpr int64_t kSmallBody = 32;
// All copies of one function together may have this many ops.
constexpr int64_t kMaxCopiedOps = 512;
// A function stops growing here, however its callees are called.
constexpr int64_t kMaxFunctionOps = 200'000;

int64_t CountOps(const ir::Region& region) {
  int64_t count = 0;
  ForEachOp(region, [&](const ir::Op&) { ++count; });
  return count;
}

class Inliner {
 public:
  explicit Inliner(const ir::Module& module) : module_(module) {
    for (size_t i = 0; i < module.functions.size(); ++i) index_[module.functions[i].name] = i;
    sites_.resize(module.functions.size());
    done_.resize(module.functions.size());
    states_.assign(module.functions.size(), State::kNew);
    for (const ir::Function& function : module.functions) {
      ForEachOp(function.body, [&](const ir::Op& op) {
        if (op.kind == ir::OpKind::kCall) {
          ++sites_[index_[op.As<ir::CallAttributes>().callee.name]];
        }
      });
    }
  }

  absl::StatusOr<ir::Module> Run() {
    ACCELD_RETURN_IF_ERROR(Process(0));
    ir::Module out;
    out.name = module_.name;
    std::vector<size_t> queue = {0};
    std::vector<bool> seen(done_.size());
    seen[0] = true;
    for (size_t i = 0; i < queue.size(); ++i) {
      ForEachOp(done_[queue[i]].body, [&](const ir::Op& op) {
        if (op.kind != ir::OpKind::kCall) return;
        const size_t callee = index_[op.As<ir::CallAttributes>().callee.name];
        if (!seen[callee]) queue.push_back(callee);
        seen[callee] = true;
      });
    }
    for (size_t i : queue) out.functions.push_back(std::move(done_[i]));
    return out;
  }

 private:
  enum class State : uint8_t { kNew, kOpen, kDone };

  // Callees first, so that what is copied is already flat. The verifier bounds the depth of calls.
  absl::Status Process(size_t index) {
    if (states_[index] == State::kDone) return absl::OkStatus();
    if (states_[index] == State::kOpen) {
      return absl::InternalError("inline: recursion in a verified module");
    }
    states_[index] = State::kOpen;
    int64_t size = CountOps(module_.functions[index].body);
    int open_nests = 0;
    const auto visit = [&](Rewriter& rewriter, ir::Op& op) -> absl::StatusOr<bool> {
      if (op.kind != ir::OpKind::kCall) return false;
      const size_t callee = index_[op.As<ir::CallAttributes>().callee.name];
      ACCELD_RETURN_IF_ERROR(Process(callee));
      const ir::Function& function = done_[callee];
      const int64_t ops = sizes_[callee];
      const bool pays = open_nests > 0 || ops <= kSmallBody || sites_[callee] == 1 ||
                        ops * sites_[callee] <= kMaxCopiedOps;
      if (!pays || size + ops > kMaxFunctionOps) return false;
      size += ops;
      rewriter.Replace(op.results, rewriter.Splice(function.body, function, op.operands));
      return true;
    };
    // Regions of reductions and the like become code of one kernel, which calls no functions.
    const auto is_nest = [](const ir::Op* owner) {
      return owner != nullptr && ir::FamilyOf(owner->kind) == ir::OpFamily::kNest;
    };
    const Rewriter::ScopeListener scopes = {
        [&](const ir::Op* owner) { open_nests += is_nest(owner); },
        [&](const ir::Op* owner) { open_nests -= is_nest(owner); }};
    ACCELD_ASSIGN_OR_RETURN(done_[index], Rewriter::Run(module_.functions[index], visit, scopes));
    sizes_[index] = CountOps(done_[index].body);
    states_[index] = State::kDone;
    return absl::OkStatus();
  }

  const ir::Module& module_;
  absl::flat_hash_map<std::string, size_t> index_;
  std::vector<int64_t> sites_;
  absl::flat_hash_map<size_t, int64_t> sizes_;
  std::vector<ir::Function> done_;
  std::vector<State> states_;
};

}  // namespace

absl::StatusOr<ir::Module> InlineCalls(const ir::Module& module) {
  if (module.functions.empty()) return module;
  return Inliner(module).Run();
}

}  // namespace acceld::compiler
