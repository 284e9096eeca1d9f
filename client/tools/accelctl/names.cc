#include "client/tools/accelctl/names.h"

#include <iostream>

#include "client/npy.h"
#include "client/tools/accelctl/argument.h"

namespace acceld::tools {

absl::Status PublishName(client::Client& client, const NameFlags& flags) {
  ACCELD_ASSIGN_OR_RETURN(const ir::Literal value, ParseArgument(flags.value, 0));
  ACCELD_ASSIGN_OR_RETURN(const client::Array array, client.Upload(value));
  ACCELD_RETURN_IF_ERROR(array.Await());
  ACCELD_RETURN_IF_ERROR(client.Publish(array, flags.name, flags.options));
  std::cout << flags.name << ": " << array.type().ToString() << "\n";
  return absl::OkStatus();
}

absl::Status FetchName(client::Client& client, const NameFlags& flags) {
  ACCELD_ASSIGN_OR_RETURN(const client::Array array, client.Open(flags.name));
  ACCELD_ASSIGN_OR_RETURN(const ir::Literal value, array.Fetch());
  ACCELD_RETURN_IF_ERROR(client::WriteNpy(flags.file, value));
  std::cout << flags.name << ": " << value.type().ToString() << " written to " << flags.file
            << "\n";
  return absl::OkStatus();
}

absl::Status DropName(client::Client& client, const NameFlags& flags) {
  ACCELD_RETURN_IF_ERROR(client.DropName(flags.name));
  std::cout << flags.name << ": dropped\n";
  return absl::OkStatus();
}

}  // namespace acceld::tools
