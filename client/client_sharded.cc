#include <utility>

#include "absl/strings/str_cat.h"
#include "client/state/client_state.h"
#include "common/api/wire.h"

// Programs for several devices.
namespace acceld::client {
namespace {

absl::Status CheckCounts(const Program& program, size_t participants, size_t devices) {
  const int64_t processes = program.module().grid.size();
  const auto refuse = [&](absl::string_view what, size_t count) {
    return absl::InvalidArgumentError(absl::StrCat("'", program.entry(), "': ", count, " ", what,
                                                   " for a program of ", processes, " processes"));
  };
  if (processes == 1 || static_cast<int64_t>(devices) != processes) {
    return refuse("devices", devices);
  }
  return participants == devices ? absl::OkStatus() : refuse("participants", participants);
}

absl::Status CheckTypes(const Program& program, size_t participant,
                        const std::vector<Array>& arguments, const ProgramSharding& sharding) {
  const auto refuse = [&](const auto&... what) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", program.entry(), "', participant ", participant, ": ", what...));
  };
  if (arguments.size() != sharding.arguments.size()) {
    return refuse("it takes ", sharding.arguments.size(), " arguments and was given ",
                  arguments.size());
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].type() == sharding.arguments[i]) continue;
    return refuse("argument ", i, " is ", arguments[i].type().ToString(), "; expected ",
                  sharding.arguments[i].ToString(), ", its shard");
  }
  return absl::OkStatus();
}

absl::Status CheckHasShards(const Program& program) {
  if (program.module().grid.size() > 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("'", program.entry(), "' is a program of one process, without shards"));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const ProgramSharding>> Client::ShardingOf(const Program& program,
                                                                          Device device) {
  ACCELD_RETURN_IF_ERROR(CheckHasShards(program));
  {
    const MutexLock lock(impl_->mutex);
    const auto known = impl_->shardings.find(program.fingerprint());
    if (known != impl_->shardings.end()) return known->second;
  }
  ACCELD_ASSIGN_OR_RETURN(v1::Compile command,
                          impl_->CompileCommand(program, {}, device, /*architecture=*/""));
  Promise<std::shared_ptr<const ProgramSharding>> promise;
  const Future<std::shared_ptr<const ProgramSharding>> answered = promise.future();
  auto shared =
      std::make_shared<Promise<std::shared_ptr<const ProgramSharding>>>(std::move(promise));
  impl_->connection->Compile(std::move(command),
                             [shared](absl::StatusOr<Connection::Compiled> done) {
                               if (!done.ok()) return shared->Set(done.status());
                               shared->Set(std::move(done->signature));
                             });
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<const ProgramSharding> sharding, answered.Await());
  if (sharding == nullptr) {
    return absl::UnimplementedError("the daemon does not run programs over several devices");
  }
  const MutexLock lock(impl_->mutex);
  impl_->shardings.emplace(program.fingerprint(), sharding);
  return sharding;
}

absl::StatusOr<PartitionedProgram> Client::Partition(const Program& program) {
  ACCELD_RETURN_IF_ERROR(CheckHasShards(program));
  ACCELD_ASSIGN_OR_RETURN(v1::Compile command,
                          impl_->CompileCommand(program, {}, /*wanted=*/{}, /*architecture=*/""));
  const auto promise = std::make_shared<Promise<Connection::Partitioned>>();
  const Future<Connection::Partitioned> answered = promise->future();
  impl_->connection->Partition(std::move(command),
                               [promise](absl::StatusOr<Connection::Partitioned> partitioned) {
                                 promise->Set(std::move(partitioned));
                               });
  ACCELD_ASSIGN_OR_RETURN(Connection::Partitioned partitioned, answered.Await());
  if (partitioned.program == nullptr || partitioned.signature == nullptr) {
    return absl::UnimplementedError(
        "the daemon is of an earlier version, which does not say what one process runs");
  }
  return PartitionedProgram{std::move(partitioned.signature), std::move(partitioned.program)};
}

absl::StatusOr<std::vector<std::vector<Array>>> Client::ExecuteSharded(
    const Program& program, absl::Span<const std::vector<Array>> arguments,
    absl::Span<const uint32_t> devices, const ExecuteOptions& options) {
  ACCELD_RETURN_IF_ERROR(CheckCounts(program, arguments.size(), devices.size()));
  for (const uint32_t device : devices) ACCELD_RETURN_IF_ERROR(impl_->Choose(device).status());
  for (const int64_t callback : program.host_callbacks()) {
    if (options.callbacks.Find(callback) != nullptr) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("'", program.entry(), "': it calls host callback ", callback,
                     " while it runs, which ExecuteOptions::callbacks has not"));
  }
  v1::ExecuteSharded command;
  for (size_t p = 0; p < arguments.size(); ++p) {
    for (const Array& argument : arguments[p]) {
      ACCELD_RETURN_IF_ERROR(impl_->CheckOwn(
          argument, absl::StrCat("'", program.entry(), "', participant ", p, ": an argument")));
      command.add_inputs(argument.state_->handle());
    }
  }
  ACCELD_ASSIGN_OR_RETURN(const std::shared_ptr<const ProgramSharding> sharding,
                          ShardingOf(program, devices[0]));
  std::vector<uint32_t> donated;
  for (size_t p = 0; p < arguments.size(); ++p) {
    ACCELD_RETURN_IF_ERROR(CheckTypes(program, p, arguments[p], *sharding));
    ACCELD_ASSIGN_OR_RETURN(std::vector<uint32_t> own,
                            impl_->DonatedArguments(program, arguments[p], options));
    if (p == 0) {
      donated = std::move(own);
    } else {
      std::erase_if(donated, [&](uint32_t number) {
        return std::find(own.begin(), own.end(), number) == own.end();
      });
    }
  }
  ACCELD_ASSIGN_OR_RETURN(const uint64_t program_id, impl_->Register(program.state_));
  command.set_program_id(program_id);
  command.mutable_devices()->Add(devices.begin(), devices.end());
  std::vector<std::vector<Array>> results(devices.size());
  for (size_t p = 0; p < devices.size(); ++p) {
    const auto readiness = std::make_shared<Readiness>();
    for (const ir::TensorType& type : sharding->results) {
      results[p].push_back(impl_->NewArray(type, devices[p], readiness));
      command.add_outputs(results[p].back().state_->handle());
    }
  }
  Donations donations(std::make_shared<const std::string>(NameOf(program)));
  for (const uint32_t number : donated) {
    bool are_given = true;
    for (const std::vector<Array>& of_participant : arguments) {
      ACCELD_ASSIGN_OR_RETURN(const bool is_given, donations.Add(*of_participant[number].state_));
      are_given = are_given && is_given;
    }
    if (are_given) command.add_donated(number);
  }
  uint64_t callbacks = 0;
  if (!program.host_callbacks().empty()) {
    callbacks = impl_->connection->NextId();
    impl_->callbacks->Add(callbacks, options.callbacks, options.on_end);
    command.set_callbacks(callbacks);
  }
  if (const absl::optional<uint32_t> timeout = TimeoutMs(options)) command.set_timeout_ms(*timeout);
  if (options.priority.has_value()) command.set_priority(ToProto(*options.priority));
  if (const absl::Status appended = impl_->connection->AppendExecuteSharded(std::move(command));
      !appended.ok()) {
    if (callbacks != 0) impl_->callbacks->Remove(callbacks);
    return appended;
  }
  donations.Keep();
  return results;
}

}  // namespace acceld::client
