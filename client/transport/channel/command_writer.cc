#include "client/transport/channel/command_writer.h"

#include <utility>

#include "common/threads/busy_poll.h"

namespace acceld::client {
namespace {

using Clock = std::chrono::steady_clock;

// In lazy mode, how long commands may wait for a caller to write them.
constexpr std::chrono::milliseconds kLazyTick{1};
// After this many ticks in which callers have written nothing, the thread sleeps until the next
// append.
constexpr int kIdleTicks = 4;
// After two writes within kBurstWindow the writer thread waits for kGather, so that commands which
// arrive in quick succession share a batch: each batch costs the daemon about as much as ten
// commands. Callers that wait for an answer write without this delay.
constexpr std::chrono::microseconds kBurstWindow{200}, kGather{50};
// How long the writer thread leaves new commands to the caller that appended them. A caller that
// waits for an answer next writes them itself. If callers do so repeatedly, lazy mode begins, in
// which appends do not wake the writer thread.
constexpr std::chrono::microseconds kCallerGrace{15};
// Lazy mode begins after callers have been quicker than the writer thread this many times in a row.
constexpr int kQuickCallers = 4;
// Pause after a write to a broken stream, which its reader will notice as well.
constexpr std::chrono::milliseconds kBrokenPause{5};

}  // namespace

void CommandWriter::Start(std::chrono::milliseconds lease) {
  thread_ = std::thread([this, lease] { Run(lease); });
}

void CommandWriter::Join() {
  if (thread_.joinable()) thread_.join();
}

void CommandWriter::WriteNow() {
  if (Flush()) flushes_by_callers_.fetch_add(1, std::memory_order_relaxed);
}

bool CommandWriter::Flush() {
  MutexLock lock(mutex_);
  const std::shared_ptr<ChannelStream> current = stream_();
  bool wrote = false;
  while (!current->write_failed()) {
    const CommandOutbox::SharedBatch batch = outbox_.Take();
    if (batch == nullptr) break;
    wrote = true;
    if (!current->Write(*batch)) current->FailWrites();
  }
  return wrote;
}

void CommandWriter::WriteNothing() {
  MutexLock lock(mutex_);
  const std::shared_ptr<ChannelStream> current = stream_();
  if (!current->write_failed() && !current->Write(v1::CommandBatch())) current->FailWrites();
}

void CommandWriter::Run(std::chrono::milliseconds lease) {
  using Wakeup = CommandOutbox::Wakeup;
  int beaten = 0;  // How many times in a row callers were quicker.
  int idle_ticks = 0;
  bool lazy = false;
  uint64_t seen_flushes = 0;
  Clock::time_point last_flush;
  const auto keep_alive = lease.count() > 0 ? lease / 3 : std::chrono::hours(24 * 365);
  while (true) {
    const bool ticks = lazy && idle_ticks < kIdleTicks;
    const Wakeup wakeup =
        outbox_.WaitForWork(Clock::now() + (ticks ? Clock::duration(kLazyTick) : keep_alive),
                            ticks ? CommandOutbox::Until::kWork : CommandOutbox::Until::kAppend);
    if (wakeup == Wakeup::kEnd) return;
    if (wakeup == Wakeup::kWork && !lazy && Clock::now() - last_flush > kBurstWindow) {
      (void)PollFor(kCallerGrace, [this] { return !outbox_.HasWork(); });
    }
    const uint64_t flushes = flushes_by_callers_.load(std::memory_order_relaxed);
    const bool callers_write = flushes != std::exchange(seen_flushes, flushes);
    idle_ticks = lazy && wakeup == Wakeup::kTime && !callers_write ? idle_ticks + 1 : 0;
    if (wakeup == Wakeup::kAppended || (ticks && (callers_write || idle_ticks > 0))) continue;
    // The next batch of these callers will contain the releases.
    if (wakeup == Wakeup::kReleases && callers_write) continue;
    const bool wrote = (wakeup == Wakeup::kWork || wakeup == Wakeup::kReleases) && Flush();
    if (wrote) {
      if (Clock::now() - last_flush < kBurstWindow) std::this_thread::sleep_for(kGather);
      last_flush = Clock::now();
    }
    beaten = !wrote && callers_write ? beaten + 1 : 0;
    if (std::exchange(lazy, beaten >= kQuickCallers) != lazy) outbox_.SetLazy(lazy);
    if (wakeup == Wakeup::kWork && !wrote && stream_()->write_failed()) {
      std::this_thread::sleep_for(kBrokenPause);
    } else if (wakeup == Wakeup::kTime && !ticks) {
      WriteNothing();
    }
  }
}

}  // namespace acceld::client
