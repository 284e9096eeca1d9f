#include "client/pjrt/compile/compile_options.h"

#include "client/pjrt/compile_options.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::pjrt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CompileOptions, NameTheDevice) {
  CompileOptionsProto message;
  auto& build = *message.mutable_executable_build_options();
  build.set_num_replicas(1);
  build.set_num_partitions(1);
  build.mutable_device_assignment()->add_computation_devices()->add_replica_device_ids(3);
  const auto options = ReadCompileOptions(message.SerializeAsString());
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_THAT(options->assignment->devices, ElementsAre(3));
  EXPECT_EQ(options->start, CompileOptions::Start::kNow);
}

TEST(CompileOptions, AreEmptyByDefault) {
  const auto options = ReadCompileOptions("");
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_FALSE(options->assignment.has_value());
  EXPECT_EQ(options->num_replicas, 0);
  EXPECT_EQ(options->num_partitions, 0);
}

TEST(CompileOptions, SayHowAProgramIsPartitioned) {
  CompileOptionsProto message;
  auto& build = *message.mutable_executable_build_options();
  build.set_num_replicas(1);
  build.set_num_partitions(4);
  build.set_use_spmd_partitioning(true);
  build.set_use_shardy_partitioner(true);
  for (const int64_t id : {2, 0, 3, 1}) {
    build.mutable_device_assignment()->add_computation_devices()->add_replica_device_ids(id);
  }
  const auto options = ReadCompileOptions(message.SerializeAsString());
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->num_partitions, 4);
  EXPECT_TRUE(options->use_spmd_partitioning);
  EXPECT_TRUE(options->use_shardy_partitioner);
  EXPECT_THAT(options->assignment->devices, ElementsAre(2, 0, 3, 1));
}

TEST(CompileOptions, RefuseAnAssignmentThatContradictsItself) {
  CompileOptionsProto message;
  auto& build = *message.mutable_executable_build_options();
  build.mutable_device_assignment()->set_computation_count(2);
  build.mutable_device_assignment()->add_computation_devices()->add_replica_device_ids(3);
  EXPECT_EQ(ReadCompileOptions(message.SerializeAsString()).status().code(),
            absl::StatusCode::kInvalidArgument);
}

absl::StatusOr<CompileOptions> WithOption(const std::string& name, const std::string& value) {
  CompileOptionsProto message;
  (*message.mutable_env_option_overrides())[name].set_string_field(value);
  return ReadCompileOptions(message.SerializeAsString());
}

TEST(CompileOptions, SayWhenToCompile) {
  EXPECT_EQ(WithOption("acceld_compile", "wait")->start, CompileOptions::Start::kNowAndWait);
  EXPECT_EQ(WithOption("acceld_compile", "later")->start, CompileOptions::Start::kLater);
  EXPECT_THAT(WithOption("acceld_compile", "soon").status().message(), HasSubstr("'soon'"));
}

TEST(CompileOptions, SayWhichPythonFunctionsAreCalledBack) {
  EXPECT_THAT(WithOption("acceld_callbacks", "3,18446744073709551615")->callbacks,
              ElementsAre(3, UINT64_MAX));
  EXPECT_THAT(WithOption("acceld_callbacks", "3,").status().message(), HasSubstr("no number"));
}

TEST(CompileOptions, DisregardHintsToOtherCompilersAndRefuseOthers) {
  EXPECT_TRUE(WithOption("xla_embed_ir_in_executable", "true").ok());
  EXPECT_TRUE(WithOption("xla_gpu_autotune_level", "4").ok());
  for (const char* const name : {"xla_foo", "xla_dump_to", "xla_allow_excess_precision"}) {
    const absl::Status status = WithOption(name, "1").status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr(name));
    EXPECT_THAT(status.message(), HasSubstr("acceld_compile"));
    EXPECT_THAT(status.message(), HasSubstr("xla_gpu_autotune_level"));
  }
  EXPECT_THAT(WithOption("optimise", "1").status().message(),
              HasSubstr("No such compile option: 'optimise'"));
}

TEST(CompileOptions, CheckTheValuesOfHintsThatTheyDisregard) {
  EXPECT_THAT(WithOption("xla_embed_ir_in_executable", "perhaps").status().message(),
              HasSubstr("'perhaps' is not a valid bool value."));
  EXPECT_THAT(WithOption("xla_gpu_autotune_level", "four").status().message(),
              HasSubstr("'four' is not a valid int value."));
  EXPECT_TRUE(WithOption("xla_gpu_cuda_data_dir", "/usr/lib/cuda").ok());
  CompileOptionsProto message;
  auto& options = *message.mutable_env_option_overrides();
  options["xla_embed_ir_in_executable"].set_bool_field(true);
  options["xla_gpu_autotune_level"].set_int_field(4);
  options["xla_gpu_auto_spmd_partitioning_memory_budget_ratio"].set_double_field(1.5);
  EXPECT_TRUE(ReadCompileOptions(message.SerializeAsString()).ok());
  options["xla_gpu_autotune_level"].set_double_field(0.5);
  EXPECT_FALSE(ReadCompileOptions(message.SerializeAsString()).ok());
}

TEST(CompileOptions, AreAMessage) {
  EXPECT_EQ(ReadCompileOptions("\xff\xff").status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace acceld::pjrt
