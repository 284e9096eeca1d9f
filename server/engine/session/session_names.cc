#include <utility>

#include "absl/strings/str_cat.h"
#include "server/engine/engine_impl.h"
#include "server/engine/session/session_impl.h"

// Names under which arrays can be opened by other sessions.
namespace acceld::engine {

absl::Status SessionImpl::Publish(Handle handle, absl::string_view name,
                                  const PublishOptions& options) {
  ACCELD_ASSIGN_OR_RETURN(const Named named, Find(handle));
  // An array without a type has nothing but an error.
  if (!named.array->type().has_value()) return named.array->error();
  return engine_.named_arrays().Publish(options_.identity, *identity_, name, named.array, options);
}

absl::StatusOr<ArrayInfo> SessionImpl::OpenNamed(Handle handle, absl::string_view name) {
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<runtime::Array> array,
                          engine_.named_arrays().Open(options_.identity, name));
  const ArrayInfo info{*array->type(), static_cast<uint32_t>(array->device())};
  MutexLock lock(mutex_);
  ACCELD_RETURN_IF_ERROR(CheckOpen());
  const auto known = handles_.find(handle);
  if (known != handles_.end() && known->second.array == array) return info;
  ACCELD_ASSIGN_OR_RETURN(runtime::Charge charge, CheckNew({handle}));
  handles_charge_.Merge(std::move(charge));
  handles_.emplace(handle, Named{std::move(array), nullptr});
  return info;
}

absl::Status SessionImpl::DropName(absl::string_view name) {
  return engine_.named_arrays().Drop(options_.identity, name);
}

}  // namespace acceld::engine
