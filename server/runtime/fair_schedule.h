#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

namespace acceld::runtime {

// Whose work goes first. Between classes that all want a device, its time is shared 1 : 8 : 64, so
// a higher class goes before a lower one in all but name, and yet none waits for ever. Inside a
// class all flows have equal shares, however many there are: they share what their class gets.
enum class PriorityClass : uint8_t { kBatch, kNormal, kInteractive };

// Decides which of several flows of work is served next: start-time fair queueing (Goyal, Vin and
// Cheng, 1996) on two levels, first between priority classes, then between the flows of the class.
//
// Each class and each flow has a virtual start time that service moves on, by its cost over its
// weight; the earliest goes next. What had no work begins at the virtual time of what is being
// served: it is served soon, but earns nothing by having been idle.
//
// Costs are in any one unit. Not thread-safe.
class FairSchedule {
 public:
  // One flow: where it stands. Belongs to at most one schedule; inactive when it is destroyed.
  class Flow {
   public:
    explicit Flow(PriorityClass priority) : class_(static_cast<size_t>(priority)) {}
    Flow(const Flow&) = delete;
    Flow& operator=(const Flow&) = delete;

   private:
    friend class FairSchedule;
    using Order = std::map<std::pair<double, uint64_t>, Flow*>;

    const size_t class_;
    double start_ = 0;
    bool active_ = false;
    Order::iterator position_;  // while active
    Order::node_type node_;     // while not; kept so that coming and going allocates nothing
  };

  // Says that the flow has work; nothing happens when it was said before.
  void Activate(Flow& flow);
  // Says that the flow has no work any more.
  void Deactivate(Flow& flow);
  bool empty() const;
  // The active flow to be served now; nullptr when there is none. Charge for it before the next.
  Flow* Next();
  // Whether the flow, active or not, has had its share with at most `lead` more than what is being
  // served now: what costs others little may be served out of turn then.
  bool IsDue(const Flow& flow, double lead) const;
  // Charges for service of this cost. A negative cost takes back what an earlier charge overrated.
  void Charge(Flow& flow, double cost);
  // Says that nothing is active or being served: what was used so far counts for nothing now.
  void EndBusyPeriod();

 private:
  struct Class {
    double weight = 1;
    double start = 0;
    double virtual_time = 0;  // of its flows
    double last_finish = 0;   // the latest start of any of its flows
    Flow::Order order;        // its active flows
  };

  void Place(Flow& flow);

  std::array<Class, 3> classes_ = {Class{.weight = 1}, Class{.weight = 8}, Class{.weight = 64}};
  double virtual_time_ = 0;  // of the classes
  double last_finish_ = 0;
  uint64_t placements_ = 0;  // flows of equal start times take turns
};

}  // namespace acceld::runtime
