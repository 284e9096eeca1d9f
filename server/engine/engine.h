#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "common/crypto/digest.h"
#include "common/ir/module.h"
#include "common/memory/allowance.h"
#include "common/status.h"
#include "server/engine/cache/cache_admin.h"
#include "server/engine/introspection.h"
#include "server/engine/options.h"
#include "server/engine/session/session.h"

// The daemon without its transport: sessions, handles, programs, dispatch. The RPC layer is a thin
// adapter over Engine and Session, and so are most tests.
//
// All methods may be called from any thread. None blocks or waits for a device unless its comment
// says so. Callbacks must not block. They run without any lock of the engine, on a thread of the
// engine or, when the answer is known at once, on the caller's.
namespace acceld::engine {

// Owns the devices, the cache and the programs, and opens sessions on them. Outlives its sessions.
class Engine : public Introspection, public CacheAdmin {
 public:
  // An engine with this machine's devices and the real compiler. Blocks while it opens devices and
  // reads the index of the cache folder.
  static absl::StatusOr<std::unique_ptr<Engine>> Create(const EngineOptions& options);
  virtual ~Engine() = default;

  // RESOURCE_EXHAUSTED when too many sessions are open, of all or of the identity; INVALID_ARGUMENT
  // when there is no device of the wanted kind; the device's error when all of them are lost;
  // UNAVAILABLE during Shutdown.
  virtual absl::StatusOr<std::shared_ptr<Session>> OpenSession(SessionOptions options) = 0;
  // Keeps a program for sessions that know its fingerprint, which is returned. When all programs
  // together have more than EngineOptions::program_bytes, the least recently used are dropped;
  // `size_bytes` is the size that the program had on the wire. INVALID_ARGUMENT for a bad program,
  // NOT_FOUND when it has no function `entry`. Walks the whole program.
  virtual absl::StatusOr<Digest> AddProgram(ir::Module module, std::string entry,
                                            int64_t size_bytes) = 0;

  // What `identity` may still take of a quota of bytes or counts, and of the pool that all
  // identities share, if the quota has one. For what is taken outside of a session, too.
  virtual std::shared_ptr<Allowance> AllowanceOf(const Identity& identity, QuotaId quota) = 0;
  // Replaces the quotas. They hold for requests from now on; nothing that is in use is taken away.
  virtual void SetQuotas(Quotas quotas) = 0;
  // Closes the open session with this number (Session::Close). If the session has ended already but
  // its executions still run on a device, tells these to end. NOT_FOUND when there is neither.
  virtual absl::Status CloseSession(uint64_t id, absl::string_view reason) = 0;

  // Refuses new sessions, waits until all work in flight is done or `grace` is over, and cancels
  // what is left. Blocks.
  virtual void Shutdown(std::chrono::milliseconds grace) = 0;
};

}  // namespace acceld::engine
