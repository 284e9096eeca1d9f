#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "client/client.h"
#include "client/host_callback_runner.h"
#include "client/program_locations.h"
#include "client/state/array_state.h"
#include "client/state/program_state.h"
#include "client/transport/connection.h"
#include "common/threads/mutex.h"

// The state of a Client, and what its functions have in common.
namespace acceld::client {

// Returns the timeout as the protocol encodes it.
inline absl::optional<uint32_t> TimeoutMs(const ExecuteOptions& options) {
  if (!options.timeout.has_value()) return absl::nullopt;
  return static_cast<uint32_t>(std::clamp<int64_t>(options.timeout->count(), 0, UINT32_MAX));
}

// Returns the program's name, as the daemon also uses it in messages.
inline const std::string& NameOf(const Program& program) {
  return program.module().name.empty() ? program.entry() : program.module().name;
}

// Marks arrays as donated. The destructor undoes that, unless Keep was called because the execution
// was submitted.
class Donations {
 public:
  explicit Donations(std::shared_ptr<const std::string> program) : program_(std::move(program)) {}
  ~Donations() {
    for (ArrayState* const array : arrays_) array->Return();
  }
  Donations(const Donations&) = delete;
  Donations& operator=(const Donations&) = delete;

  // Marks the array. Returns whether the command to the daemon may say so (ArrayState::Donate).
  absl::StatusOr<bool> Add(ArrayState& array) {
    ACCELD_ASSIGN_OR_RETURN(const bool is_given, array.Donate(program_));
    arrays_.push_back(&array);
    return is_given;
  }
  void Keep() { arrays_.clear(); }

 private:
  const std::shared_ptr<const std::string> program_;  // The program's name, for messages.
  std::vector<ArrayState*> arrays_;                   // Kept alive by the caller.
};

struct Client::Impl {
  std::shared_ptr<HostCallbackRunner> callbacks;       // Shared with the connection.
  std::shared_ptr<ProgramLocations> source_locations;  // Shared with the connection.
  std::shared_ptr<Connection> connection;  // Shared with the arrays, which may outlive the client.
  std::vector<DeviceInfo> devices;
  uint32_t device = 0;  // The session's device.
  Mutex mutex;
  struct KnownProgram {
    uint64_t id;
    // The locations last passed to ProgramLocations for this program; only compared, never
    // dereferenced.
    const ir::OpLocations* source_locations;
  };
  // The programs that the daemon has, by fingerprint.
  absl::flat_hash_map<Digest, KnownProgram> programs ABSL_GUARDED_BY(mutex);

  // Returns the device that `wanted` selects. INVALID_ARGUMENT if the daemon does not have it.
  absl::StatusOr<uint32_t> Choose(Device wanted) const;
  // INVALID_ARGUMENT, with `what` as context, if the array is empty or belongs to another client.
  absl::Status CheckOwn(const Array& array, absl::string_view what) const;
  // What the daemon said of programs for several processes, by fingerprint.
  absl::flat_hash_map<Digest, std::shared_ptr<const ProgramSharding>> shardings
      ABSL_GUARDED_BY(mutex);

  // Returns the numbers of the arguments to donate, ascending. Errors: those of Execute about
  // donation, including arguments that were donated before.
  absl::StatusOr<std::vector<uint32_t>> DonatedArguments(const Program& program,
                                                         absl::Span<const Array> arguments,
                                                         const ExecuteOptions& options) const;
  // Returns the program's number; sends the program at its first use.
  absl::StatusOr<uint64_t> Register(const std::shared_ptr<const Program::State>& program);
  // The number of an equal program that was sent before; nullopt: none was.
  absl::optional<uint64_t> FindRegistered(const Program::State& program);
  Array NewArray(ir::TensorType type, uint32_t device,
                 std::shared_ptr<Readiness> readiness = std::make_shared<Readiness>()) const;
  absl::StatusOr<v1::Compile> CompileCommand(const Program& program,
                                             absl::Span<const ir::TensorType> arguments,
                                             Device wanted, const std::string& architecture);
  Future<CompileInfo> Compile(absl::StatusOr<v1::Compile> command);
};

}  // namespace acceld::client
