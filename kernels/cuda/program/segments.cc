#include "kernels/cuda/program/segments.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace acceld::kernels::cuda {
namespace {

// The limits of a graph's size. Nodes need host and device memory, and time to instantiate.
constexpr int64_t kMinNodes = 4;
constexpr int64_t kMaxNodes = 20'000;

// The size of the graph for some steps.
struct Size {
  int64_t nodes = 0;
  int64_t calls = 0;  // the number of nodes that are library calls

  Size operator+(const Size& other) const {
    return {.nodes = nodes + other.nodes, .calls = calls + other.calls};
  }
};
// nullopt for steps that cannot be in a graph.
using MaybeSize = std::optional<Size>;

MaybeSize SizeOf(const Steps& steps);

MaybeSize SizeOf(const LaunchStep&) { return Size{.nodes = 1}; }
MaybeSize SizeOf(const CopyStep&) { return Size{.nodes = 1}; }
MaybeSize SizeOf(const MatmulStep&) { return Size{.nodes = 1, .calls = 1}; }
MaybeSize SizeOf(const WhileStep& loop) {
  const MaybeSize condition = SizeOf(loop.condition), body = SizeOf(loop.body);
  if (!condition.has_value() || !body.has_value()) return std::nullopt;
  // The graph contains the condition twice: before the loop and at the end of its body.
  return *condition + *condition + *body + Size{.nodes = 3};
}
MaybeSize SizeOf(const SwitchStep& step) {
  Size size{.nodes = 2};
  for (const Steps& branch : step.branches) {
    const MaybeSize inside = SizeOf(branch);
    if (!inside.has_value()) return std::nullopt;
    size = size + *inside;
  }
  return size;
}
template <typename Other>
MaybeSize SizeOf(const Other&) {
  return std::nullopt;
}
MaybeSize SizeOf(const Step& step) {
  return std::visit([](const auto& value) { return SizeOf(value); }, step.value);
}
MaybeSize SizeOf(const Steps& steps) {
  Size size;
  for (const Step& step : steps) {
    const MaybeSize inside = SizeOf(step);
    if (!inside.has_value()) return std::nullopt;
    size = size + *inside;
    if (size.nodes > kMaxNodes) return std::nullopt;
  }
  return size;
}

bool IsLoop(const Step& step) {
  return std::holds_alternative<WhileStep>(step.value) ||
         std::holds_alternative<SwitchStep>(step.value);
}

// Divides steps into segments, which are either graphs or sequences of steps that are in no graph.
class Divider {
 public:
  // Which steps may be in graphs.
  enum class Graphs : uint8_t { kNone, kWithoutCalls, kAll };

  Divider(const Steps& steps, Graphs graphs) : steps_(steps), graphs_(graphs) {}

  std::vector<Segment> Divide(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) Add(i);
    Close();
    return std::move(segments_);
  }

 private:
  MaybeSize Fitting(const Step& step) const {
    if (graphs_ == Graphs::kNone) return std::nullopt;
    const MaybeSize size = SizeOf(step);
    const bool fits = size.has_value() && size->nodes <= kMaxNodes &&
                      (size->calls == 0 || graphs_ == Graphs::kAll);
    return fits ? size : std::nullopt;
  }

  void Add(size_t i) {
    const MaybeSize more = Fitting(steps_[i]);
    const bool goes_on =
        !segments_.empty() &&
        (more.has_value() ? size_.nodes > 0 && size_.nodes + more->nodes <= kMaxNodes
                          : size_.nodes == 0);
    if (!goes_on) {
      Close();
      segments_.push_back({.begin = i});
      size_ = {};
    }
    segments_.back().end = i + 1;
    segments_.back().has_loops |= IsLoop(steps_[i]);
    if (more.has_value()) size_ = size_ + *more;
  }

  // Completes the last segment when it does not get any longer.
  void Close() {
    if (segments_.empty()) return;
    Segment& last = segments_.back();
    last.is_graph = size_.nodes >= kMinNodes || (size_.nodes > 0 && last.has_loops);
    if (!last.is_graph) return;
    last.nodes = size_.nodes;
    last.calls = size_.calls;
    if (last.calls > 0 && !last.has_loops) {
      last.pieces = Divider(steps_, Graphs::kWithoutCalls).Divide(last.begin, last.end);
    }
  }

  const Steps& steps_;
  const Graphs graphs_;
  std::vector<Segment> segments_;
  Size size_;  // the graph of the last segment
};

}  // namespace

std::vector<Segment> SegmentsOf(const Steps& steps, bool graphs) {
  return Divider(steps, graphs ? Divider::Graphs::kAll : Divider::Graphs::kNone)
      .Divide(0, steps.size());
}

}  // namespace acceld::kernels::cuda
