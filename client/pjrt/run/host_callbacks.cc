#include "client/pjrt/run/host_callbacks.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/pjrt/devices/fork.h"
#include "client/pjrt/dtype.h"
#include "client/pjrt/transfer/host_copy.h"
#include "common/ir/types/literal.h"
#include "common/threads/mutex.h"

// Collects Python's answer to one call.
struct Acceld_CallbackAnswer {
  std::vector<acceld::ir::Literal> results;
  absl::Status status;
};

namespace acceld::pjrt {
namespace {

std::atomic<Acceld_PythonCallback> python_callback{nullptr};

class ReleasedIds {
 public:
  void Add(const std::vector<uint64_t>& ids) {
    MutexLock lock(mutex_);
    ids_.insert(ids_.end(), ids.begin(), ids.end());
  }
  std::vector<uint64_t> Take(size_t at_most) {
    MutexLock lock(mutex_);
    const size_t count = std::min(at_most, ids_.size());
    std::vector<uint64_t> taken(ids_.end() - static_cast<ptrdiff_t>(count), ids_.end());
    ids_.resize(ids_.size() - count);
    return taken;
  }

 private:
  Mutex mutex_;
  std::vector<uint64_t> ids_ ABSL_GUARDED_BY(mutex_);
};

ReleasedIds& Released() {
  // Never destroyed, because threads may run longer than static objects exist.
  static ReleasedIds& released = *new ReleasedIds;
  return released;
}

// The numbers of one program's callbacks, which are released when nothing can call them any more.
struct HeldIds {
  explicit HeldIds(absl::Span<const uint64_t> given) : ids(given.begin(), given.end()) {}
  ~HeldIds() { Released().Add(ids); }
  HeldIds(const HeldIds&) = delete;
  HeldIds& operator=(const HeldIds&) = delete;

  const std::vector<uint64_t> ids;
};

void AddResult(Acceld_CallbackAnswer* answer, const Acceld_HostArray* array) {
  if (!answer->status.ok()) return;
  absl::StatusOr<ir::Literal> result = [&]() -> absl::StatusOr<ir::Literal> {
    ir::TensorType type;
    ACCELD_ASSIGN_OR_RETURN(type.dtype, FromPjrt(array->type));
    type.dims.assign(array->dims, array->dims + array->num_dims);
    std::string bytes(static_cast<const char*>(array->data), array->size_bytes);
    Normalize(type.dtype, absl::MakeSpan(bytes.data(), bytes.size()));
    return ir::Literal::FromBytes(std::move(type), std::move(bytes));
  }();
  if (result.ok()) {
    answer->results.push_back(*std::move(result));
  } else {
    answer->status = result.status();
  }
}

void SetError(Acceld_CallbackAnswer* answer, const char* message, size_t message_size) {
  answer->status = absl::InternalError(absl::string_view(message, message_size));
}

absl::StatusOr<std::vector<ir::Literal>> CallPython(uint64_t id,
                                                    absl::Span<const ir::Literal> operands) {
  ACCELD_RETURN_IF_ERROR(CheckNotForked());
  const Acceld_PythonCallback callback = python_callback.load();
  if (callback == nullptr) {
    return absl::CancelledError("the Python program that has the callback is about to end");
  }
  std::vector<std::string> bytes;  // The expanded bytes of splats.
  std::vector<Acceld_HostArray> arrays;
  bytes.reserve(operands.size());
  for (const ir::Literal& operand : operands) {
    const ir::TensorType& type = operand.type();
    absl::string_view data = operand.bytes();
    if (operand.is_splat()) data = bytes.emplace_back(operand.DenseBytes());
    arrays.push_back({.type = ToPjrt(type.dtype),
                      .dims = type.dims.data(),
                      .num_dims = type.dims.size(),
                      .data = data.data(),
                      .size_bytes = data.size()});
  }
  Acceld_CallbackAnswer answer;
  callback(id, arrays.data(), arrays.size(), &answer, &AddResult, &SetError);
  ACCELD_RETURN_IF_ERROR(answer.status);
  return std::move(answer.results);
}

}  // namespace

void SetPythonCallback(Acceld_PythonCallback callback) { python_callback.store(callback); }

client::HostCallbacks PythonCallbacks(absl::Span<const uint64_t> ids) {
  const auto held = std::make_shared<const HeldIds>(ids);  // Shared by the callbacks.
  std::vector<client::HostCallback> callbacks;
  callbacks.reserve(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    callbacks.push_back([held, i](absl::Span<const ir::Literal> operands) {
      return CallPython(held->ids[i], operands);
    });
  }
  return callbacks;
}

std::vector<uint64_t> TakeReleasedCallbacks(size_t at_most) { return Released().Take(at_most); }

}  // namespace acceld::pjrt
