#include "server/hal/cpu/cpu_stream.h"

#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "kernels/cpu/collective_exchange.h"
#include "server/hal/check_range.h"
#include "server/hal/cpu/cpu_gang.h"
#include "server/hal/cpu/host_module.h"

namespace acceld::hal::cpu {
namespace {

constexpr int64_t kInlineCopyBytes = 16 << 10;

// Passes the host calls of generated code on to the HostCalls of the launch.
class Caller final : public kernels::cpu::HostCaller {
 public:
  explicit Caller(const Launch& launch) : launch_(launch) {}

  absl::Status Call(const kernels::HostCall& call, const void* const* operands,
                    void* const* results) override {
    std::vector<SharedBytes> given;
    for (size_t i = 0; i < call.operands.size(); ++i) {
      ACCELD_ASSIGN_OR_RETURN(SharedBytes operand,
                              Keep({static_cast<const char*>(operands[i]),
                                    static_cast<size_t>(call.operands[i].size_bytes())}));
      given.push_back(std::move(operand));
    }
    ACCELD_ASSIGN_OR_RETURN(const std::vector<HostValue> values,
                            launch_.host->Call(call, std::move(given)));
    for (size_t i = 0; i < call.results.size(); ++i) {
      const auto size_bytes = static_cast<size_t>(call.results[i].size_bytes());
      if (size_bytes == 0) continue;
      const void* const from = values[i].buffer != nullptr ? values[i].buffer->host_address()
                                                           : values[i].bytes.view.data();
      std::memcpy(results[i], from, size_bytes);
    }
    return absl::OkStatus();
  }

 private:
  // Returns the bytes in a form that stays valid when the run ends early. Bytes of arguments and
  // results are shared, since only this run uses their buffers until it ends. Other bytes are
  // copied, since the arena is soon used by the next run.
  absl::StatusOr<SharedBytes> Keep(absl::string_view bytes) const {
    if (bytes.empty()) return SharedBytes{};
    for (const auto* buffers : {&launch_.arguments, &launch_.results}) {
      for (const std::shared_ptr<Buffer>& buffer : *buffers) {
        const auto* const begin = static_cast<const char*>(buffer->address());
        if (bytes.data() < begin || bytes.data() >= begin + buffer->size_bytes()) continue;
        return SharedBytes{bytes, buffer, {}};
      }
    }
    ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<char> copy,
                            launch_.host->Allocate(static_cast<int64_t>(bytes.size())));
    std::memcpy(copy.get(), bytes.data(), bytes.size());
    const absl::string_view view(copy.get(), bytes.size());
    return SharedBytes{view, std::move(copy), {}};
  }

  const Launch& launch_;
};

// Passes the collectives of generated code on to the gang of the launch.
class Exchanger final : public kernels::cpu::CollectiveExchange {
 public:
  explicit Exchanger(const Launch& launch) : launch_(launch) {}

  absl::Status Run(const kernels::Collective& collective, int64_t site, const void* const* operands,
                   void* const* results) override {
    auto& gang = static_cast<CpuGang&>(*launch_.gang);
    RunControl* const control = launch_.control.get();
    if (launch_.on_collective == nullptr) {
      return gang.Exchange(launch_.participant, control, collective, site, operands, results);
    }
    CollectiveRecord record{.name = NameOf(collective.kind), .begin = CpuGang::Clock::now()};
    CpuGang::Clock::time_point complete_at = record.begin;
    record.status = gang.Exchange(launch_.participant, control, collective, site, operands, results,
                                  &complete_at);
    record.end = CpuGang::Clock::now();
    record.wait = (record.status.ok() ? complete_at : record.end) - record.begin;
    record.bytes = OperandBytesOf(collective);
    launch_.on_collective(record);
    return record.status;
  }

 private:
  const Launch& launch_;
};

absl::Status RunModule(const Launch& launch) {
  RunControl* const control = launch.control.get();
  if (control != nullptr && control->interrupted().load() && !control->WaitWhilePaused()) {
    return absl::CancelledError("launch: cancelled before it began");
  }
  absl::InlinedVector<const void*, 8> arguments;
  absl::InlinedVector<void*, 8> results;
  for (const auto& buffer : launch.arguments) arguments.push_back(buffer->address());
  for (const auto& buffer : launch.results) results.push_back(buffer->address());
  Caller caller(launch);
  Exchanger exchanger(launch);
  static constexpr bool kNever = false;
  static_assert(sizeof(std::atomic<bool>) == sizeof(bool) && std::atomic<bool>::is_always_lock_free,
                "generated code polls the flag as one byte");
  return static_cast<const HostModule&>(*launch.module)
      .Run({.arguments = arguments.data(),
            .results = results.data(),
            .arena = launch.arena != nullptr ? launch.arena->address() : nullptr,
            .constants = nullptr,
            .num_threads = 1,
            .interrupted = control != nullptr
                               ? reinterpret_cast<const volatile bool*>(&control->interrupted())
                               : &kNever,
            .interrupt_handler = control,
            .working_memory = nullptr,
            .host = launch.host != nullptr ? &caller : nullptr,
            .collectives = launch.gang != nullptr ? &exchanger : nullptr});
}

// Runs the module, and tells the gang of the launch how that ended.
absl::Status RunAsParticipant(const Launch& launch) {
  absl::Status status = RunModule(launch);
  if (launch.gang == nullptr) return status;
  if (status.ok()) {
    launch.gang->Finish(launch.participant);
  } else {
    launch.gang->Fail(launch.participant, status);
  }
  return status;
}

absl::Status RunLaunch(const Launch& launch) {
  if (launch.device_ns == nullptr) return RunAsParticipant(launch);
  const auto begin = std::chrono::steady_clock::now();
  absl::Status status = RunAsParticipant(launch);
  std::chrono::nanoseconds took = std::chrono::steady_clock::now() - begin;
  if (launch.control != nullptr) took -= launch.control->paused_time();
  launch.device_ns->store(took.count(), std::memory_order_relaxed);
  if (launch.gang != nullptr && launch.waited_ns != nullptr) {
    const auto& gang = static_cast<const CpuGang&>(*launch.gang);
    launch.waited_ns->store(gang.waited(launch.participant).count(), std::memory_order_relaxed);
  }
  return status;
}

}  // namespace

void CpuStream::Wait(const Event& event) {
  if (!event.IsReady()) commands_.Enqueue(WaitCommand{event});
}

Event CpuStream::Run(Launch launch) {
  LaunchCommand command{std::move(launch), {}};
  Event done = command.done.future();
  if (!command.launch.may_run_inline || !commands_.BeginInline()) {
    commands_.Enqueue(std::move(command));
  } else if (command.launch.gang != nullptr) {
    LeaveToGang(std::make_shared<LaunchCommand>(std::move(command)));
  } else {
    const absl::Status status = RunLaunch(command.launch);
    commands_.EndInline();
    Finish(command, status);
  }
  return done;
}

void CpuStream::LeaveToGang(const std::shared_ptr<LaunchCommand>& command) {
  auto& gang = static_cast<CpuGang&>(*command->launch.gang);
  gang.AddInline({.run = [command] { return RunLaunch(command->launch); },
                  .finish =
                      [this, command](const absl::Status& status) {
                        commands_.EndInline();
                        Finish(*command, status);
                      },
                  .hand_over =
                      [this, command] {
                        commands_.Enqueue(std::move(*command));
                        commands_.EndInline();
                      }});
}

Event CpuStream::CopyFromHost(const void* from, int64_t size_bytes, std::shared_ptr<Buffer> to,
                              int64_t offset_bytes, std::shared_ptr<const void> keep_alive) {
  if (absl::Status status =
          CheckRange("copy to the device", offset_bytes, size_bytes, to->size_bytes());
      !status.ok()) {
    return absl::StatusOr<Unit>(status);
  }
  void* const address = static_cast<char*>(to->address()) + offset_bytes;
  return Copy({from, address, size_bytes, {std::move(keep_alive), std::move(to)}, {}, nullptr});
}

Event CpuStream::CopyToHost(std::shared_ptr<Buffer> from, void* to,
                            std::shared_ptr<void> keep_alive) {
  const void* const address = from->address();
  const int64_t size_bytes = from->size_bytes();
  return Copy({address, to, size_bytes, {std::move(keep_alive), std::move(from)}, {}, nullptr});
}

Event CpuStream::CopyFromPeer(std::shared_ptr<Buffer> from, std::shared_ptr<Buffer> to) {
  if (absl::Status status = CheckRange("copy from a peer", 0, from->size_bytes(), to->size_bytes());
      !status.ok()) {
    return absl::StatusOr<Unit>(status);
  }
  const void* const source = from->host_address();
  void* const target = to->address();
  const int64_t size_bytes = from->size_bytes();
  if (source == nullptr) {
    return Copy({nullptr, target, size_bytes, {std::move(to), nullptr}, {}, std::move(from)});
  }
  return Copy({source, target, size_bytes, {std::move(from), std::move(to)}, {}, nullptr});
}

Event CpuStream::Copy(CopyCommand command) {
  Event done = command.done.future();
  const bool quick = command.size_bytes <= kInlineCopyBytes && command.remote == nullptr;
  if (quick && commands_.BeginInline()) {
    const absl::Status status = CopyBytes(command);
    commands_.EndInline();
    Finish(command, status);
  } else {
    commands_.Enqueue(std::move(command));
  }
  return done;
}

void CpuStream::Execute(Command& command) {
  if (auto* wait = std::get_if<WaitCommand>(&command)) {
    // An error of the event does not fail this stream; readers of the event's own result see it.
    (void)wait->event.Await();
  } else if (auto* run = std::get_if<LaunchCommand>(&command)) {
    Finish(*run, RunLaunch(run->launch));
  } else {
    auto& copy = std::get<CopyCommand>(command);
    Finish(copy, CopyBytes(copy));
  }
}

absl::Status CpuStream::CopyBytes(const CopyCommand& copy) {
  if (copy.remote != nullptr) return copy.remote->Read(copy.to);
  if (copy.size_bytes > 0) std::memcpy(copy.to, copy.from, static_cast<size_t>(copy.size_bytes));
  return absl::OkStatus();
}

// The functions Finish drop the references to buffers before they set the event, so that the memory
// is free when a thread that waits for the event continues.

void CpuStream::Finish(LaunchCommand& command, const absl::Status& status) {
  command.launch = Launch{};
  command.done.Set(status.ok() ? absl::StatusOr<Unit>(Unit{}) : absl::StatusOr<Unit>(status));
}

void CpuStream::Finish(CopyCommand& command, const absl::Status& status) {
  for (auto& kept : command.keep_alive) kept.reset();
  command.remote.reset();
  command.done.Set(status.ok() ? absl::StatusOr<Unit>(Unit{}) : absl::StatusOr<Unit>(status));
}

}  // namespace acceld::hal::cpu
