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
// Each class, group and flow has a virtual start time, which service advances by its cost divided
// by the weight; the one with the earliest start time is served next. One that had no work starts
// again at the virtual time of the service that is in progress: it is served soon, but has no
// advantage from its idle time.
//
// Costs may be in any unit, as long as it is the same for all. Not thread-safe.
class FairSchedule {
 private:
  // A node of the tree of classes, groups and flows. It receives service from its parent and shares
  // it among its children.
  struct Node {
    using Order = std::map<std::pair<double, uint64_t>, Node*>;

    Node* parent = nullptr;
    double weight = 1;
    double start = 0;     // in the virtual time of the parent
    double handicap = 0;  // SetHandicap: the flow's own, or that of the first child
    bool is_active = false;
    Order::iterator position;  // in the parent's `order`, while active
    Order::node_type node;     // while inactive; kept so that activation allocates nothing
    double virtual_time = 0;   // of its children
    double last_finish = 0;    // the latest start time that a child has had
    uint64_t busy_period = 0;  // in which virtual_time was last updated
    Order order;               // the active children, the next one first
  };

 public:
  // Flows that compete as one within their class and divide what the group gets: those of one user,
  // for example. A group belongs to at most one schedule and must outlive its flows.
  class Group {
   public:
    // `weight` is the group's share of the time in relation to groups of weight 1.
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

  // A sequence of work, such as the tasks of one queue. A flow belongs to at most one schedule and
  // must be inactive when it is destroyed.
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

  // Marks the flow as having work (active). Does nothing when it is active already.
  void Activate(Flow& flow);
  // Marks the flow as having no work (inactive).
  void Deactivate(Flow& flow);
  bool empty() const { return root_.order.empty(); }
  // Returns the active flow that is to be served now, and notes that its service begins; nullptr
  // when no flow is active. The service must be charged before the next call.
  Flow* Next();
  // Returns the flow that Next would return, and notes nothing.
  const Flow* Peek() const;
  // Notes that the flow, active or not, is being served, and that `cost` of what it was charged is
  // for this service. A flow that becomes active afterwards starts at the virtual time at which the
  // service began.
  void Continue(Flow& flow, double cost = 0);
  // Orders the flow as if it had been charged `cost` in addition, so that flows which would be
  // served after it go first if they are behind it by at most that. To be set to the expected cost
  // of the flow's next service where that is much larger than the cost of others. It changes no
  // shares.
  void SetHandicap(Flow& flow, double cost);
  // Whether the flow, active or not, has had at most `lead` more than its share, compared with the
  // active flows and with `served`, the flow that is being served (nullptr: none). Work of such a
  // flow that costs the others little may be served before its scheduled time.
  bool IsDue(const Flow& flow, double lead, const Flow* served = nullptr) const;
  // Charges the flow for a service of this cost. A negative cost corrects an earlier charge that
  // was too high.
  void Charge(Flow& flow, double cost);
  // Notes that no flow is active or being served, so that earlier use no longer counts.
  void EndBusyPeriod() { ++busy_period_; }

 private:
  // Sets the parents of the flow and of its group, which have none before their first use.
  void Attach(Flow& flow);
  // Brings the node's virtual time up to date, if this is its first use in the current busy period.
  void Refresh(Node& node) const;
  double VirtualTimeOf(const Node& node) const;
  void Insert(Node& node);
  void Extract(Node& node);
  // Moves an active node, and the nodes above it, to their present positions in the order.
  void Reposition(Node& node);
  // Sets the node's handicap to that of its first child.
  void UpdateHandicap(Node& node);

  Node root_;
  std::array<Node, kNumPriorities> classes_;
  uint64_t busy_period_ = 0;
  uint64_t num_insertions_ = 0;  // insertions so far; the order among equal start times
};

}  // namespace acceld
