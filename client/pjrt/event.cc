#include "client/pjrt/event.h"

#include "client/pjrt/devices/fork.h"
#include "client/pjrt/error.h"
#include "client/pjrt/functions.h"

namespace acceld::pjrt {
namespace {

using client::Array;
using client::WeakArray;

bool IsReady(const absl::Status&) { return true; }
// The caller is about to wait, so it is worthwhile to wait here for a value that arrives at once.
bool IsReady(const WeakArray& array) { return array.Lock().IsReady(); }
bool IsReady(const PJRT_Event::End& end) { return FirstHeld(end.results).IsReady(); }
bool IsReady(const acceld::Event& event) { return event.IsReady(); }

absl::Status Await(const absl::Status& status) { return status; }
// Array::Await lets the waiting thread receive the daemon's answer itself, which is quicker.
absl::Status Await(const Array& array) { return array.valid() ? array.Await() : absl::OkStatus(); }
absl::Status Await(const WeakArray& array) { return Await(array.Lock()); }
absl::Status Await(const PJRT_Event::End& end) { return Await(FirstHeld(end.results)); }
absl::Status Await(const acceld::Event& event) { return event.Await().status(); }

template <typename Callback>
void OnReady(const absl::Status& status, Callback callback) {
  callback(status);
}
template <typename Callback>
void OnReady(const WeakArray& array, Callback callback) {
  array.Ready().OnReady([callback](const auto& info) { callback(info.status()); });
}
template <typename Callback>
void OnReady(const acceld::Event& event, Callback callback) {
  event.OnReady([callback](const auto& done) { callback(done.status()); });
}
template <typename Callback>
void OnReady(const PJRT_Event::End& end, Callback callback) {
  OnReady(end.deferred_queries->EndOf(end.results), callback);
}

}  // namespace

absl::Status Event_Destroy(PJRT_Event_Destroy_Args& args) {
  if (!IsForkedChild()) delete args.event;
  return absl::OkStatus();
}

absl::Status Event_IsReady(PJRT_Event_IsReady_Args& args) {
  args.is_ready =
      std::visit([](const auto& source) { return IsReady(source); }, args.event->source);
  return absl::OkStatus();
}

// An event that is not ready has no error yet; the interface forbids this call then.
absl::Status Event_Error(PJRT_Event_Error_Args& args) {
  return std::visit(
      [](const auto& source) {
        if (IsReady(source)) return Await(source);
        return absl::FailedPreconditionError("the event is not ready, so it has no error yet");
      },
      args.event->source);
}

absl::Status Event_Await(PJRT_Event_Await_Args& args) {
  return std::visit([](const auto& source) { return Await(source); }, args.event->source);
}

absl::Status Event_OnReady(PJRT_Event_OnReady_Args& args) {
  const auto call = [callback = args.callback, user_arg = args.user_arg](absl::Status status) {
    callback(ToError(std::move(status)), user_arg);
  };
  std::visit([&](const auto& source) { OnReady(source, call); }, args.event->source);
  return absl::OkStatus();
}

}  // namespace acceld::pjrt
