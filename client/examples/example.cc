#include "client/examples/example.h"

#include <iostream>

namespace acceld::examples {

int RunExample(CLI::App& app, int argc, char** argv,
               const std::function<absl::Status(const std::shared_ptr<client::Client>&)>& run) {
  std::string address;
  app.add_option("--address", address,
                 "the daemon or daemons, as accelctl has it (default: the usual socket)");
  CLI11_PARSE(app, argc, argv);
  const absl::StatusOr<std::shared_ptr<client::Client>> client =
      client::Client::Connect({.address = address});
  const absl::Status status = client.ok() ? run(*client) : client.status();
  if (status.ok()) return 0;
  std::cerr << app.get_name() << ": " << status.message() << "\n";
  return 1;
}

absl::StatusOr<float> FetchScalar(const client::Array& array) {
  ACCELD_ASSIGN_OR_RETURN(const ir::Literal value, array.Fetch());
  return static_cast<float>(ir::ReadFloat(ir::DType::kF32, value.DenseBytes().data(), 0));
}

}  // namespace acceld::examples
