#include "kernels/cuda/program/segments.h"

#include <cstdint>
#include <optional>

namespace acceld::kernels::cuda {
namespace {

constexpr int64_t kMinNodes = 4;
// Their nodes take memory of the host and of the device, and milliseconds to prepare.
constexpr int64_t kMaxNodes = 20'000;

std::optional<int64_t> NodesOf(const Steps& steps);

// What a step is in a graph; nullopt for what cannot be in one.
std::optional<int64_t> NodesOf(const LaunchStep&) { return 1; }
std::optional<int64_t> NodesOf(const CopyStep&) { return 1; }
std::optional<int64_t> NodesOf(const WhileStep& loop) {
  const std::optional<int64_t> condition = NodesOf(loop.condition), body = NodesOf(loop.body);
  if (!condition.has_value() || !body.has_value()) return std::nullopt;
  return 2 * (*condition + 1) + 1 + *body;  // The condition is before the loop, and in it.
}
std::optional<int64_t> NodesOf(const SwitchStep& step) {
  int64_t nodes = 2;
  for (const Steps& branch : step.branches) {
    const std::optional<int64_t> inside = NodesOf(branch);
    if (!inside.has_value()) return std::nullopt;
    nodes += *inside;
  }
  return nodes;
}
template <typename Other>
std::optional<int64_t> NodesOf(const Other&) {
  return std::nullopt;
}
std::optional<int64_t> NodesOf(const Step& step) {
  return std::visit([](const auto& value) { return NodesOf(value); }, step.value);
}
std::optional<int64_t> NodesOf(const Steps& steps) {
  int64_t nodes = 0;
  for (const Step& step : steps) {
    const std::optional<int64_t> inside = NodesOf(step);
    if (!inside.has_value()) return std::nullopt;
    nodes += *inside;
    if (nodes > kMaxNodes) return std::nullopt;
  }
  return nodes;
}

bool IsLoop(const Step& step) {
  return std::holds_alternative<WhileStep>(step.value) ||
         std::holds_alternative<SwitchStep>(step.value);
}

}  // namespace

std::vector<Segment> SegmentsOf(const Steps& steps, bool graphs) {
  std::vector<Segment> segments;
  // The last one as a graph, as far as it has come.
  int64_t nodes = 0;
  const auto close = [&] {
    if (segments.empty()) return;
    Segment& last = segments.back();
    last.is_graph = nodes >= kMinNodes || (nodes > 0 && last.has_loops);
    last.nodes = last.is_graph ? nodes : 0;
  };
  for (size_t i = 0; i < steps.size(); ++i) {
    const std::optional<int64_t> more = graphs ? NodesOf(steps[i]) : std::nullopt;
    const bool fits = more.has_value() && *more <= kMaxNodes;
    const bool goes_on =
        !segments.empty() && (fits ? nodes > 0 && nodes + *more <= kMaxNodes : nodes == 0);
    if (!goes_on) {
      close();
      segments.push_back({.begin = i});
      nodes = 0;
    }
    segments.back().end = i + 1;
    segments.back().has_loops |= IsLoop(steps[i]);
    if (fits) nodes += *more;
  }
  close();
  return segments;
}

}  // namespace acceld::kernels::cuda
