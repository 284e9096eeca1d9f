#include "server/compiler/plan/liveness.h"

#include <algorithm>
#include <utility>

#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

class Walk {
 public:
  explicit Walk(const ir::Function& function) : defined_at_(function.value_types.size(), -1) {
    out_.last_use.assign(function.value_types.size(), Liveness::kNever);
    Visit(function.body);
    out_.ticks = now_;
  }

  Liveness Take() { return std::move(out_); }

 private:
  void Visit(const ir::Region& region) {
    for (ir::ValueId id : region.parameters) defined_at_[id] = now_;
    for (const ir::Op& op : region.ops) {
      for (ir::ValueId id : op.operands) Use(id);
      const int32_t begin = now_++;
      if (IsControlFlow(op.kind)) {
        const bool loop = op.kind == ir::OpKind::kWhile;
        if (loop) loops_.push_back({begin, {}});
        for (const ir::Region& inner : op.regions) Visit(inner);
        if (loop) EndLoop();
        for (ir::ValueId id : op.results) defined_at_[id] = now_;
        ++now_;
      } else {
        for (ir::ValueId id : op.results) defined_at_[id] = begin;
      }
    }
    for (ir::ValueId id : region.results) Use(id);
    ++now_;
  }

  void Use(ir::ValueId id) {
    out_.last_use[id] = std::max(out_.last_use[id], now_);
    // A loop's own parameters are defined one tick after its begin.
    if (!loops_.empty() && defined_at_[id] <= loops_.back().begin) {
      loops_.back().from_outside.push_back(id);
    }
  }

  void EndLoop() {
    Loop loop = std::move(loops_.back());
    loops_.pop_back();
    std::sort(loop.from_outside.begin(), loop.from_outside.end());
    loop.from_outside.erase(std::unique(loop.from_outside.begin(), loop.from_outside.end()),
                            loop.from_outside.end());
    for (ir::ValueId id : loop.from_outside) Use(id);
  }

  struct Loop {
    int32_t begin;
    std::vector<ir::ValueId> from_outside;
  };
  Liveness out_;
  std::vector<int32_t> defined_at_;
  std::vector<Loop> loops_;
  int32_t now_ = 0;
};

}  // namespace

Liveness ComputeLiveness(const ir::Function& function) { return Walk(function).Take(); }

}  // namespace acceld::compiler
