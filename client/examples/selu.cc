// A function that is written once in C++, compiled by the daemon for each shape, and run there.

#include <iostream>
#include <memory>
#include <vector>

#include "client/client.h"
#include "client/tracing.h"
#include "common/ir/types/literal_text.h"
#include "common/status.h"

namespace {

using namespace acceld;          // NOLINT: an example shows the names of the library only
using namespace acceld::client;  // NOLINT

absl::Status Run() {
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<Client> client, Client::Connect());
  const auto selu =
      Jit(client, [](const Tensor& x) { return 1.0507 * Where(x > 0, x, 1.6733 * (Exp(x) - 1)); });
  const std::vector<float> numbers = {-1, 0, 1, 2};
  ACCELD_ASSIGN_OR_RETURN(const Array x, client->Upload(ir::Literal::FromValues<float>(
                                             {ir::DType::kF32, {4}}, numbers)));
  ACCELD_ASSIGN_OR_RETURN(const Array y, selu(x));              // returns at once
  ACCELD_ASSIGN_OR_RETURN(const ir::Literal value, y.Fetch());  // waits for the value
  std::cout << ir::ToString(value) << "\n";
  return absl::OkStatus();
}

}  // namespace

int main() {
  const absl::Status status = Run();
  if (!status.ok()) std::cerr << "selu: " << status.message() << "\n";
  return status.ok() ? 0 : 1;
}
