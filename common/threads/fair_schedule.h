#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "common/api/priority.h"

namespace acceld {

// Decides which of several flows of work is served next: hierarchical start-time fair queueing
// (Goyal, Vin and Cheng, 1996), first between priority classes, then between the groups of the
// class, then between the flows of the group. The classes share time 1 : 8 : 64, so that a higher
// class goes before a lower one in all but name, and yet none waits for ever. Inside a class all
// groups share what the class gets as their weights say, and inside a group all flows have equal
// shares, however many there are.
//
// Each class, group and flow has a virtual start time that service moves on, by its cost over its
// weight; the earliest goes next. What had no work begins at the virtual time of what is being
// served: it is served soon, but earns nothing by having been idle.
//
// Costs are in any one unit. Not thread-safe.
class FairSchedule {
 private:
  // A place in the tree of classes, groups and flows: gets service, and shares it among its
  // children.
  struct Node {
    using Order = std::map<std::pair<double, uint64_t>, Node*>;

    Node* parent = nullptr;
    double weight = 1;
    double start = 0;     // in the virtual time of the parent
    double handicap = 0;  // of its first child, or of the flow itself
    bool is_active = false;
    Order::iterator position;  // in the parent's order, while active
    Order::node_type node;     // while not; kept so that coming and going allocates nothing
    double virtual_time = 0;   // of its children
    double last_finish = 0;    // the latest start of any of its children
    uint64_t busy_period = 0;  // in which the two before were up to date
    Order order;               // its active children
  };

 public:
  // Flows that share what one of them would get: those of one user. Belongs to at most one
  // schedule, and outlives its flows.
  class Group {
   public:
    // How much it gets beside groups of weight 1.
    explicit Group(double weight = 1) { SetWeight(weight); }
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

    void SetWeight(double weight) {
      for (Node& node : nodes_) node.weight = weight;
    }

   private:
    friend class FairSchedule;
    std::array<Node, kNumPriorities> nodes_;
  };

  // Belongs to at most one schedule; inactive when it is destroyed.
  class Flow : private Node {
   public:
    // Without a group, beside the groups of its class.
    explicit Flow(Priority priority, Group* group = nullptr)
        : class_(static_cast<size_t>(priority)), group_(group) {}
    Flow(const Flow&) = delete;
    Flow& operator=(const Flow&) = delete;

    bool active() const { return is_active; }

   private:
    friend class FairSchedule;
    const size_t class_;
    Group* const group_;
  };

  FairSchedule();
  FairSchedule(const FairSchedule&) = delete;
  FairSchedule& operator=(const FairSchedule&) = delete;

  // Says that the flow has work; nothing happens when it was said before.
  void Activate(Flow& flow);
  // Says that the flow has no work any more.
  void Deactivate(Flow& flow);
  bool empty() const { return root_.order.empty(); }
  // The active flow to be served now; nullptr when there is none. Charge for it before the next.
  Flow* Next();
  // The same, without serving it.
  const Flow* Peek() const;
  // Says that the flow, active or not, is still being served, and with how much of what it was
  // charged: what becomes active from now on begins where that began.
  void Continue(Flow& flow, double cost = 0);
  // Lets others go first that are behind the flow by no more than this cost: what the next service
  // of the flow is expected to cost, where that is much more than the others'. Changes no shares.
  void SetHandicap(Flow& flow, double cost);
  // Whether the flow, active or not, has had at most `lead` more than its share beside the active
  // flows and `served`, which is being served now (nullptr: none is): what costs others little may
  // be served out of turn then.
  bool IsDue(const Flow& flow, double lead, const Flow* served = nullptr) const;
  // Charges for service of this cost. A negative cost takes back what an earlier charge overrated.
  void Charge(Flow& flow, double cost);
  // Says that nothing is active or being served: what was used so far counts for nothing now.
  void EndBusyPeriod() { ++busy_period_; }

 private:
  // Makes the tree above the flow, which is nobody's before it is used first.
  void Attach(Flow& flow);
  // Begins the children's virtual time anew after busy periods in which nothing was asked of it.
  void Refresh(Node& node) const;
  double VirtualTimeOf(const Node& node) const;
  void Insert(Node& node);
  void Extract(Node& node);
  // Puts an active node where it belongs now, and those above it.
  void Reposition(Node& node);
  // Takes over the handicap of the first child.
  void UpdateHandicap(Node& node);

  Node root_;
  std::array<Node, kNumPriorities> classes_;
  uint64_t busy_period_ = 0;
  uint64_t placements_ = 0;  // nodes of equal start times take turns
};

}  // namespace acceld
