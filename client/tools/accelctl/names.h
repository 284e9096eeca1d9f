#pragma once

#include <string>

#include "client/client.h"
#include "common/status.h"

namespace acceld::tools {

struct NameFlags {
  std::string name;
  std::string value;  // to publish: as `run --arg` takes it
  std::string file;   // to fetch into
  client::PublishOptions options;
};

// Uploads a value and names it.
absl::Status PublishName(client::Client& client, const NameFlags& flags);
// Writes the value of a named array as .npy.
absl::Status FetchName(client::Client& client, const NameFlags& flags);
absl::Status DropName(client::Client& client, const NameFlags& flags);

}  // namespace acceld::tools
