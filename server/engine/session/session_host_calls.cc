#include <atomic>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/engine/engine_impl.h"
#include "server/engine/session/session_impl.h"
#include "server/engine/staging.h"

// Answers to host calls: values that the client sends as bytes or names as arrays of the session,
// which may still be pending.
namespace acceld::engine {
namespace {

// The values of one answer, collected until all of its arrays are defined.
struct Gathered {
  std::vector<hal::HostValue> values;
  std::vector<std::shared_ptr<runtime::Array>> arrays;  // one for each value, or nullptr
  std::atomic<size_t> missing{1};
};

absl::Status CheckBytes(const ir::TensorType& type, const std::string& bytes) {
  if (bytes.size() != static_cast<size_t>(type.size_bytes())) {
    return absl::InvalidArgumentError(
        absl::StrCat(type.ToString(), " has ", type.size_bytes(), " bytes, not ", bytes.size()));
  }
  return CheckElements(type.dtype, bytes);
}

absl::Status CheckTypes(absl::Span<const ir::TensorType> expected,
                        const std::vector<HostCallResult>& results) {
  if (results.size() != expected.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "it gave ", results.size(), " results; the program expects ", expected.size()));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].type == expected[i]) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("result ", i, " is a ", results[i].type.ToString(), "; the program expects a ",
                     expected[i].ToString()));
  }
  return absl::OkStatus();
}

// Returns the bytes of a defined array.
hal::HostValue ValueOf(const runtime::Array& array) {
  runtime::Array::View view = array.view();
  if (view.spilled != nullptr) {
    const absl::string_view bytes(view.spilled->data(),
                                  static_cast<size_t>(view.spilled->size_bytes()));
    return {.bytes = {bytes, std::move(view.spilled), {}}};
  }
  return {.buffer = std::move(view.buffer)};
}

void AnswerWhenThere(HostCallTable& table, uint64_t call_id, Gathered& gathered) {
  if (gathered.missing.fetch_sub(1) > 1) return;
  for (size_t i = 0; i < gathered.values.size(); ++i) {
    if (gathered.arrays[i] == nullptr) continue;
    if (const absl::Status error = gathered.arrays[i]->error(); !error.ok()) {
      return table.Answer(call_id, error);
    }
    gathered.values[i] = ValueOf(*gathered.arrays[i]);
  }
  table.Answer(call_id, std::move(gathered.values));
}

}  // namespace

void SessionImpl::ServeHostCalls(std::shared_ptr<HostCallListener> listener) {
  host_calls_->Serve(std::move(listener));
}

void SessionImpl::AnswerHostCall(uint64_t call_id,
                                 absl::StatusOr<std::vector<HostCallResult>> results) {
  const absl::optional<HostCallTable::Expected> expected = host_calls_->Find(call_id);
  if (!expected.has_value()) return;
  absl::Status status = results.status();
  if (status.ok()) status = CheckTypes(expected->results, *results);
  // Shared with the callbacks of arrays that are still missing.
  const auto gathered = std::make_shared<Gathered>();
  for (size_t i = 0; status.ok() && i < results->size(); ++i) {
    HostCallResult& result = (*results)[i];
    hal::HostValue& value = gathered->values.emplace_back();
    std::shared_ptr<runtime::Array>& array = gathered->arrays.emplace_back();
    if (result.handle.has_value()) {
      const absl::StatusOr<Named> named = Find(*result.handle);
      status = named.status();
      if (!status.ok()) break;
      array = named->array;
      // An array without a type has failed.
      if (!array->type().has_value()) {
        status = array->error();
      } else if (*array->type() != result.type ||
                 array->device() != static_cast<int>(expected->device)) {
        status = absl::InvalidArgumentError(absl::StrCat(
            "result ", i, " is an array ", array->type()->ToString(), " of device ",
            array->device(), ", not ", result.type.ToString(), " of device ", expected->device));
      }
    } else {
      status = Annotate(CheckBytes(result.type, result.bytes), absl::StrCat("result ", i));
      const auto bytes = std::make_shared<const std::string>(std::move(result.bytes));
      value.bytes = {*bytes, bytes, {}};
    }
  }
  if (!status.ok()) return host_calls_->Answer(call_id, status);
  for (const std::shared_ptr<runtime::Array>& array : gathered->arrays) {
    if (array == nullptr) continue;
    gathered->missing.fetch_add(1);
    array->OnFinal([table = host_calls_, call_id, gathered](const absl::Status&) {
      AnswerWhenThere(*table, call_id, *gathered);
    });
  }
  AnswerWhenThere(*host_calls_, call_id, *gathered);
}

}  // namespace acceld::engine
