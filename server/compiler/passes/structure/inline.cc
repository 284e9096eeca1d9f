#include "server/compiler/passes/structure/inline.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "common/ir/verify/limits.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

// A body of up to this many ops costs less than the call.
constexpr int64_t kSmallBody = 32;
// The most ops of all copies of one function together.
constexpr int64_t kMaxCopiedOps = 512;
// The most ops to which a function may grow.
constexpr int64_t kMaxFunctionOps = 200'000;
// All functions together may grow to kMaxProgramOps ops, or to kMaxGrowth times as many as there
// were, whichever is more. Beyond that, calls stay; calls that must be replaced are an error then.
constexpr int64_t kMaxProgramOps = 400'000;
constexpr int64_t kMaxGrowth = 4;

// The module's functions, with the size that each will have and which calls are to be replaced.
class CallPlan {
 public:
  explicit CallPlan(const ir::Module& module) : module_(module) {
    for (size_t i = 0; i < module.functions.size(); ++i) index_[module.functions[i].name] = i;
    sites_.resize(module.functions.size());
    sizes_.assign(module.functions.size(), -1);
    depths_.assign(module.functions.size(), -1);
    for (const ir::Function& function : module.functions) {
      ForEachOp(function.body, [&](const ir::Op& op) {
        if (op.kind == ir::OpKind::kCall) ++sites_[CalleeOf(op)];
      });
    }
  }

  const ir::Function& function(size_t index) const { return module_.functions[index]; }
  size_t CalleeOf(const ir::Op& call) const {
    return index_.find(call.As<ir::CallAttributes>().callee.name)->second;
  }

  // Returns the number of ops of the function after its own calls are replaced, but at most
  // kMaxFunctionOps. The verifier bounds the depth of calls and refuses recursion.
  int64_t SizeOf(size_t index) {
    if (sizes_[index] >= 0) return sizes_[index];
    int64_t size = 0;
    ForEachOp(module_.functions[index].body, [&](const ir::Op& op) {
      ++size;
      if (op.kind == ir::OpKind::kCall && Pays(CalleeOf(op))) size += SizeOf(CalleeOf(op)) - 1;
    });
    return sizes_[index] = std::min(size, kMaxFunctionOps);
  }

  // Returns how deep regions are nested in the function, its body included, after its own calls are
  // replaced where that pays.
  int DepthOf(size_t index) {
    if (depths_[index] < 0) depths_[index] = DepthOf(module_.functions[index].body);
    return depths_[index];
  }

  // Whether all calls of the function are to be replaced.
  bool Pays(size_t callee) {
    const int64_t ops = SizeOf(callee);
    return ops <= kSmallBody || sites_[callee] == 1 || ops * sites_[callee] <= kMaxCopiedOps;
  }

 private:
  int DepthOf(const ir::Region& region) {
    int inside = 0;
    for (const ir::Op& op : region.ops) {
      for (const ir::Region& inner : op.regions) inside = std::max(inside, DepthOf(inner));
      if (op.kind == ir::OpKind::kCall && Pays(CalleeOf(op))) {
        inside = std::max(inside, DepthOf(CalleeOf(op)) - 1);
      }
    }
    return inside + 1;
  }

  const ir::Module& module_;
  absl::flat_hash_map<std::string, size_t> index_;
  std::vector<int64_t> sites_;
  std::vector<int64_t> sizes_;  // -1: not counted yet
  std::vector<int> depths_;     // -1: not known yet
};

// Builds a new copy of one function with calls replaced. Each op is copied once, directly from the
// function that contains it to the result, so a chain of a hundred functions takes time in
// proportion to its ops.
class BodyBuilder {
 public:
  // `ops_left` is the number of ops that may still be added to all functions together.
  BodyBuilder(CallPlan& plan, size_t index, int64_t& ops_left)
      : plan_(plan), source_(plan.function(index)), ops_left_(ops_left) {
    out_.name = source_.name;
    out_.is_public = source_.is_public;
  }

  // `all`: no call may stay.
  absl::StatusOr<ir::Function> Run(bool all) {
    ValueMap map;
    for (ir::ValueId id : source_.body.parameters) {
      out_.body.parameters.push_back(Define(id, source_, map));
    }
    CopyOps(source_.body, source_, /*in_nest=*/all, map, out_.body.ops);
    for (ir::ValueId id : source_.body.results) out_.body.results.push_back(map[id]);
    out_.parameter_shardings = source_.parameter_shardings;
    out_.result_shardings = source_.result_shardings;
    if (is_too_large_) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "@", source_.name, ": the program becomes too large or too deep once the functions that ",
          all ? "it calls" : "the regions of reductions and the like call",
          " are copied into their callers"));
    }
    return Renumber(std::move(out_));
  }

 private:
  using ValueMap = absl::flat_hash_map<ir::ValueId, ir::ValueId>;

  ir::ValueId Define(ir::ValueId id, const ir::Function& source, ValueMap& map) {
    const auto fresh = static_cast<ir::ValueId>(out_.value_types.size());
    out_.value_types.push_back(source.value_types[id]);
    return map[id] = fresh;
  }

  // Copies the ops of a region. `in_nest` says that its calls must be replaced: that the region is
  // within a reduction or the like, and becomes code of one kernel, which cannot call functions.
  void CopyOps(const ir::Region& region, const ir::Function& source, bool in_nest, ValueMap& map,
               std::vector<ir::Op>& out) {
    for (const ir::Op& op : region.ops) {
      if (op.kind == ir::OpKind::kCall && Replace(op, in_nest, map, out)) continue;
      ++size_;
      --ops_left_;
      ir::Op copy;
      copy.kind = op.kind;
      copy.attributes = op.attributes;
      copy.location = op.location;
      for (ir::ValueId id : op.operands) copy.operands.push_back(map[id]);
      const bool nest = in_nest || ir::FamilyOf(op.kind) == ir::OpFamily::kNest;
      for (const ir::Region& inner : op.regions) {
        ir::Region& inner_copy = copy.regions.emplace_back();
        for (ir::ValueId id : inner.parameters) {
          inner_copy.parameters.push_back(Define(id, source, map));
        }
        ++depth_;
        CopyOps(inner, source, nest, map, inner_copy.ops);
        --depth_;
        for (ir::ValueId id : inner.results) inner_copy.results.push_back(map[id]);
      }
      for (ir::ValueId id : op.results) copy.results.push_back(Define(id, source, map));
      out.push_back(std::move(copy));
    }
  }

  // Copies the callee's body instead of the call. Returns false if the call is to stay.
  bool Replace(const ir::Op& call, bool in_nest, ValueMap& map, std::vector<ir::Op>& out) {
    const size_t callee = plan_.CalleeOf(call);
    if (!in_nest && !plan_.Pays(callee)) return false;
    const int64_t ops = plan_.SizeOf(callee);
    const bool is_too_deep = depth_ + plan_.DepthOf(callee) > ir::limits::kMaxRegionDepth;
    if (size_ + ops > kMaxFunctionOps || ops > ops_left_ || is_too_deep) {
      is_too_large_ = is_too_large_ || in_nest;
      return false;
    }
    const ir::Function& function = plan_.function(callee);
    ValueMap inside;
    for (size_t i = 0; i < call.operands.size(); ++i) {
      inside[function.body.parameters[i]] = map[call.operands[i]];
    }
    CopyOps(function.body, function, in_nest, inside, out);
    for (size_t i = 0; i < call.results.size(); ++i) {
      map[call.results[i]] = inside[function.body.results[i]];
    }
    return true;
  }

  CallPlan& plan_;
  const ir::Function& source_;
  ir::Function out_;
  int64_t size_ = 0;
  int depth_ = 0;  // the number of regions around the op that is copied, not counting the body
  int64_t& ops_left_;
  bool is_too_large_ = false;
};

absl::StatusOr<ir::Module> Inline(const ir::Module& module, bool all) {
  if (module.functions.empty()) return module;
  CallPlan plan(module);
  int64_t num_ops = 0;
  for (const ir::Function& function : module.functions) {
    ForEachOp(function.body, [&](const ir::Op&) { ++num_ops; });
  }
  int64_t ops_left = std::max(kMaxProgramOps, kMaxGrowth * num_ops);
  ir::Module out = module.WithoutFunctions();
  std::vector<size_t> queue = {0};
  std::vector<bool> seen(module.functions.size());
  seen[0] = true;
  for (size_t i = 0; i < queue.size(); ++i) {
    ACCELD_ASSIGN_OR_RETURN(ir::Function function, BodyBuilder(plan, queue[i], ops_left).Run(all));
    out.functions.push_back(std::move(function));
    ForEachOp(out.functions.back().body, [&](const ir::Op& op) {
      if (op.kind != ir::OpKind::kCall) return;
      const size_t callee = plan.CalleeOf(op);
      if (!seen[callee]) queue.push_back(callee);
      seen[callee] = true;
    });
  }
  return out;
}

}  // namespace

absl::StatusOr<ir::Module> InlineCalls(const ir::Module& module) {
  return Inline(module, /*all=*/false);
}

absl::StatusOr<ir::Module> InlineAllCalls(const ir::Module& module) {
  return Inline(module, /*all=*/true);
}

}  // namespace acceld::compiler
