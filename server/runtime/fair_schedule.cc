#include "server/runtime/fair_schedule.h"

#include <algorithm>

namespace acceld::runtime {

void FairSchedule::Place(Flow& flow) {
  flow.node_.key() = {flow.start_, ++placements_};
  flow.position_ = classes_[flow.class_].order.insert(std::move(flow.node_)).position;
}

void FairSchedule::Activate(Flow& flow) {
  if (flow.active_) return;
  Class& its_class = classes_[flow.class_];
  if (its_class.order.empty()) its_class.start = std::max(its_class.start, virtual_time_);
  flow.active_ = true;
  flow.start_ = std::max(flow.start_, its_class.virtual_time);
  if (flow.node_.empty()) {
    flow.position_ =
        its_class.order.emplace(std::make_pair(flow.start_, ++placements_), &flow).first;
  } else {
    Place(flow);
  }
}

void FairSchedule::Deactivate(Flow& flow) {
  if (!flow.active_) return;
  flow.active_ = false;
  flow.node_ = classes_[flow.class_].order.extract(flow.position_);
}

bool FairSchedule::empty() const {
  return std::all_of(classes_.begin(), classes_.end(),
                     [](const Class& one) { return one.order.empty(); });
}

FairSchedule::Flow* FairSchedule::Next() {
  Class* next = nullptr;
  // The highest class first: it wins where start times are equal.
  for (auto it = classes_.rbegin(); it != classes_.rend(); ++it) {
    if (!it->order.empty() && (next == nullptr || it->start < next->start)) next = &*it;
  }
  if (next == nullptr) return nullptr;
  Flow& flow = *next->order.begin()->second;
  virtual_time_ = std::max(virtual_time_, next->start);
  next->virtual_time = std::max(next->virtual_time, flow.start_);
  return &flow;
}

bool FairSchedule::IsDue(const Flow& flow, double lead) const {
  const Class& its_class = classes_[flow.class_];
  return its_class.start <= virtual_time_ + lead && flow.start_ <= its_class.virtual_time + lead;
}

void FairSchedule::Charge(Flow& flow, double cost) {
  Class& its_class = classes_[flow.class_];
  flow.start_ += cost;
  its_class.start += cost / its_class.weight;
  its_class.last_finish = std::max(its_class.last_finish, flow.start_);
  last_finish_ = std::max(last_finish_, its_class.start);
  if (!flow.active_) return;
  flow.node_ = its_class.order.extract(flow.position_);
  Place(flow);
}

void FairSchedule::EndBusyPeriod() {
  virtual_time_ = std::max(virtual_time_, last_finish_);
  for (Class& one : classes_) one.virtual_time = std::max(one.virtual_time, one.last_finish);
}

}  // namespace acceld::runtime
