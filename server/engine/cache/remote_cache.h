#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace acceld::engine {

// The configuration of the remote cache, which the daemons of a team share. The files are read when
// the engine is created.
struct RemoteCacheOptions {
  std::string url;            // see cache::redis::ParseUrl; empty: no remote cache
  std::string password_file;  // empty: the password in the URL, if any, is used
  std::string key_file;       // see cache::LoadTeamKeys
  // PEM files for a rediss:// URL: the trusted authorities (empty: those that the system trusts)
  // and the client's certificate with its key.
  std::string ca_file, certificate_file, private_key_file;
  // See cache::EntryStore::Options.
  std::string salt = "1";
  bool read_only = false;
  bool quarantine = false;
  std::chrono::milliseconds timeout{1'000};                    // of one command
  std::chrono::milliseconds lease{10'000};                     // see cache::RemoteTier
  std::chrono::milliseconds max_wait{60'000};                  // for another daemon's compile
  std::chrono::milliseconds ttl{std::chrono::hours(24) * 30};  // of entries, since their last use
  int64_t max_upload_bytes = int64_t{256} << 20;               // see cache::RemoteTier
};

}  // namespace acceld::engine
