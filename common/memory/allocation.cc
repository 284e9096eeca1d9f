#include "common/memory/allocation.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>

#include "absl/base/optimization.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"

namespace acceld {
namespace {

constexpr size_t kReserveBytes = size_t{64} << 20;

thread_local int contained_depth = 0;
thread_local bool has_failed = false;
thread_local WorkBounds bounds_now;
thread_local int64_t most_held =
    WorkBounds::kUnbounded;  // the most bytes that the heap counter may reach

std::atomic<int64_t (*)()> heap_counter{nullptr};

int64_t HeldByThread() {
  int64_t (*const bytes_of_thread)() = heap_counter.load(std::memory_order_relaxed);
  return bytes_of_thread == nullptr ? 0 : bytes_of_thread();
}

bool HoldsTooMuch() { return most_held != WorkBounds::kUnbounded && HeldByThread() > most_held; }

// Maps address space without pages, which takes no memory until other memory is allocated in its
// place.
void* MapReserve() {
  void* const reserve = mmap(nullptr, kReserveBytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return reserve == MAP_FAILED ? nullptr : reserve;
}

// The process's reserve, and the handler that operator new calls when it finds no memory.
class Reserve {
 public:
  static Reserve& Get() {
    static auto* const reserve = new Reserve();
    return *reserve;
  }

  // Maps the reserve again if it is missing and there is room.
  void Refill() {
    if (memory_.load() != nullptr) return;
    void* const fresh = MapReserve();
    void* none = nullptr;
    if (fresh != nullptr && !memory_.compare_exchange_strong(none, fresh)) {
      munmap(fresh, kReserveBytes);
    }
  }

 private:
  Reserve() : memory_(MapReserve()) { std::set_new_handler(&OnFailure); }

  // The new handler. operator new repeats the allocation when it returns.
  static void OnFailure() {
    void* const memory = Get().memory_.exchange(nullptr);
    if (memory == nullptr) throw std::bad_alloc();
    munmap(memory, kReserveBytes);
    has_failed = contained_depth > 0;
  }

  std::atomic<void*> memory_;
};

// An error that is made while there is memory. Copies share its representation.
const absl::Status& PreparedError() {
  static const auto* const error =
      new absl::Status(absl::StatusCode::kResourceExhausted, "memory ran out");
  return *error;
}

}  // namespace

ContainedWork::ContainedWork(const WorkBounds& bounds)
    : outer_(bounds_now), outer_most_held_(most_held) {
  if (bounds.stop != nullptr) bounds_now.stop = bounds.stop;
  const int64_t held = HeldByThread();
  // If the sum would overflow, the work has no bound of its own.
  if (bounds.memory_bytes < WorkBounds::kUnbounded - std::max<int64_t>(held, 0) &&
      held + bounds.memory_bytes < most_held) {
    bounds_now.memory_bytes = bounds.memory_bytes;
    most_held = held + bounds.memory_bytes;
  }
  if (contained_depth++ > 0) return;
  PreparedError();
  Reserve::Get().Refill();
  has_failed = false;
}

ContainedWork::~ContainedWork() {
  bounds_now = outer_;
  most_held = outer_most_held_;
  if (--contained_depth > 0) return;
  has_failed = false;
  Reserve::Get().Refill();
}

WorkBounds ContainedWork::Bounds() { return bounds_now; }

void SetHeapCounter(int64_t (*bytes_of_thread)()) { heap_counter.store(bytes_of_thread); }

bool MayContinue() {
  return !has_failed && !HoldsTooMuch() &&
         (bounds_now.stop == nullptr || !bounds_now.stop->stopped());
}

absl::Status CheckMayContinue(absl::string_view where) {
  if (ABSL_PREDICT_TRUE(MayContinue())) return absl::OkStatus();
  if (has_failed) return OutOfMemoryError(where);
  if (HoldsTooMuch()) {
    return absl::ResourceExhaustedError(absl::StrCat(
        where, ": it takes more memory than the limit of ", bounds_now.memory_bytes, " bytes"));
  }
  return CheckStop(bounds_now.stop);
}

absl::Status OutOfMemoryError(absl::string_view where) noexcept {
  try {
    return absl::ResourceExhaustedError(absl::StrCat(where, ": memory ran out"));
  } catch (const std::bad_alloc&) {
    return PreparedError();
  }
}

absl::Status ShortenMessage(const absl::Status& status) {
  constexpr size_t kEndBytes = kMaxErrorBytes / 4;
  constexpr size_t kBeginBytes = kMaxErrorBytes - kEndBytes - 64;
  const absl::string_view message = status.message();
  if (message.size() <= kMaxErrorBytes) return status;
  absl::Status shortened(status.code(), absl::StrCat(message.substr(0, kBeginBytes), " ... (",
                                                     message.size(), " bytes in all) ... ",
                                                     message.substr(message.size() - kEndBytes)));
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& payload) {
    shortened.SetPayload(url, payload);
  });
  return shortened;
}

}  // namespace acceld
