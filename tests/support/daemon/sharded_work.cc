#include "tests/support/daemon/sharded_work.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"

namespace acceld::testing {
namespace {

using client::Array;
using client::Client;
using client::Program;

constexpr size_t kElements = 8;

// The part of a participant.
ir::Literal ShardOf(size_t participant, size_t participants, float first) {
  const size_t size = kElements / participants;
  std::vector<float> values(size);
  std::iota(values.begin(), values.end(), first + static_cast<float>(participant * size));
  return ir::Literal::FromValues<float>({ir::DType::kF32, {static_cast<int64_t>(size)}}, values);
}

// INTERNAL unless the results are the shards of `first`, `first` + 1, ...
absl::Status CheckValues(const Shards& results, float first) {
  for (size_t i = 0; i < results.size(); ++i) {
    ACCELD_ASSIGN_OR_RETURN(const ir::Literal value, results[i][0].Fetch());
    if (value == ShardOf(i, results.size(), first)) continue;
    return absl::InternalError(absl::StrCat("participant ", i, " has a wrong result"));
  }
  return absl::OkStatus();
}

}  // namespace

std::string PartitionedText(int partitions, absl::string_view functions) {
  return absl::StrCat("module @sharded attributes {mhlo.num_partitions = ", partitions,
                      " : i32, mhlo.num_replicas = 1 : i32} {\nsdy.mesh @m = <[\"x\"=", partitions,
                      "]>\n", functions, "\n}");
}

std::string AddSumText(int partitions) {
  return PartitionedText(partitions, R"(
    func.func public @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>})
        -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %sum = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0]
          : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
      %all = stablehlo.broadcast_in_dim %sum, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %0 = stablehlo.add %a, %all : tensor<8xf32>
      return %0 : tensor<8xf32>
    })");
}

std::string EndlessExchangeText(int partitions) {
  return PartitionedText(partitions, R"(
    func.func public @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>})
        -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.while(%v = %a) : tensor<8xf32>
        cond {
          %sum = stablehlo.reduce(%v init: %zero) applies stablehlo.add across dimensions = [0]
              : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
          %p = stablehlo.compare GE, %sum, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        } do {
          %w = stablehlo.abs %v : tensor<8xf32>
          stablehlo.return %w : tensor<8xf32>
        }
      return %0 : tensor<8xf32>
    })");
}

absl::StatusOr<Shards> UploadShards(Client& client, const std::vector<uint32_t>& devices) {
  Shards shards;
  for (size_t i = 0; i < devices.size(); ++i) {
    ACCELD_ASSIGN_OR_RETURN(Array shard, client.Upload(ShardOf(i, devices.size(), 1), devices[i]));
    shards.push_back({std::move(shard)});
  }
  return shards;
}

absl::Status CheckSums(const Shards& results) { return CheckValues(results, 1 + 36); }

ShardedWork::ShardedWork(std::shared_ptr<Client> client, uint32_t seed)
    : client_(std::move(client)), random_(seed) {}

absl::Status ShardedWork::Step() {
  std::vector<uint32_t> devices(client_->devices().size());
  std::iota(devices.begin(), devices.end(), 0);
  std::shuffle(devices.begin(), devices.end(), random_);
  devices.resize(random_() % 2 == 0 ? 2 : 4);
  return random_() % 4 == 0 ? CancelEndless(devices) : AddSums(devices);
}

absl::Status ShardedWork::AddSums(const std::vector<uint32_t>& devices) {
  ACCELD_ASSIGN_OR_RETURN(const Program program,
                          Program::FromText(AddSumText(static_cast<int>(devices.size()))));
  ACCELD_ASSIGN_OR_RETURN(Shards values, UploadShards(*client_, devices));
  float first = 1;
  for (size_t turns = 1 + random_() % 3; turns > 0; --turns) {
    ACCELD_ASSIGN_OR_RETURN(values, client_->ExecuteSharded(program, values, devices));
    first += kElements * first + 28;  // The sum of eight numbers from `first` on.
    ++operations_;
  }
  return CheckValues(values, first);
}

absl::Status ShardedWork::CancelEndless(const std::vector<uint32_t>& devices) {
  ACCELD_ASSIGN_OR_RETURN(const Program program,
                          Program::FromText(EndlessExchangeText(static_cast<int>(devices.size()))));
  ACCELD_ASSIGN_OR_RETURN(const Shards values, UploadShards(*client_, devices));
  ACCELD_ASSIGN_OR_RETURN(const Shards results, client_->ExecuteSharded(program, values, devices));
  ACCELD_RETURN_IF_ERROR(client_->Cancel({results[random_() % results.size()][0]}, "enough"));
  ++operations_;
  for (const std::vector<Array>& result : results) {
    const absl::Status status = result[0].Await();
    if (!absl::IsCancelled(status)) {
      return absl::InternalError(absl::StrCat("what was cancelled ended so: ", status.ToString()));
    }
  }
  return absl::OkStatus();
}

}  // namespace acceld::testing
