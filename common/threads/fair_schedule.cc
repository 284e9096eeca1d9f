#include "common/threads/fair_schedule.h"

#include <algorithm>

namespace acceld {
namespace {

// By class, in the order of the enum.
constexpr std::array<double, kNumPriorities> kClassWeights = {1, 8, 64};

}  // namespace

FairSchedule::FairSchedule() {
  for (size_t i = 0; i < classes_.size(); ++i) {
    classes_[i].parent = &root_;
    classes_[i].weight = kClassWeights[i];
  }
}

void FairSchedule::Attach(Flow& flow) {
  flow.parent = &classes_[flow.class_];
  if (flow.group_ == nullptr) return;
  Node& group = flow.group_->nodes_[flow.class_];
  group.parent = flow.parent;
  flow.parent = &group;
}

double FairSchedule::VirtualTimeOf(const Node& node) const {
  return node.busy_period == busy_period_ ? node.virtual_time
                                          : std::max(node.virtual_time, node.last_finish);
}

void FairSchedule::Refresh(Node& node) const {
  node.virtual_time = VirtualTimeOf(node);
  node.busy_period = busy_period_;
}

void FairSchedule::Insert(Node& node) {
  Node& parent = *node.parent;
  // Of classes with equal start times the highest goes first.
  const uint64_t tie =
      &parent == &root_ ? static_cast<uint64_t>(&classes_.back() - &node) : ++num_insertions_;
  const std::pair<double, uint64_t> key = {node.start + node.handicap / node.weight, tie};
  if (node.node.empty()) {
    node.position = parent.order.emplace(key, &node).first;
  } else {
    node.node.key() = key;
    node.position = parent.order.insert(std::move(node.node)).position;
  }
}

void FairSchedule::Extract(Node& node) { node.node = node.parent->order.extract(node.position); }

void FairSchedule::UpdateHandicap(Node& node) {
  const double handicap = node.order.empty() ? 0 : node.order.begin()->second->handicap;
  if (handicap == node.handicap) return;
  node.handicap = handicap;
  if (node.is_active) Reposition(node);
}

void FairSchedule::Reposition(Node& node) {
  Extract(node);
  Insert(node);
  if (node.parent != &root_) UpdateHandicap(*node.parent);
}

void FairSchedule::Activate(Flow& flow) {
  Attach(flow);
  for (Node* node = &flow; node != &root_ && !node->is_active; node = node->parent) {
    Refresh(*node->parent);
    node->start = std::max(node->start, node->parent->virtual_time);
    node->is_active = true;
    if (node != &flow) node->handicap = node->order.begin()->second->handicap;
    Insert(*node);
  }
  if (flow.parent->is_active) UpdateHandicap(*flow.parent);
}

void FairSchedule::Deactivate(Flow& flow) {
  if (!flow.is_active) return;
  for (Node* node = &flow; node != &root_; node = node->parent) {
    node->is_active = false;
    Extract(*node);
    if (!node->parent->order.empty()) {
      if (node->parent != &root_) UpdateHandicap(*node->parent);
      return;
    }
  }
}

const FairSchedule::Flow* FairSchedule::Peek() const {
  const Node* node = &root_;
  while (!node->order.empty()) node = node->order.begin()->second;
  if (node == &root_) return nullptr;
  return static_cast<const Flow*>(node);
}

FairSchedule::Flow* FairSchedule::Next() {
  auto* const flow = const_cast<Flow*>(Peek());
  if (flow != nullptr) Continue(*flow);
  return flow;
}

void FairSchedule::Continue(Flow& flow, double cost) {
  Attach(flow);
  for (Node* node = &flow; node != &root_; node = node->parent) {
    Refresh(*node->parent);
    Node& parent = *node->parent;
    parent.virtual_time = std::max(parent.virtual_time, node->start - cost / node->weight);
  }
}

void FairSchedule::SetHandicap(Flow& flow, double cost) {
  if (flow.handicap == cost) return;
  flow.handicap = cost;
  if (flow.is_active) Reposition(flow);
}

bool FairSchedule::IsDue(const Flow& flow, double lead, const Flow* served) const {
  // A node cannot have had too much where it does not compete: there virtual time stands still.
  const auto is_due = [&](const Node& node, const Node& parent, bool other_is_served) {
    const bool is_contended = other_is_served || parent.order.size() > (node.is_active ? 1 : 0);
    return !is_contended || node.start <= VirtualTimeOf(parent) + lead;
  };
  const bool same_class = served != nullptr && served->class_ == flow.class_;
  const bool same_group = same_class && flow.group_ != nullptr && served->group_ == flow.group_;
  const Node& its_class = classes_[flow.class_];
  if (!is_due(its_class, root_, served != nullptr && !same_class)) return false;
  if (flow.group_ == nullptr) return is_due(flow, its_class, same_class);
  const Node& group = flow.group_->nodes_[flow.class_];
  return is_due(group, its_class, same_class && !same_group) && is_due(flow, group, same_group);
}

void FairSchedule::Charge(Flow& flow, double cost) {
  Attach(flow);
  for (Node* node = &flow; node != &root_; node = node->parent) {
    Node& parent = *node->parent;
    Refresh(parent);
    node->start += cost / node->weight;
    parent.last_finish = std::max(parent.last_finish, node->start);
    if (!node->is_active) continue;
    Extract(*node);
    Insert(*node);
  }
  for (Node* node = flow.parent; node != &root_; node = node->parent) {
    if (node->is_active) UpdateHandicap(*node);
  }
}

}  // namespace acceld
