#include "client/array.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "client/state/array_state.h"
#include "common/threads/mutex.h"

namespace acceld::client {
namespace {

// The largest value that is sent in the answer itself. Their total is bounded by the number of
// pending commands.
constexpr int64_t kMaxInlineBytes = int64_t{64} << 10;

using RequestNumbers = std::vector<uint64_t>;

absl::Status EmptyArray() {
  return absl::FailedPreconditionError("an empty Array (default-constructed or moved from)");
}

absl::Status CheckSize(const ir::TensorType& type, size_t size_bytes) {
  if (size_bytes == static_cast<size_t>(type.size_bytes())) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(type.ToString(), " has ", type.size_bytes(), " bytes, not ", size_bytes));
}

}  // namespace

Readiness::~Readiness() { Settle(ExecutionInfo()); }

void Readiness::Settle(absl::StatusOr<ExecutionInfo> info) {
  std::shared_ptr<Promise<ExecutionInfo>> promise;
  {
    MutexLock lock(mutex_);
    promise = std::move(promise_);
  }
  if (promise != nullptr) promise->Set(std::move(info));
}

Future<ExecutionInfo> Readiness::Ask(Connection& connection, uint64_t handle,
                                     std::shared_ptr<const void> keep) {
  const Future<ExecutionInfo> ready = ReadyWithoutRequest();
  if (ready.IsReady()) return ready;
  bool asked;
  {
    MutexLock lock(mutex_);
    // Any one of the arrays keeps the execution and this object alive, so one request that holds an
    // array is enough.
    if (keep != nullptr && std::exchange(keeps_, true)) keep.reset();
    asked = std::exchange(asked_, true);
  }
  if (asked) {
    if (keep != nullptr) ready.OnReady([keep](const absl::StatusOr<ExecutionInfo>&) {});
    return ready;
  }
  const uint64_t request = connection.Await(
      handle,
      [weak = weak_from_this(), keep = std::move(keep)](absl::StatusOr<ExecutionInfo> info) {
        if (const auto self = weak.lock(); self != nullptr) self->Settle(std::move(info));
      },
      Connection::Lapses::kYes);
  MutexLock lock(mutex_);
  request_ = request;
  return ready;
}

Future<ExecutionInfo> Readiness::ReadyWithoutRequest() {
  MutexLock lock(mutex_);
  if (!ready_.valid()) {
    promise_ = std::make_shared<Promise<ExecutionInfo>>();
    ready_ = promise_->future();
  }
  return ready_;
}

uint64_t Readiness::request() const {
  MutexLock lock(mutex_);
  return request_;
}

Future<ExecutionInfo> ArrayState::Ready() {
  return readiness_->Ask(*connection_, handle_, shared_from_this());
}

Future<ExecutionInfo> ArrayState::ReadyWithoutHold() {
  return readiness_->Ask(*connection_, handle_, nullptr);
}

absl::StatusOr<ExecutionInfo> ArrayState::AwaitReady() {
  const Future<ExecutionInfo> ready = Ready();
  if (!ready.IsReady()) connection_->Serve({ready_request()}, [&] { return ready.IsReady(); });
  return ready.Await();
}

bool ArrayState::IsReady() {
  const Future<ExecutionInfo> ready = ReadyWithoutHold();
  if (!ready.IsReady()) {
    connection_->ServeBriefly({ready_request()}, [&] { return ready.IsReady(); });
  }
  return ready.IsReady();
}

uint64_t ArrayState::Fetch(std::shared_ptr<ByteSink> sink, Connection::Lapses lapses,
                           Connection::OnDone done) {
  const int64_t bytes = type_.size_bytes();
  const auto keep = lapses == Connection::Lapses::kNo ? shared_from_this() : nullptr;
  if (bytes <= kMaxInlineBytes) {
    return connection_->Fetch(
        handle_, std::move(sink),
        [keep, done = std::move(done)](const absl::Status& status) { done(status); }, lapses);
  }
  const auto send = [weak = weak_from_this(), keep, lapses, bytes, sink = std::move(sink),
                     done = std::move(done)](ByteWindow& window) {
    const auto left = [keep, bytes, done, &window](const absl::Status& status) {
      done(status);
      window.Leave(bytes);
    };
    const std::shared_ptr<ArrayState> self = weak.lock();
    if (self == nullptr) return left(absl::CancelledError("the array was released"));
    self->connection_->Fetch(self->handle_, sink, left, lapses);
  };
  if (connection_->unready_fetches().TryEnter(bytes)) {
    send(connection_->unready_fetches());
    return 0;
  }
  // An array that may be computed for hours must not occupy room in the window that others could
  // use.
  const Future<ExecutionInfo> ready = keep != nullptr ? Ready() : ReadyWithoutHold();
  ready.OnReady([connection = connection_, bytes, send](const absl::StatusOr<ExecutionInfo>&) {
    ByteWindow& window = connection->ready_fetches();
    window.Enter(bytes, [send, &window] { send(window); });
  });
  return 0;
}

absl::Status ArrayState::CheckOwned() const {
  MutexLock lock(mutex_);
  return CheckOwnedLocked();
}

absl::Status ArrayState::CheckOwnedLocked() const {
  if (donated_to_ == nullptr) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the array ", type_.ToString(), " was donated to program ", *donated_to_));
}

absl::Status ArrayState::BeginRead() {
  MutexLock lock(mutex_);
  ACCELD_RETURN_IF_ERROR(CheckOwnedLocked());
  ++reads_;
  return absl::OkStatus();
}

void ArrayState::EndRead() {
  MutexLock lock(mutex_);
  --reads_;
}

absl::StatusOr<bool> ArrayState::Donate(std::shared_ptr<const std::string> program) {
  MutexLock lock(mutex_);
  ACCELD_RETURN_IF_ERROR(CheckOwnedLocked());
  donated_to_ = std::move(program);
  return reads_ == 0;
}

void ArrayState::Return() {
  MutexLock lock(mutex_);
  donated_to_.reset();
}

Array Donate(Array array) {
  array.donates_ = true;
  return array;
}

const ir::TensorType& Array::type() const { return state_->type(); }
uint32_t Array::device() const { return state_->device(); }

Future<ExecutionInfo> Array::Ready() const {
  if (const absl::Status usable = CheckUsable(); !usable.ok()) {
    return absl::StatusOr<ExecutionInfo>(usable);
  }
  return state_->Ready();
}

absl::Status Array::CheckUsable() const { return valid() ? state_->CheckOwned() : EmptyArray(); }

absl::Status Array::TakeBack() const {
  if (!valid()) return EmptyArray();
  const absl::Status donated = state_->CheckOwned();
  if (donated.ok()) return absl::OkStatus();
  // Asks the daemon about the handle; if possible, the daemon makes the handle own the array again.
  auto promise = std::make_shared<Promise<ExecutionInfo>>();
  const Future<ExecutionInfo> ready = promise->future();
  const uint64_t request = state_->connection()->Await(
      state_->handle(), [promise, keep = state_](absl::StatusOr<ExecutionInfo> info) {
        promise->Set(std::move(info));
      });
  if (!ready.IsReady()) state_->connection()->Serve({request}, [&] { return ready.IsReady(); });
  const absl::Status status = ready.Await().status();
  if (absl::IsFailedPrecondition(status)) return donated;
  // An error of the array itself does not matter here.
  ACCELD_RETURN_IF_ERROR(state_->connection()->status());
  state_->Return();
  return absl::OkStatus();
}

absl::StatusOr<ExecutionInfo> Array::Execution() const {
  ACCELD_RETURN_IF_ERROR(CheckUsable());
  return state_->AwaitReady();
}

bool Array::IsReady() const { return !valid() || state_->IsReady(); }

bool WeakArray::IsHeld() const {
  const std::shared_ptr<ArrayState> state = state_.lock();
  return state != nullptr && state->CheckOwned().ok();
}

Future<ExecutionInfo> WeakArray::Ready() const {
  const std::shared_ptr<ArrayState> state = state_.lock();
  if (state == nullptr) return absl::StatusOr<ExecutionInfo>(ExecutionInfo());
  // Another thread may donate the array meanwhile: BeginRead makes sure that the request is sent
  // before that.
  if (const absl::Status owned = state->BeginRead(); !owned.ok()) {
    return absl::StatusOr<ExecutionInfo>(owned);
  }
  Future<ExecutionInfo> ready = state->ReadyWithoutHold();
  state->EndRead();
  return ready;
}

Event WeakArray::FetchIntoAsync(absl::Span<char> buffer) const {
  uint64_t request;
  return Lock().StartFetchInto(buffer, /*lapses=*/true, request);
}

Event WeakArray::FetchIntoPolling(absl::Span<char> buffer) const {
  const Array held = Lock();
  return held.FetchIntoPolling(buffer, /*lapses=*/true);
}

Future<ExecutionInfo> Array::ReadyWithoutRequest() const {
  if (!valid()) return absl::StatusOr<ExecutionInfo>(EmptyArray());
  return state_->ReadyWithoutRequest();
}

absl::Status Array::Await() const { return Execution().status(); }

absl::Status Array::AwaitUntil(std::chrono::steady_clock::time_point deadline) const {
  ACCELD_RETURN_IF_ERROR(CheckUsable());
  // Holds the array until this function returns. A wait that was given up must not hold it longer.
  const Array held = *this;
  const Future<ExecutionInfo> ready = held.state_->ReadyWithoutHold();
  if (const auto* info = ready.AwaitUntil(deadline)) return info->status();
  return absl::DeadlineExceededError(
      absl::StrCat("the array ", type().ToString(), " is not computed yet"));
}

absl::Status Array::Cancel(absl::string_view reason) const {
  if (!valid()) return EmptyArray();
  return state_->connection()->Cancel({state_->handle()}, reason);
}

Future<ir::Literal> Array::FetchAsync() const {
  uint64_t request;
  return StartFetch(request);
}

Future<ir::Literal> Array::StartFetch(uint64_t& request) const {
  request = 0;
  if (!valid()) return absl::StatusOr<ir::Literal>(EmptyArray());
  if (const absl::Status read = state_->BeginRead(); !read.ok()) {
    return absl::StatusOr<ir::Literal>(read);
  }
  auto promise = std::make_shared<Promise<ir::Literal>>();
  const Future<ir::Literal> fetched = promise->future();
  auto sink = std::make_shared<ByteSink>(static_cast<size_t>(type().size_bytes()));
  request =
      state_->Fetch(sink, Connection::Lapses::kNo,
                    [promise, sink, type = type(), state = state_](const absl::Status& status) {
                      state->EndRead();
                      if (!status.ok()) return promise->Set(status);
                      promise->Set(ir::Literal::FromBytes(type, sink->TakeString()));
                    });
  return fetched;
}

absl::StatusOr<ir::Literal> Array::Fetch() const {
  uint64_t request;
  const Future<ir::Literal> fetched = StartFetch(request);
  if (!fetched.IsReady()) {
    state_->connection()->Serve({request}, [&] { return fetched.IsReady(); });
  }
  return fetched.Await();
}

absl::Status Array::FetchInto(absl::Span<char> buffer) const {
  ACCELD_RETURN_IF_ERROR(CheckUsable());
  ACCELD_RETURN_IF_ERROR(CheckSize(type(), buffer.size()));
  // Another thread may write to the buffer, but only while this call waits.
  return FetchTo(std::make_shared<ByteSink>(buffer));
}

Event Array::FetchIntoAsync(absl::Span<char> buffer) const {
  uint64_t request;
  return StartFetchInto(buffer, /*lapses=*/false, request);
}

Event Array::FetchIntoPolling(absl::Span<char> buffer) const {
  return FetchIntoPolling(buffer, /*lapses=*/false);
}

Event Array::FetchIntoPolling(absl::Span<char> buffer, bool lapses) const {
  uint64_t request;
  const Event fetched = StartFetchInto(buffer, lapses, request);
  if (!fetched.IsReady()) {
    state_->connection()->ServeBriefly({request}, [&] { return fetched.IsReady(); });
  }
  return fetched;
}

Event Array::StartFetchInto(absl::Span<char> buffer, bool lapses, uint64_t& request) const {
  request = 0;
  if (!valid()) return absl::StatusOr<Unit>(EmptyArray());
  if (const absl::Status status = CheckSize(type(), buffer.size()); !status.ok()) {
    return absl::StatusOr<Unit>(status);
  }
  return StartFetchTo(std::make_shared<ByteSink>(buffer), lapses, request);
}

Event Array::StartFetchTo(std::shared_ptr<ByteSink> sink, bool lapses, uint64_t& request) const {
  request = 0;
  if (const absl::Status status = state_->BeginRead(); !status.ok()) {
    return absl::StatusOr<Unit>(status);
  }
  auto promise = std::make_shared<Promise<Unit>>();
  const Event fetched = promise->future();
  request = state_->Fetch(
      std::move(sink), lapses ? Connection::Lapses::kYes : Connection::Lapses::kNo,
      [promise, weak = std::weak_ptr<ArrayState>(state_)](const absl::Status& status) {
        if (const auto state = weak.lock(); state != nullptr) state->EndRead();
        promise->Set(status.ok() ? absl::StatusOr<Unit>(Unit{}) : absl::StatusOr<Unit>(status));
      });
  return fetched;
}

absl::Status Array::FetchTo(std::shared_ptr<ByteSink> sink) const {
  uint64_t request;
  const Event fetched = StartFetchTo(std::move(sink), /*lapses=*/false, request);
  if (!fetched.IsReady()) {
    state_->connection()->Serve({request}, [&] { return fetched.IsReady(); });
  }
  return fetched.Await().status();
}

absl::StatusOr<SharedBytes> Array::Map() const {
  ACCELD_RETURN_IF_ERROR(CheckUsable());
  const auto sink =
      std::make_shared<ByteSink>(static_cast<size_t>(type().size_bytes()), ByteSink::MayShare());
  ACCELD_RETURN_IF_ERROR(FetchTo(sink));
  return sink->TakeShared();
}

absl::Status AwaitAll(absl::Span<const Array> arrays) {
  // The state of all arrays is requested before waiting for the first one, so that this thread can
  // receive the answers in any order.
  absl::InlinedVector<Future<ExecutionInfo>, 4> ready;
  absl::InlinedVector<std::pair<Connection*, RequestNumbers>, 1> requests;
  const auto requests_of = [&requests](const Array& array) -> RequestNumbers& {
    Connection* const connection = array.state_->connection().get();
    for (auto& [key, numbers] : requests) {
      if (key == connection) return numbers;
    }
    return requests.emplace_back(connection, RequestNumbers()).second;
  };
  for (const Array& array : arrays) {
    Future<ExecutionInfo> one = array.Ready();
    // Results of one execution share one request.
    const bool is_news = ready.empty() || one.id() != ready.back().id();
    if (is_news && !one.IsReady()) requests_of(array).push_back(array.state_->ready_request());
    ready.push_back(std::move(one));
  }
  for (auto& [connection, numbers] : requests) std::sort(numbers.begin(), numbers.end());
  absl::Status first;
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (!ready[i].IsReady()) {
      arrays[i].state_->connection()->Serve(requests_of(arrays[i]),
                                            [&] { return ready[i].IsReady(); });
    }
    if (first.ok()) first = ready[i].Await().status();
  }
  return first;
}

absl::StatusOr<size_t> AwaitAny(absl::Span<const Array> arrays,
                                std::chrono::steady_clock::time_point deadline) {
  if (arrays.empty()) return absl::InvalidArgumentError("AwaitAny of no arrays");
  struct Wake {
    Mutex mutex;
    CondVar changed;
    bool decided ABSL_GUARDED_BY(mutex) = false;
  };
  auto wake = std::make_shared<Wake>();  // Shared with callbacks that may outlive this call.
  std::vector<Future<ExecutionInfo>> ready;
  ready.reserve(arrays.size());
  for (const Array& array : arrays) ready.push_back(array.Ready());
  const auto first_ready = [&ready] {
    return std::find_if(ready.begin(), ready.end(), [](const auto& one) { return one.IsReady(); }) -
           ready.begin();
  };
  const auto count = static_cast<ptrdiff_t>(ready.size());
  if (first_ready() < count) return first_ready();
  for (const Future<ExecutionInfo>& one : ready) {
    one.OnReady([wake](const absl::StatusOr<ExecutionInfo>&) {
      MutexLock lock(wake->mutex);
      wake->decided = true;
      wake->changed.NotifyAll();
    });
  }
  {
    MutexLock lock(wake->mutex);
    const bool forever = deadline == std::chrono::steady_clock::time_point::max();
    while (!wake->decided) {
      if (forever) {
        wake->changed.Wait(wake->mutex);
      } else if (!wake->changed.WaitUntil(wake->mutex, deadline) && !wake->decided) {
        return absl::DeadlineExceededError(
            absl::StrCat("none of ", arrays.size(), " arrays is computed yet"));
      }
    }
  }
  return first_ready();
}

}  // namespace acceld::client
