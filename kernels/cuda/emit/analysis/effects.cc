#include "kernels/cuda/emit/analysis/effects.h"

#include <algorithm>
#include <variant>

namespace acceld::kernels::cuda {

void Effects::Add(const Statement& statement) {
  if (const auto* load = std::get_if<LoadStatement>(&statement.value)) {
    buffers_[load->buffer].loads = true;
  } else if (const auto* store = std::get_if<StoreStatement>(&statement.value)) {
    buffers_[store->buffer].stores = true;
  } else if (const auto* loop = std::get_if<ForStatement>(&statement.value)) {
    Add(loop->body);
  } else if (const auto* loop = std::get_if<WhileStatement>(&statement.value)) {
    Add(loop->condition_body);
    Add(loop->body);
  } else if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
    Add(branch->then_body);
    Add(branch->else_body);
  }
}

void Effects::Add(const Block& block) {
  for (const Statement& statement : block) Add(statement);
}

void Effects::Add(const Effects& other) {
  for (const auto& [buffer, access] : other.buffers_) {
    Access& own = buffers_[buffer];
    own.loads |= access.loads;
    own.stores |= access.stores;
  }
}

void Effects::Remove(const absl::flat_hash_set<uint32_t>& buffers) {
  absl::erase_if(buffers_, [&buffers](const auto& entry) { return buffers.contains(entry.first); });
}

bool Effects::has_stores() const {
  return std::any_of(buffers_.begin(), buffers_.end(),
                     [](const auto& entry) { return entry.second.stores; });
}

bool Effects::Loads(uint32_t buffer) const {
  const auto found = buffers_.find(buffer);
  return found != buffers_.end() && found->second.loads;
}

bool Effects::Stores(uint32_t buffer) const {
  const auto found = buffers_.find(buffer);
  return found != buffers_.end() && found->second.stores;
}

bool Effects::TouchesFrom(size_t first) const {
  return std::any_of(buffers_.begin(), buffers_.end(),
                     [first](const auto& entry) { return entry.first >= first; });
}

std::vector<uint32_t> Effects::BuffersFrom(size_t first) const {
  std::vector<uint32_t> found;
  for (const auto& [buffer, access] : buffers_) {
    if (buffer >= first) found.push_back(buffer);
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool Effects::Conflict(const Effects& before, const Effects& after) {
  return std::any_of(after.buffers_.begin(), after.buffers_.end(), [&before](const auto& entry) {
    const auto found = before.buffers_.find(entry.first);
    if (found == before.buffers_.end()) return false;
    return found->second.stores || (entry.second.stores && found->second.loads);
  });
}

}  // namespace acceld::kernels::cuda
