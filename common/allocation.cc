#include "common/allocation.h"

#include <sys/mman.h>

#include <atomic>

#include "absl/base/optimization.h"
#include "absl/strings/str_cat.h"

namespace acceld {
namespace {

constexpr size_t kReserveBytes = size_t{64} << 20;

thread_local int contained_depth = 0;
thread_local bool has_failed = false;

// Address space without pages: it costs nothing until something else takes its place.
void* MapReserve() {
  void* const reserve = mmap(nullptr, kReserveBytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return reserve == MAP_FAILED ? nullptr : reserve;
}

// The process's reserve, and what operator new calls when it finds no memory.
class Reserve {
 public:
  static Reserve& Get() {
    static auto* const reserve = new Reserve();
    return *reserve;
  }

  // Where it is missing and there is room again.
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

  // The allocation is tried again when this returns.
  static void OnFailure() {
    void* const memory = Get().memory_.exchange(nullptr);
    if (memory == nullptr) throw std::bad_alloc();
    munmap(memory, kReserveBytes);
    has_failed = contained_depth > 0;
  }

  std::atomic<void*> memory_;
};

// Made while there is memory; copies share it.
const absl::Status& PreparedError() {
  static const auto* const error =
      new absl::Status(absl::StatusCode::kResourceExhausted, "memory ran out");
  return *error;
}

}  // namespace

ContainedWork::ContainedWork() {
  if (contained_depth++ > 0) return;
  PreparedError();
  Reserve::Get().Refill();
  has_failed = false;
}

ContainedWork::~ContainedWork() {
  if (--contained_depth > 0) return;
  has_failed = false;
  Reserve::Get().Refill();
}

absl::Status CheckMemory(absl::string_view where) {
  return ABSL_PREDICT_TRUE(!has_failed) ? absl::OkStatus() : OutOfMemoryError(where);
}

absl::Status OutOfMemoryError(absl::string_view where) noexcept {
  try {
    return absl::ResourceExhaustedError(absl::StrCat(where, ": memory ran out"));
  } catch (const std::bad_alloc&) {
    return PreparedError();
  }
}

}  // namespace acceld
