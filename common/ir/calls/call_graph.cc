#include "common/ir/calls/call_graph.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/ir/verify/limits.h"

namespace acceld::ir {
namespace {

void CollectCallees(const Region& region, absl::flat_hash_set<absl::string_view>& seen,
                    std::vector<std::string>& callees) {
  for (const Op& op : region.ops) {
    if (const std::string* callee = CalleeOf(op);
        callee != nullptr && seen.insert(*callee).second) {
      callees.push_back(*callee);
    }
    for (const Region& inner : op.regions) CollectCallees(inner, seen, callees);
  }
}

// Returns the callees of each function; functions are identified by their index.
std::vector<std::vector<size_t>> Edges(const Module& module) {
  absl::flat_hash_map<absl::string_view, size_t> index;
  for (size_t i = 0; i < module.functions.size(); ++i) index[module.functions[i].name] = i;
  std::vector<std::vector<size_t>> edges(module.functions.size());
  for (size_t i = 0; i < module.functions.size(); ++i) {
    for (const std::string& callee : CalleesOf(module.functions[i].body)) {
      const auto found = index.find(callee);
      ACCELD_CHECK(found != index.end());
      edges[i].push_back(found->second);
    }
  }
  return edges;
}

// Returns the names along a cycle. Each function of `callers_left` has a caller among them, so
// walking from caller to caller returns to a function that was visited.
std::string CycleText(const Module& module, const std::vector<std::vector<size_t>>& edges,
                      const std::vector<size_t>& callers_left) {
  std::vector<size_t> caller_of(edges.size());
  size_t at = 0;
  for (size_t i = 0; i < edges.size(); ++i) {
    if (callers_left[i] == 0) continue;
    for (size_t callee : edges[i]) caller_of[callee] = i;
  }
  while (callers_left[at] == 0) ++at;
  std::vector<size_t> path;
  while (std::find(path.begin(), path.end(), at) == path.end()) {
    path.push_back(at);
    at = caller_of[at];
  }
  path.erase(path.begin(), std::find(path.begin(), path.end(), at));
  std::string text = absl::StrCat("@", module.functions[at].name);
  constexpr size_t kMaxListed = 16;
  if (path.size() > kMaxListed) return absl::StrCat(text, " and ", path.size() - 1, " others");
  for (auto i = path.rbegin(); i != path.rend(); ++i) {
    absl::StrAppend(&text, " -> @", module.functions[*i].name);
  }
  return text;
}

}  // namespace

const std::string* CalleeOf(const Op& op) {
  if (const auto* call = std::get_if<CallAttributes>(&op.attributes)) return &call->callee.name;
  if (const auto* composite = std::get_if<CompositeAttributes>(&op.attributes)) {
    return &composite->decomposition.name;
  }
  return nullptr;
}

std::vector<std::string> CalleesOf(const Region& region) {
  absl::flat_hash_set<absl::string_view> seen;
  std::vector<std::string> callees;
  CollectCallees(region, seen, callees);
  return callees;
}

// Removes functions without remaining callers one by one, so that a caller is always removed before
// its callees. A function that cannot be removed is on a cycle or called from one.
void DropUnreachable(Module& module, absl::string_view entry) {
  absl::flat_hash_set<std::string> reached = {std::string(entry)};
  std::vector<std::string> pending = {std::string(entry)};
  while (!pending.empty()) {
    const Function* function = module.Find(pending.back());
    pending.pop_back();
    ACCELD_CHECK(function != nullptr);
    for (const std::string& callee : CalleesOf(function->body)) {
      if (reached.insert(callee).second) pending.push_back(callee);
    }
  }
  const auto is_unreached = [&](const Function& f) { return !reached.contains(f.name); };
  module.functions.erase(
      std::remove_if(module.functions.begin(), module.functions.end(), is_unreached),
      module.functions.end());
}

absl::Status CheckCallGraph(const Module& module) {
  const std::vector<std::vector<size_t>> edges = Edges(module);
  std::vector<size_t> callers_left(edges.size(), 0);
  for (const std::vector<size_t>& callees : edges) {
    for (size_t callee : callees) ++callers_left[callee];
  }
  std::vector<size_t> ready;
  for (size_t i = 0; i < edges.size(); ++i) {
    if (callers_left[i] == 0) ready.push_back(i);
  }
  std::vector<int> depth(edges.size(), 1);
  for (size_t next = 0; next < ready.size(); ++next) {
    const size_t caller = ready[next];
    if (depth[caller] > limits::kMaxCallDepth) {
      return absl::InvalidArgumentError(absl::StrCat("calls are nested deeper than ",
                                                     limits::kMaxCallDepth, " at @",
                                                     module.functions[caller].name));
    }
    for (size_t callee : edges[caller]) {
      depth[callee] = std::max(depth[callee], depth[caller] + 1);
      if (--callers_left[callee] == 0) ready.push_back(callee);
    }
  }
  if (ready.size() == edges.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("recursion is not allowed: ", CycleText(module, edges, callers_left)));
}

}  // namespace acceld::ir
