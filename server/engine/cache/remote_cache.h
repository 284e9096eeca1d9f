#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace acceld::engine {

// The cache that the daemons of a team share, as it is configured. Files are read when the engine
// is created.
struct RemoteCacheOptions {
  std::string url;            // cache::redis::ParseUrl; empty: none
  std::string password_file;  // empty: what the URL says
  std::string key_file;       // cache::LoadTeamKeys
  // Of a rediss:// URL, in PEM: whom to trust (empty: whom the system does), and what to show.
  std::string ca_file, certificate_file, private_key_file;
  std::string salt = "1";
  bool read_only = false;
  bool quarantine = false;
  std::chrono::milliseconds timeout{1'000};                    // of one command
  std::chrono::milliseconds lease{10'000};                     // see cache::RemoteTier
  std::chrono::milliseconds max_wait{60'000};                  // for another daemon's compile
  std::chrono::milliseconds ttl{std::chrono::hours(24) * 30};  // of entries, since their last use
  int64_t max_upload_bytes = int64_t{256} << 20;               // that wait to be sent
};

}  // namespace acceld::engine
