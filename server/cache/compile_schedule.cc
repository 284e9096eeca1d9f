#include "server/cache/compile_schedule.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace acceld::cache {
namespace {

constexpr size_t kNumClasses = 3;
// What a flow is charged when a job begins, corrected when its duration is known.
constexpr double kExpectedMs = 10;

}  // namespace

// The queued jobs of an identity in a priority class.
struct CompileSchedule::Flow : FairSchedule::Flow {
  Flow(Identity& of, Priority priority) : FairSchedule::Flow(priority), owner(of) {}

  Identity& owner;
  std::list<JobPtr> jobs;
};

struct CompileSchedule::Identity {
  size_t queued = 0, running = 0;
  std::array<std::unique_ptr<Flow>, kNumClasses> flows;
};

// The position of a job in one queue, and the number of requesters that it has there.
struct CompileJob::QueueEntry {
  CompileSchedule::Flow* flow;
  std::list<std::shared_ptr<CompileJob>>::iterator position;
  size_t requesters = 1;
};

CompileJob::CompileJob(std::function<void()> work) : work_(std::move(work)) {}
CompileJob::~CompileJob() = default;

CompileSchedule::CompileSchedule(size_t num_threads, size_t max_queued)
    : num_threads_(num_threads), max_queued_(max_queued) {}

CompileSchedule::~CompileSchedule() {
  for (const auto& [name, identity] : identities_) {
    for (const auto& flow : identity->flows) {
      if (flow != nullptr) fair_schedule_.Deactivate(*flow);
    }
  }
}

CompileSchedule::Flow& CompileSchedule::FlowOf(const Requester& requester) {
  std::unique_ptr<Identity>& identity = identities_[requester.identity];
  if (identity == nullptr) identity = std::make_unique<Identity>();
  std::unique_ptr<Flow>& flow = identity->flows[static_cast<size_t>(requester.priority)];
  if (flow == nullptr) flow = std::make_unique<Flow>(*identity, requester.priority);
  return *flow;
}

absl::Status CompileSchedule::Add(const JobPtr& job, const Requester& requester) {
  if (queued_ >= max_queued_) {
    return absl::ResourceExhaustedError(
        absl::StrCat("compile: ", queued_, " of ", max_queued_, " compiles are queued"));
  }
  const size_t share = std::max<size_t>(max_queued_ / 4, 1);
  const size_t in_use = FlowOf(requester).owner.queued;
  if (in_use >= share) {
    return absl::ResourceExhaustedError(
        absl::StrCat("compile: ", in_use, " compiles of ", requester.identity, " are queued, and ",
                     share, " of ", max_queued_, " are an identity's share"));
  }
  ++queued_;
  job->is_queued_ = true;
  AddRequester(job, requester);
  return absl::OkStatus();
}

void CompileSchedule::AddRequester(const JobPtr& job, const Requester& requester) {
  if (!job->is_queued_) return;
  Flow& flow = FlowOf(requester);
  for (CompileJob::QueueEntry& entry : job->queue_entries_) {
    if (entry.flow != &flow) continue;
    ++entry.requesters;
    return;
  }
  job->queue_entries_.push_back({&flow, flow.jobs.insert(flow.jobs.end(), job)});
  ++flow.owner.queued;
  waiting_.insert(&flow.owner);
  fair_schedule_.Activate(flow);
}

void CompileSchedule::Dequeue(CompileJob::QueueEntry& entry) {
  Flow& flow = *entry.flow;
  flow.jobs.erase(entry.position);
  if (flow.jobs.empty()) fair_schedule_.Deactivate(flow);
  if (--flow.owner.queued == 0) waiting_.erase(&flow.owner);
}

bool CompileSchedule::RemoveRequester(const JobPtr& job, const Requester& requester) {
  if (job->queue_entries_.empty()) return false;
  Flow& flow = FlowOf(requester);
  const auto entry =
      std::find_if(job->queue_entries_.begin(), job->queue_entries_.end(),
                   [&](const CompileJob::QueueEntry& one) { return one.flow == &flow; });
  if (entry == job->queue_entries_.end() || --entry->requesters > 0) return false;
  Dequeue(*entry);
  job->queue_entries_.erase(entry);
  if (!job->queue_entries_.empty()) return false;
  job->is_queued_ = false;
  --queued_;
  EndIfIdle();
  return true;
}

bool CompileSchedule::HasItsShare(const Identity& identity) const {
  return identity.running >= std::max<size_t>(num_threads_ / 2, 1);
}

CompileSchedule::JobPtr CompileSchedule::Take() {
  const auto has_share = [this](const Identity& one) { return HasItsShare(one); };
  // An identity that has its share of the threads must wait, unless all waiting identities do.
  if (!std::all_of(waiting_.begin(), waiting_.end(),
                   [&](const Identity* one) { return has_share(*one); })) {
    return TakeExcept(has_share);
  }
  return TakeExcept([](const Identity&) { return false; });
}

CompileSchedule::JobPtr CompileSchedule::TakeOfIdle() {
  return TakeExcept([](const Identity& one) { return one.running > 0; });
}

bool CompileSchedule::HasIdle() const {
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [](const Identity* one) { return one->running == 0; });
}

CompileSchedule::JobPtr CompileSchedule::TakeExcept(
    absl::FunctionRef<bool(const Identity&)> is_held_back) {
  std::vector<Flow*> held_back;
  for (const Identity* identity : waiting_) {
    if (!is_held_back(*identity)) continue;
    for (const auto& flow : identity->flows) {
      if (flow != nullptr && !flow->jobs.empty()) held_back.push_back(flow.get());
    }
  }
  for (Flow* flow : held_back) fair_schedule_.Deactivate(*flow);
  auto* const flow = static_cast<Flow*>(fair_schedule_.Next());
  for (Flow* held : held_back) fair_schedule_.Activate(*held);
  if (flow == nullptr) return nullptr;

  JobPtr job = flow->jobs.front();
  for (CompileJob::QueueEntry& entry : job->queue_entries_) Dequeue(entry);
  job->queue_entries_.clear();
  job->is_queued_ = false;
  --queued_;
  job->is_low_priority_ = flow->owner.queued > kManyQueued;
  ++flow->owner.running;
  running_.emplace(job.get(), flow);
  fair_schedule_.Charge(*flow, kExpectedMs);
  return job;
}

void CompileSchedule::End(const CompileJob& job, double took_ms) {
  const auto run = running_.extract(&job);
  Flow& flow = *run.mapped();
  fair_schedule_.Charge(flow, took_ms - kExpectedMs);
  --flow.owner.running;
  EndIfIdle();
}

void CompileSchedule::EndIfIdle() {
  if (queued_ > 0 || !running_.empty()) return;
  fair_schedule_.EndBusyPeriod();
  identities_.clear();
}

}  // namespace acceld::cache
