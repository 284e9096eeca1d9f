#include "kernels/cuda/emit/effects.h"

#include <algorithm>
#include <variant>

namespace acceld::kernels::cuda {

void Effects::Add(const Statement& statement) {
  if (const auto* load = std::get_if<LoadStatement>(&statement.value)) {
    loads[load->buffer] = true;
  } else if (const auto* store = std::get_if<StoreStatement>(&statement.value)) {
    stores[store->buffer] = true;
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
  for (size_t i = 0; i < loads.size(); ++i) {
    if (other.loads[i]) loads[i] = true;
    if (other.stores[i]) stores[i] = true;
  }
}

bool Effects::has_stores() const {
  return std::find(stores.begin(), stores.end(), true) != stores.end();
}

bool Effects::TouchesFrom(size_t first) const {
  for (size_t i = first; i < loads.size(); ++i) {
    if (loads[i] || stores[i]) return true;
  }
  return false;
}

bool Effects::Conflict(const Effects& before, const Effects& after) {
  for (size_t i = 0; i < before.loads.size(); ++i) {
    if (after.stores[i] && (before.loads[i] || before.stores[i])) return true;
    if (after.loads[i] && before.stores[i]) return true;
  }
  return false;
}

}  // namespace acceld::kernels::cuda
