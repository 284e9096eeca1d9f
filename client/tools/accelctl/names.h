#pragma once

#include <string>

#include "client/client.h"
#include "common/status.h"

namespace acceld::tools {

// Options of the commands of `accelctl names`.
struct NameFlags {
  std::string name;
  std::string value;  // The value to publish, in the form of `run --arg`.
  std::string file;   // The file to which the value is fetched.
  client::PublishOptions options;
};

// Uploads a value and publishes it under a name.
absl::Status PublishName(client::Client& client, const NameFlags& flags);
// Writes the value of a named array to a .npy file.
absl::Status FetchName(client::Client& client, const NameFlags& flags);
// Forgets a name.
absl::Status DropName(client::Client& client, const NameFlags& flags);

}  // namespace acceld::tools
