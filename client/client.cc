#include "client/client.h"

#include <errno.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/find_device.h"
#include "client/state/client_state.h"
#include "client/transport/dial/attempt.h"
#include "common/api/wire.h"
#include "common/ir/wire/wire.h"
#include "common/net/addresses.h"
#include "google/protobuf/arena.h"

namespace acceld::client {
namespace {

// Arrays up to this size travel in the command.
constexpr size_t kMaxInlineBytes = size_t{64} << 10;
// Programs up to this size are sent without asking whether the daemon knows them.
constexpr size_t kMaxUnaskedBytes = size_t{4} << 10;
// A lower bound for the encoded size of an op.
constexpr size_t kMinOpBytes = 16;
constexpr std::chrono::seconds kDefaultTcpLease{30};
// How long the destructor waits for running host callbacks.
constexpr std::chrono::seconds kCallbackPatience{2};

size_t NumOps(const ir::Region& region) {
  size_t ops = region.ops.size();
  for (const ir::Op& op : region.ops) {
    for (const ir::Region& inner : op.regions) ops += NumOps(inner);
  }
  return ops;
}

size_t NumOps(const ir::Module& module) {
  size_t ops = 0;
  for (const ir::Function& function : module.functions) ops += NumOps(function.body);
  return ops;
}

void Encode(const ir::Module& module, const std::string& entry, v1::Program& program) {
  ir::ToProto(module, *program.mutable_module());
  program.set_entry(entry);
}

std::string Serialize(const ir::Module& module, const std::string& entry) {
  google::protobuf::Arena arena;
  auto* const program = google::protobuf::Arena::CreateMessage<v1::Program>(&arena);
  Encode(module, entry, *program);
  return program->SerializeAsString();
}

absl::Status CheckUpload(const ir::TensorType& type, size_t size_bytes) {
  ACCELD_RETURN_IF_ERROR(ir::ValidateType(type));
  if (!type.IsStatic()) {
    return absl::InvalidArgumentError(
        absl::StrCat("upload of ", type.ToString(), ": a value has no dynamic dimensions"));
  }
  if (size_bytes != static_cast<size_t>(type.size_bytes())) {
    return absl::InvalidArgumentError(absl::StrCat("upload of ", type.ToString(), ": ", size_bytes,
                                                   " bytes; it has ", type.size_bytes()));
  }
  return absl::OkStatus();
}

// Returns a callback that completes the promise.
Connection::OnDone SetDone(Promise<Unit> promise) {
  auto shared = std::make_shared<Promise<Unit>>(std::move(promise));
  return [shared](const absl::Status& status) {
    shared->Set(status.ok() ? absl::StatusOr<Unit>(Unit{}) : absl::StatusOr<Unit>(status));
  };
}

}  // namespace

absl::StatusOr<uint32_t> Client::Impl::Choose(Device wanted) const {
  if (!wanted.has_value()) return device;
  for (const DeviceInfo& info : devices) {
    if (info.id == *wanted) return *wanted;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("no device ", *wanted, "; the daemon has ", devices.size()));
}

absl::Status Client::Impl::CheckOwn(const Array& array, absl::string_view what) const {
  if (!array.valid()) return absl::InvalidArgumentError(absl::StrCat(what, ": an empty Array"));
  if (array.state_->connection() == connection) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, ": the array belongs to another client"));
}

absl::StatusOr<uint64_t> Client::Impl::Register(
    const std::shared_ptr<const Program::State>& program) {
  if (const absl::optional<uint64_t> known = FindRegistered(*program)) return *known;
  // No other thread finds the number before the command is appended, so that no Execute overtakes
  // it. Two threads that come here with equal programs register both, which the daemon keeps once.
  const uint64_t id = connection->NextId();
  v1::RegisterProgram command;
  command.set_program_id(id);
  // Even encoding a large program takes long, and the daemon seldom needs its bytes.
  bool is_large = NumOps(program->module) * kMinOpBytes > kMaxUnaskedBytes;
  if (!is_large) {
    Encode(program->module, program->entry, *command.mutable_program());
    is_large = command.program().ByteSizeLong() > kMaxUnaskedBytes;
  }
  if (is_large) {
    ACCELD_RETURN_IF_ERROR(connection->Announce(id, program->fingerprint, [program] {
      return Serialize(program->module, program->entry);
    }));
  } else {
    ACCELD_RETURN_IF_ERROR(connection->Register(std::move(command)));
  }
  {
    MutexLock lock(mutex);
    programs.emplace(program->fingerprint, KnownProgram{id, program->source_locations.get()});
  }
  source_locations->Add(program->fingerprint, program->source_locations);
  return id;
}

absl::optional<uint64_t> Client::Impl::FindRegistered(const Program::State& program) {
  absl::optional<uint64_t> id;
  bool was_made_elsewhere = false;
  {
    MutexLock lock(mutex);
    const auto found = programs.find(program.fingerprint);
    if (found == programs.end()) return absl::nullopt;
    KnownProgram& known = found->second;
    id = known.id;
    was_made_elsewhere = std::exchange(known.source_locations, program.source_locations.get()) !=
                         program.source_locations.get();
  }
  if (was_made_elsewhere) source_locations->Add(program.fingerprint, program.source_locations);
  return id;
}

Array Client::Impl::NewArray(ir::TensorType type, uint32_t device,
                             std::shared_ptr<Readiness> readiness) const {
  return Array(std::make_shared<ArrayState>(connection, connection->NextId(), std::move(type),
                                            device, std::move(readiness)));
}

absl::StatusOr<std::shared_ptr<Client>> Client::Connect(ConnectOptions options) {
  ACCELD_ASSIGN_OR_RETURN(
      const std::vector<Address> addresses,
      ParseAddresses(options.address.empty() ? DefaultClientAddress() : options.address));
  if (options.client_name.empty()) {
    options.client_name = absl::StrCat(program_invocation_short_name, "[", getpid(), "]");
  }
  ACCELD_ASSIGN_OR_RETURN(Secrets secrets, ReadSecrets(std::move(options.credentials), addresses));
  const std::string wanted = WantedDevice(std::move(options.device));
  Connection::Options transport{
      .secrets = std::move(secrets),
      .client_name = std::move(options.client_name),
      .priority = options.priority,
      .device_kind = NamesNoDevice(wanted) ? absl::optional<std::string>(wanted) : absl::nullopt,
      .max_fetch_bytes = options.max_fetch_bytes,
      .local_transport = options.local_transport};
  auto impl = std::make_unique<Impl>();
  impl->source_locations = std::make_shared<ProgramLocations>();
  transport.locate = [source_locations = impl->source_locations](const absl::Status& status) {
    return source_locations->Locate(status);
  };
  const auto open = [&](const Attempt& attempt) -> absl::Status {
    // A HostCallbackRunner ends with the session of its attempt, so each attempt needs a new one.
    transport.host_calls = impl->callbacks = std::make_shared<HostCallbackRunner>();
    transport.attempt = attempt;
    transport.lease = options.lease.value_or(
        attempt.address.is_unix() ? std::chrono::milliseconds(0) : kDefaultTcpLease);
    ACCELD_ASSIGN_OR_RETURN(impl->connection, Connection::Open(transport));
    return absl::OkStatus();
  };
  ACCELD_RETURN_IF_ERROR(TryEach(addresses,
                                 {.timeout = options.connect_timeout,
                                  .wait_for_daemon = options.wait_for_daemon,
                                  .round_robin = true},
                                 open));
  impl->callbacks->Attach(impl->connection);
  for (const v1::DeviceInfo& device : impl->connection->welcome().devices()) {
    impl->devices.push_back(FromProto(device));
  }
  const std::shared_ptr<Client> client(new Client(std::move(impl)));
  if (NamesNoDevice(wanted)) {
    client->impl_->device = client->impl_->connection->welcome().device();
  } else {
    ACCELD_ASSIGN_OR_RETURN(client->impl_->device, FindDevice(client->devices(), wanted));
  }
  return client;
}

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::~Client() {
  impl_->connection->Close(absl::UnavailableError("the client was closed"));
  (void)impl_->callbacks->AwaitIdle(std::chrono::steady_clock::now() + kCallbackPatience);
}

const std::vector<DeviceInfo>& Client::devices() const { return impl_->devices; }
uint32_t Client::device() const { return impl_->device; }
const std::string& Client::daemon_version() const {
  return impl_->connection->welcome().daemon_version();
}
const std::string& Client::address() const { return impl_->connection->address(); }
absl::Status Client::status() const { return impl_->connection->status(); }

absl::StatusOr<Client::ResultTypes> Client::ResultTypesOf(const Program& program,
                                                          absl::Span<const Array> arguments) {
  if (program.state_->has_static_results) {
    ACCELD_RETURN_IF_ERROR(program.CheckNumArguments(arguments.size()));
    for (size_t i = 0; i < arguments.size(); ++i) {
      ACCELD_RETURN_IF_ERROR(program.CheckArgument(i, arguments[i].type()));
    }
    return ResultTypes(program.state_, &program.state_->result_types);
  }
  std::vector<ir::TensorType> types;
  for (const Array& argument : arguments) types.push_back(argument.type());
  ACCELD_ASSIGN_OR_RETURN(std::vector<ir::TensorType> results, program.ResultTypesFor(types));
  return std::make_shared<const std::vector<ir::TensorType>>(std::move(results));
}

absl::StatusOr<std::vector<Array>> Client::Execute(const Program& program,
                                                   absl::Span<const Array> arguments, Device wanted,
                                                   const ExecuteOptions& options) {
  ACCELD_ASSIGN_OR_RETURN(const uint32_t device, impl_->Choose(wanted));
  if (const int64_t processes = program.module().grid.size(); processes != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", program.entry(), "' is a program of ", processes,
                     " processes, each on a device of its own; ExecuteSharded runs it"));
  }
  absl::InlinedVector<uint64_t, 8> inputs, outputs;
  inputs.reserve(arguments.size());
  for (const Array& argument : arguments) {
    if (!argument.valid() || argument.state_->connection() != impl_->connection) {
      return impl_->CheckOwn(argument,
                             absl::StrCat("'", program.entry(), "': argument ", inputs.size()));
    }
    inputs.push_back(argument.state_->handle());
  }
  for (const int64_t callback : program.host_callbacks()) {
    if (options.callbacks.Find(callback) != nullptr) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("'", program.entry(), "': it calls host callback ", callback,
                     " while it runs, which ExecuteOptions::callbacks has not"));
  }
  ACCELD_ASSIGN_OR_RETURN(const ResultTypes result_types, ResultTypesOf(program, arguments));
  ACCELD_ASSIGN_OR_RETURN(const std::vector<uint32_t> donated,
                          impl_->DonatedArguments(program, arguments, options));
  ACCELD_ASSIGN_OR_RETURN(const uint64_t program_id, impl_->Register(program.state_));
  std::vector<Array> results;
  results.reserve(result_types->size());
  outputs.reserve(result_types->size());
  const auto readiness = std::make_shared<Readiness>();
  for (const ir::TensorType& type : *result_types) {
    results.push_back(impl_->NewArray(type, device, readiness));
    outputs.push_back(results.back().state_->handle());
  }
  Donations donations(std::make_shared<const std::string>(NameOf(program)));
  std::vector<uint32_t> given;
  for (const uint32_t number : donated) {
    ACCELD_ASSIGN_OR_RETURN(const bool is_given, donations.Add(*arguments[number].state_));
    if (is_given) given.push_back(number);
  }
  uint64_t callbacks = 0;
  if (!program.host_callbacks().empty()) {
    callbacks = impl_->connection->NextId();
    impl_->callbacks->Add(callbacks, options.callbacks, options.on_end);
  }
  const absl::Status appended = impl_->connection->AppendExecute(
      program_id, inputs, outputs, device, TimeoutMs(options), given, callbacks, options.priority);
  if (!appended.ok()) {
    if (callbacks != 0) impl_->callbacks->Remove(callbacks);
    return appended;
  }
  donations.Keep();
  return results;
}

absl::StatusOr<std::vector<uint32_t>> Client::Impl::DonatedArguments(
    const Program& program, absl::Span<const Array> arguments,
    const ExecuteOptions& options) const {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (const absl::Status owned = arguments[i].state_->CheckOwned(); !owned.ok()) {
      return Annotate(owned, absl::StrCat("'", program.entry(), "': argument ", i));
    }
  }
  std::vector<uint32_t> donated = options.donated;
  for (uint32_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].donates_) donated.push_back(i);
  }
  if (donated.empty()) return donated;
  std::sort(donated.begin(), donated.end());
  donated.erase(std::unique(donated.begin(), donated.end()), donated.end());
  const auto wrong = [&](uint32_t number, absl::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", program.entry(), "': argument ", number, " is donated ", what));
  };
  if (donated.back() >= arguments.size()) {
    return wrong(donated.back(), absl::StrCat("and there are ", arguments.size()));
  }
  absl::flat_hash_map<const ArrayState*, int> uses;
  for (const Array& argument : arguments) ++uses[argument.state_.get()];
  for (const uint32_t number : donated) {
    if (uses[arguments[number].state_.get()] > 1) return wrong(number, "and another argument, too");
  }
  return donated;
}

absl::StatusOr<v1::Compile> Client::Impl::CompileCommand(const Program& program,
                                                         absl::Span<const ir::TensorType> arguments,
                                                         Device wanted,
                                                         const std::string& architecture) {
  v1::Compile command;
  ACCELD_ASSIGN_OR_RETURN(const uint32_t device, Choose(wanted));
  const bool has_shards = program.module().grid.size() > 1;  // whose types the daemon finds
  if (!has_shards || !arguments.empty()) {
    ACCELD_RETURN_IF_ERROR(program.CheckArguments(arguments));
  }
  ACCELD_ASSIGN_OR_RETURN(const uint64_t program_id, Register(program.state_));
  command.set_program_id(program_id);
  if (!has_shards) {
    for (const ir::TensorType& type : arguments) *command.add_arguments() = ir::ToProto(type);
  }
  command.set_device(device);
  command.set_target(architecture);
  for (const uint32_t donated : program.DonatedArguments()) command.add_donated(donated);
  return command;
}

Future<CompileInfo> Client::Impl::Compile(absl::StatusOr<v1::Compile> command) {
  if (!command.ok()) return absl::StatusOr<CompileInfo>(command.status());
  auto promise = std::make_shared<Promise<CompileInfo>>();
  const Future<CompileInfo> compiled = promise->future();
  connection->Compile(*std::move(command), [promise](absl::StatusOr<Connection::Compiled> done) {
    promise->Set(done.ok() ? absl::StatusOr<CompileInfo>(std::move(done->info)) : done.status());
  });
  return compiled;
}

Future<CompileInfo> Client::Compile(const Program& program, std::vector<ir::TensorType> arguments,
                                    Device device) {
  return impl_->Compile(impl_->CompileCommand(program, arguments, device, ""));
}

Future<CompileInfo> Client::CompileFor(const std::string& architecture, const Program& program,
                                       std::vector<ir::TensorType> arguments) {
  return impl_->Compile(impl_->CompileCommand(program, arguments, {}, architecture));
}

Future<CacheExplanation> Client::Explain(const Program& program,
                                         std::vector<ir::TensorType> arguments, Device device,
                                         const std::string& architecture) {
  absl::StatusOr<v1::Compile> command =
      impl_->CompileCommand(program, arguments, device, architecture);
  if (!command.ok()) return absl::StatusOr<CacheExplanation>(command.status());
  auto promise = std::make_shared<Promise<CacheExplanation>>();
  const Future<CacheExplanation> explained = promise->future();
  impl_->connection->Explain(*std::move(command), [promise](absl::StatusOr<CacheExplanation> why) {
    promise->Set(std::move(why));
  });
  return explained;
}

absl::StatusOr<Array> Client::Upload(const ir::Literal& value, Device wanted,
                                     UploadOptions options) {
  if (!value.is_splat() && value.bytes().size() > kMaxInlineBytes) {
    auto keep = std::make_shared<const ir::Literal>(value);  // Shares the bytes.
    const absl::string_view bytes = keep->bytes();
    return UploadShared(value.type(), bytes, [keep = std::move(keep)] {}, wanted, options);
  }
  ACCELD_ASSIGN_OR_RETURN(const uint32_t device, impl_->Choose(wanted));
  Array array = impl_->NewArray(value.type(), device);
  v1::Command command;
  command.mutable_put()->set_handle(array.state_->handle());
  *command.mutable_put()->mutable_literal() = ir::ToProto(value);
  command.mutable_put()->set_device(device);
  ACCELD_RETURN_IF_ERROR(impl_->connection->Append(std::move(command)));
  return array;
}

absl::StatusOr<Array> Client::Upload(ir::TensorType type, absl::string_view bytes, Device device,
                                     UploadOptions options) {
  ACCELD_RETURN_IF_ERROR(CheckUpload(type, bytes.size()));
  if (bytes.size() <= kMaxInlineBytes) {
    ACCELD_ASSIGN_OR_RETURN(const ir::Literal value,
                            ir::Literal::FromBytes(std::move(type), std::string(bytes)));
    return Upload(value, device);
  }
  auto copy = std::make_shared<const std::string>(bytes);
  const absl::string_view view = *copy;
  return UploadShared(std::move(type), view, [copy = std::move(copy)] {}, device, options);
}

absl::StatusOr<Array> Client::UploadShared(ir::TensorType type, absl::string_view bytes,
                                           std::function<void()> release, Device device,
                                           UploadOptions options) {
  return UploadSourceShared(std::move(type), UploadSource{bytes}, std::move(release), device,
                            options);
}

absl::StatusOr<Array> Client::UploadShared(ir::TensorType type, const HostBuffer& buffer,
                                           size_t offset_bytes, std::function<void()> release,
                                           Device device, UploadOptions options) {
  const auto size_bytes = static_cast<size_t>(type.size_bytes());
  if (offset_bytes > buffer.size_bytes() || size_bytes > buffer.size_bytes() - offset_bytes) {
    release();
    return absl::InvalidArgumentError(
        absl::StrCat(type.ToString(), " has ", size_bytes, " bytes, which do not lie at offset ",
                     offset_bytes, " of a HostBuffer of ", buffer.size_bytes(), " bytes"));
  }
  return UploadSourceShared(
      std::move(type),
      UploadSource{buffer.bytes().substr(offset_bytes, size_bytes), &buffer.segment()},
      std::move(release), device, options);
}

absl::StatusOr<Array> Client::UploadSourceShared(ir::TensorType type, const UploadSource& source,
                                                 std::function<void()> release, Device wanted,
                                                 UploadOptions options) {
  const absl::string_view bytes = source.bytes;
  absl::Status status = CheckUpload(type, bytes.size());
  const absl::StatusOr<uint32_t> device = impl_->Choose(wanted);
  if (status.ok()) status = device.status();
  if (!status.ok()) {
    release();
    return status;
  }
  if (bytes.size() <= kMaxInlineBytes) {
    absl::StatusOr<Array> array = Upload(std::move(type), bytes, *device);
    release();
    return array;
  }
  v1::BeginUpload begin;
  *begin.mutable_type() = ir::ToProto(type);
  Array array = impl_->NewArray(std::move(type), *device);
  begin.set_handle(array.state_->handle());
  begin.set_device(*device);
  ACCELD_RETURN_IF_ERROR(
      impl_->connection->Upload(std::move(begin), source, options.deduplicate, std::move(release)));
  return array;
}

absl::Status Client::Cancel(absl::Span<const Array> arrays, absl::string_view reason) {
  std::vector<uint64_t> handles;
  handles.reserve(arrays.size());
  for (const Array& array : arrays) {
    ACCELD_RETURN_IF_ERROR(impl_->CheckOwn(array, "cancel"));
    handles.push_back(array.state_->handle());
  }
  return impl_->connection->Cancel(handles, reason);
}

absl::Status Client::Publish(const Array& array, const std::string& name, PublishOptions options) {
  ACCELD_RETURN_IF_ERROR(impl_->CheckOwn(array, absl::StrCat("publish '", name, "'")));
  ACCELD_RETURN_IF_ERROR(array.Await());
  v1::Publish command;
  command.set_handle(array.state_->handle());
  command.set_name(name);
  command.set_for_everyone(options.for_everyone);
  command.set_replace(options.replace);
  Promise<Unit> promise;
  const Event done = promise.future();
  impl_->connection->Publish(std::move(command), SetDone(std::move(promise)));
  return done.Await().status();
}

absl::StatusOr<Array> Client::Open(const std::string& name) {
  v1::OpenNamed command;
  const uint64_t handle = impl_->connection->NextId();
  command.set_handle(handle);
  command.set_name(name);
  auto promise = std::make_shared<Promise<Connection::Opened>>();
  const Future<Connection::Opened> opened = promise->future();
  impl_->connection->OpenNamed(
      std::move(command),
      [promise](absl::StatusOr<Connection::Opened> array) { promise->Set(std::move(array)); });
  const absl::StatusOr<Connection::Opened>& array = opened.Await();
  ACCELD_RETURN_IF_ERROR(array.status());
  ACCELD_ASSIGN_OR_RETURN(ir::TensorType type, ir::FromProto(array->type));
  return Array(std::make_shared<ArrayState>(impl_->connection, handle, std::move(type),
                                            array->device, std::make_shared<Readiness>()));
}

absl::Status Client::DropName(const std::string& name) {
  Promise<Unit> promise;
  const Event done = promise.future();
  impl_->connection->DropName(name, SetDone(std::move(promise)));
  return done.Await().status();
}

absl::StatusOr<std::vector<TraceSpan>> Client::Trace(std::chrono::steady_clock::time_point since) {
  return impl_->connection->Trace(since);
}

}  // namespace acceld::client
