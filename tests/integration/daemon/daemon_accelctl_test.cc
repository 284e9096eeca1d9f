// accelctl against a daemon, as a person or a script uses it.

#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/substitute.h"
#include "nlohmann/json.hpp"
#include "tests/integration/daemon/daemon_fixture.h"

namespace acceld::testing {
namespace {

using Json = nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class DaemonAccelctlTest : public DaemonTest {
 protected:
  Json AccelctlJson(std::vector<std::string> arguments) {
    arguments.push_back("--json");
    const CommandResult result = Accelctl(std::move(arguments));
    EXPECT_EQ(result.exit_code, 0) << result.output;
    Json json = Json::parse(result.output, nullptr, /*allow_exceptions=*/false);
    EXPECT_FALSE(json.is_discarded()) << result.output;
    return json;
  }
  std::string WriteProgram(const std::string& name, const std::string& text) {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream(path) << text;
    return path;
  }
  static void ExpectFields(const Json& json, const std::vector<std::string>& names) {
    for (const std::string& name : names) EXPECT_TRUE(json.contains(name)) << name << json.dump(2);
  }
};

TEST_F(DaemonAccelctlTest, RunReportsAsJson) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const std::string program = WriteProgram("increment.mlir", kIncrementText);
  const Json report = AccelctlJson({"run", program, "--arg", "f32[16]=1.5", "--repeat", "3",
                                    "--out", folder_.path() + "/results"});
  ExpectFields(report, {"fingerprint", "cache_verdict", "compile_ms", "submit_us", "wait_us",
                        "upload_ms", "fetch_ms", "outputs"});
  EXPECT_EQ(report["fingerprint"].get<std::string>().size(), 32u);
  EXPECT_EQ(report["cache_verdict"], "miss");
  EXPECT_GE(report["cost"]["flops"], 16);
  EXPECT_EQ(report["cost"]["transcendentals"], 0);
  EXPECT_GE(report["cost"]["bytes_accessed"], 128);
  EXPECT_EQ(report["submit_us"].size(), 3u);
  EXPECT_EQ(report["wait_us"].size(), 3u);
  ASSERT_EQ(report["outputs"].size(), 1u);
  EXPECT_EQ(report["outputs"][0]["dtype"], "f32");
  EXPECT_EQ(report["outputs"][0]["shape"], Json({16}));
  const std::string npy = ReadText(report["outputs"][0]["file"]);
  const float expected[] = {2.5, 2.5};
  EXPECT_EQ(npy.substr(npy.size() - sizeof(expected)),
            std::string(reinterpret_cast<const char*>(expected), sizeof(expected)));
  EXPECT_EQ(AccelctlJson({"run", program, "--arg", "f32[16]=iota"})["cache_verdict"], "memory");
}

TEST_F(DaemonAccelctlTest, RunDonatesWhatTheProgramSays) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const std::string program =
      WriteProgram("sum.mlir",
                   "func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32> {tf.aliasing_output = 0 : "
                   "i32}) -> tensor<2xf32> {\n"
                   "  %z = stablehlo.add %x, %y : tensor<2xf32>\n"
                   "  return %z : tensor<2xf32>\n"
                   "}\n");
  for (const char* repeat : {"1", "3"}) {
    const CommandResult result =
        Accelctl({"run", program, "--arg", "f32[2]=1", "--arg", "f32[2]=2", "--repeat", repeat});
    EXPECT_EQ(result.exit_code, 0) << result.output;
    EXPECT_THAT(result.output, Not(HasSubstr("donat")));
  }
}

TEST_F(DaemonAccelctlTest, QueriesAnswerAsJson) {
  ASSERT_NO_FATAL_FAILURE(Start({"--cpu-devices", "2"}));
  const std::string program = WriteProgram("increment.mlir", kIncrementText);
  AccelctlJson({"run", program, "--arg", "f32[16]=zeros"});

  const Json stats = AccelctlJson({"stats"});
  ExpectFields(stats, {"compiles", "executions", "cache_hits", "cache_dropped", "sessions",
                       "arrays", "array_bytes"});
  EXPECT_EQ(stats["compiles"], 1);
  EXPECT_EQ(stats["executions"], 1);
  ExpectFields(stats["cache_hits"], {"memory", "disk", "inflight"});

  const Json devices = AccelctlJson({"devices"})["devices"];
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[1]["id"], 1);
  EXPECT_EQ(devices[1]["kind"], "cpu");
  ExpectFields(devices[0], {"architecture", "memory_limit_bytes", "memory_peak_bytes", "queued"});

  const std::shared_ptr<client::Client> client = Connect();
  const client::Array held = *client->Upload(Floats({1, 2}));
  ASSERT_TRUE(held.Await().ok());
  const Json sessions = AccelctlJson({"sessions"})["sessions"];
  ASSERT_GE(sessions.size(), 1u);  // accelctl has none
  const auto ours = std::find_if(sessions.begin(), sessions.end(),
                                 [](const Json& s) { return s["client_name"] == "test"; });
  ASSERT_NE(ours, sessions.end());
  EXPECT_EQ((*ours)["arrays"], 1);
  EXPECT_EQ((*ours)["array_bytes"], 8);

  const Json entries = AccelctlJson({"cache", "ls"})["entries"];
  ASSERT_EQ(entries.size(), 1u);
  ExpectFields(entries[0], {"key", "fingerprint", "program_name", "signature", "size_bytes"});
  EXPECT_EQ(entries[0]["in_memory"], true);
  EXPECT_EQ(entries[0]["on_disk"], true);
}

TEST_F(DaemonAccelctlTest, ArraysArePublishedFetchedAndDroppedByName) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const std::string file = folder_.path() + "/x.npy";
  EXPECT_EQ(Accelctl({"names", "publish", "x", "f32[4]=iota"}).exit_code, 0);
  EXPECT_NE(Accelctl({"names", "publish", "x", "f32[4]=zeros"}).exit_code, 0);
  EXPECT_EQ(Accelctl({"names", "publish", "x", "f32[2]=7", "--replace"}).exit_code, 0);
  const Json arrays = AccelctlJson({"names", "ls"})["arrays"];
  ASSERT_EQ(arrays.size(), 1u);
  EXPECT_EQ(arrays[0]["name"], "x");
  EXPECT_EQ(arrays[0]["type"], "tensor<2xf32>");
  EXPECT_EQ(Accelctl({"names", "get", "x", file}).exit_code, 0);
  const float expected[] = {7, 7};
  const std::string npy = ReadText(file);
  EXPECT_EQ(npy.substr(npy.size() - sizeof(expected)),
            std::string(reinterpret_cast<const char*>(expected), sizeof(expected)));
  EXPECT_EQ(Accelctl({"names", "drop", "x"}).exit_code, 0);
  EXPECT_THAT(Accelctl({"names", "get", "x", file}).output, HasSubstr("no array is named 'x'"));
}

TEST_F(DaemonAccelctlTest, QueriesAnswerAsText) {
  ASSERT_NO_FATAL_FAILURE(Start());
  EXPECT_THAT(Accelctl({"stats"}).output, HasSubstr("executions  0"));
  // There is a GPU, or a reason for none.
  EXPECT_THAT(Accelctl({"devices"}).output, ContainsRegex("0 +(cpu|cuda)"));
  EXPECT_THAT(Accelctl({"devices"}).output, ContainsRegex("0 +cuda|no cuda device: .+"));
  const std::shared_ptr<client::Client> client = Connect();
  EXPECT_THAT(Accelctl({"sessions"}).output, ContainsRegex("[0-9]+ +test "));
  EXPECT_EQ(Accelctl({"cache", "ls"}).output, "no entries in the cache\n");
  EXPECT_EQ(Accelctl({"names", "ls"}).output, "no named arrays\n");
}

TEST_F(DaemonAccelctlTest, AProgramOfManyArgumentsFitsTheTerminal) {
  ASSERT_NO_FATAL_FAILURE(Start());
  std::vector<std::string> parameters, run = {"run", folder_.path() + "/many.mlir"};
  for (int i = 0; i < 120; ++i) {
    parameters.push_back(absl::StrCat("%x", i, ": tensor<2xf32>"));
    run.insert(run.end(), {"--arg", "f32[2]=1"});
  }
  WriteProgram("many.mlir",
               absl::StrCat("func.func @main(", absl::StrJoin(parameters, ", "),
                            ") -> tensor<2xf32> {\n  return %x0 : tensor<2xf32>\n}\n"));
  const CommandResult few = Accelctl({run[0], run[1]});
  EXPECT_THAT(few.output, ContainsRegex("takes 120 arguments: tensor<2xf32>, .*, [+]1.. more; 0 "));
  ASSERT_EQ(Accelctl(run).exit_code, 0);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"cache", "ls"}, {"cache", "explain", run[1]}}) {
    const CommandResult result = Accelctl(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.output;
    EXPECT_THAT(result.output,
                ContainsRegex("  120 arguments: tensor<2xf32>, tensor<2xf32>, .*[+]11. more"));
    for (const absl::string_view line : absl::StrSplit(result.output, '\n')) {
      EXPECT_LE(line.size(), 80u) << line;
    }
  }
  const std::string wide = Accelctl({"cache", "ls", "--wide"}).output;
  EXPECT_THAT(wide, Not(HasSubstr("more")));
  EXPECT_THAT(AccelctlJson({"cache", "ls"})["entries"][0]["signature"].get<std::string>(),
              ::testing::StartsWith("(tensor<2xf32>, "));
}

TEST_F(DaemonAccelctlTest, ExplainTakesTheArgumentsOfRun) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const std::string program = WriteProgram(
      "square.mlir",
      "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
      "  %y = stablehlo.multiply %x, %x : tensor<?xf32>\n  return %y : tensor<?xf32>\n}\n");
  const std::vector<std::string> arguments = {program, "--arg", "f32[8]=random"};
  const auto with = [&](std::vector<std::string> command) {
    command.insert(command.end(), arguments.begin(), arguments.end());
    return Accelctl(command);
  };
  EXPECT_EQ(with({"cache", "explain"}).exit_code, 3);
  ASSERT_EQ(with({"run", "--out", folder_.path()}).exit_code, 0);
  EXPECT_THAT(with({"cache", "explain"}).output, HasSubstr("found: memory"));
  EXPECT_THAT(with({"cache", "warm"}).output, HasSubstr("0 compiled, 1 found"));
  EXPECT_THAT(Accelctl({"cache", "explain", program, "--arg", folder_.path() + "/0.npy"}).output,
              HasSubstr("found: memory"));
  EXPECT_EQ(Accelctl({"cache", "explain", program, "--arg", "f32[9]"}).exit_code, 3);
}

TEST_F(DaemonAccelctlTest, SessionsThatEndedAreShownWithTheirReason) {
  ASSERT_NO_FATAL_FAILURE(Start());
  {
    const std::shared_ptr<client::Client> client = Connect();
    ASSERT_EQ(
        Accelctl({"kill", absl::StrCat(FindSession("test")->id), "--reason", "enough"}).exit_code,
        0);
  }
  const Json json = AccelctlJson({"sessions", "--ended"});
  const auto killed = std::find_if(json["ended"].begin(), json["ended"].end(),
                                   [](const Json& s) { return s["client_name"] == "test"; });
  ASSERT_NE(killed, json["ended"].end()) << json.dump(2);
  ExpectFields(*killed, {"id", "identity", "lasted_s", "age_s", "executions"});
  EXPECT_EQ((*killed)["reason"], "the session was ended by an administrator: enough");
  EXPECT_FALSE(AccelctlJson({"sessions"}).contains("ended"));
  EXPECT_THAT(Accelctl({"sessions", "--ended", "--wide"}).output,
              ContainsRegex("no sessions\n\n.*why it ended\n(.*\n)*.* test .*: enough\n"));
  EXPECT_THAT(Accelctl({"top"}).output,
              ContainsRegex("no sessions: waiting for clients at " + address() +
                            "\n(.*\n)*.* test .*the session"));
}

TEST_F(DaemonAccelctlTest, CommandLinesThatMeanNothingEndWithTwo) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{}, {"rnu"}, {"run"}, {"stats", "--jsn"}, {"stats", "now"}}) {
    std::vector<std::string> argv = {BinDir() + "/accelctl"};
    argv.insert(argv.end(), words.begin(), words.end());
    const CommandResult result = RunCommand(argv);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_THAT(result.output, ContainsRegex("^accelctl: [^\n]*\n$"));
  }
}

TEST_F(DaemonAccelctlTest, TopPrintsOnePictureWhereThereIsNoTerminal) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const std::shared_ptr<client::Client> client = Connect();
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"top"}, {"top", "--once", "--interval", "1"}}) {
    const CommandResult top = Accelctl(arguments);
    EXPECT_EQ(top.exit_code, 0) << top.output;
    EXPECT_THAT(top.output, ContainsRegex("\n +0 +(cpu|cuda) "));
    EXPECT_THAT(top.output, ContainsRegex("\n +[0-9]+ +test .* normal "));
    EXPECT_EQ(top.output.find('\x1b'), std::string::npos);
  }
}

TEST_F(DaemonAccelctlTest, CheckCountsWhatPassesAndFails) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const auto conformance = [](const std::string& expected) {
    return "func.func @main() {\n"
           "  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>\n"
           "  %y = stablehlo.add %x, %x : tensor<2xi32>\n"
           "  %z = stablehlo.constant dense<" +
           expected +
           "> : tensor<2xi32>\n"
           "  stablehlo.custom_call @check.expect_eq(%y, %z) {has_side_effect = true} : "
           "(tensor<2xi32>, tensor<2xi32>) -> ()\n"
           "  func.return\n}\n";
  };
  const std::string good = WriteProgram("good.mlir", conformance("[2, 4]"));
  const std::string wrong = WriteProgram("wrong.mlir", conformance("[2, 5]"));
  const CommandResult result = Accelctl({"check", good, wrong});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("wrong.mlir"));
  EXPECT_THAT(result.output, ::testing::EndsWith("1 passed, 1 failed, 0 skipped\n"));
  EXPECT_EQ(Accelctl({"check", good}).exit_code, 0);
  EXPECT_EQ(AccelctlJson({"check", good})["passed"], 1);

  const CommandResult interpreted = Accelctl({"check", "--interpreter", good, wrong});
  EXPECT_EQ(interpreted.exit_code, 1);
  EXPECT_THAT(interpreted.output, HasSubstr("1 passed, 1 failed, 0 skipped"));
}

// A function that sums its argument up over two processes.
std::string SumFunction(const std::string& name) {
  return absl::Substitute(R"(
    func.func @$0(%x: tensor<i64>) -> tensor<i64> {
      %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
      ^bb0(%u: tensor<i64>, %v: tensor<i64>):
        %w = stablehlo.add %u, %v : tensor<i64>
        stablehlo.return %w : tensor<i64>
      }) : (tensor<i64>) -> tensor<i64>
      return %0 : tensor<i64>
    })",
                          name);
}

// A program whose processes 0 and 1 run the functions "sum" or "same_sum", on 1 and 2.
std::string ParallelProgram(const std::string& first, const std::string& second, int expected = 3) {
  return absl::StrCat(SumFunction("sum"), SumFunction("same_sum"),
                      absl::Substitute(R"(
    func.func @main() {
      %a = stablehlo.constant dense<1> : tensor<i64>
      %b = stablehlo.constant dense<2> : tensor<i64>
      %0:2 = stablehlo.custom_call @interpreter.run_parallel(%a, %b) {has_side_effect = true,
          api_version = 4 : i32, backend_config = {programs = [[@$0], [@$1]]}}
          : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>)
      %three = stablehlo.constant dense<$2> : tensor<i64>
      stablehlo.custom_call @check.expect_eq(%0#0, %three) {has_side_effect = true}
          : (tensor<i64>, tensor<i64>) -> ()
      stablehlo.custom_call @check.expect_eq(%0#1, %three) {has_side_effect = true}
          : (tensor<i64>, tensor<i64>) -> ()
      return
    })",
                                       first, second, expected));
}

TEST_F(DaemonAccelctlTest, CheckRunsProcessesOnDevices) {
  ASSERT_NO_FATAL_FAILURE(Start({"--cpu-devices", "3"}));
  const std::string program = WriteProgram("parallel.mlir", ParallelProgram("sum", "sum"));
  EXPECT_EQ(Accelctl({"check", program}).output, "1 passed, 0 failed, 0 skipped\n");
  EXPECT_EQ(AccelctlJson({"check", program})["interpreted"], 0);
  EXPECT_EQ(AccelctlJson({"stats"})["collectives"], 4);
  const std::string wrong = WriteProgram("wrong.mlir", ParallelProgram("sum", "sum", 4));
  const CommandResult result = Accelctl({"check", wrong});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, HasSubstr("wrong.mlir: FAILED: check 1 (check.expect_eq"));
}

TEST_F(DaemonAccelctlTest, CheckSaysWhatTheDaemonDoesNotRun) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const std::string program = WriteProgram("parallel.mlir", ParallelProgram("sum", "sum"));
  const CommandResult result = Accelctl({"check", program});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("parallel.mlir: passed, but its processes were run by the "
                                       "interpreter: the daemon has 1 devices of a kind, 2 are "
                                       "needed\n"));
  EXPECT_THAT(result.output, ::testing::EndsWith("1 passed, 0 failed, 0 skipped\n"));
  EXPECT_EQ(AccelctlJson({"check", program})["interpreted"], 1);
  EXPECT_EQ(Accelctl({"check", "--interpreter", program}).output,
            "1 passed, 0 failed, 0 skipped\n");
  const std::string mixed = WriteProgram("mixed.mlir", ParallelProgram("sum", "same_sum"));
  EXPECT_THAT(Accelctl({"check", mixed}).output,
              HasSubstr("interpreter: they run different functions, @sum and @same_sum\n"));
}

TEST_F(DaemonAccelctlTest, CheckRunsEachProgramOfAFile) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const std::string program = WriteProgram("programs.mlir", R"(// RUN: nothing
    func.func @double() {
      %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
      %1 = stablehlo.add %0, %0 : tensor<2xi64>
      check.expect_eq_const %1, dense<[2, 4]> : tensor<2xi64>
      func.return
    }
    func.func @wrong() {
      %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
      %1 = stablehlo.negate %0 : tensor<2xi64>
      check.expect_eq_const %1, dense<[-1, 2]> : tensor<2xi64>
      func.return
    }

// -----

    func.func @negate() {
      %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %1 = stablehlo.negate %0 : tensor<2xf32>
      check.expect_almost_eq_const %1, dense<[-1.0, -2.0]> : tensor<2xf32>
      func.return
    }
)");
  const CommandResult result = Accelctl({"check", program});
  EXPECT_EQ(result.exit_code, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr(program + ":1: @wrong: FAILED: check 1 (check.expect_eq, "
                                                 "line 11)"));
  EXPECT_THAT(result.output, ::testing::EndsWith("2 passed, 1 failed, 0 skipped\n"));
}

TEST_F(DaemonAccelctlTest, ErrorsInProgramsNameTheirPlace) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const std::string program = WriteProgram("bad.mlir",
                                           "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                                           "  %y = stablehlo.add %x %x : tensor<2xf32>\n"
                                           "  return %y : tensor<2xf32>\n"
                                           "}\n");
  const CommandResult result = Accelctl({"run", program, "--arg", "f32[2]=1"});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr(program + ":2:25: expected "));

  const std::string unknown = WriteProgram("unknown.mlir",
                                           "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                                           "  %y = stablehlo.frobnicate %x : tensor<2xf32>\n"
                                           "  return %y : tensor<2xf32>\n"
                                           "}\n");
  const CommandResult op = Accelctl({"run", unknown, "--arg", "f32[2]=1"});
  EXPECT_NE(op.exit_code, 0);
  EXPECT_THAT(op.output, HasSubstr(unknown + ":2:"));
  EXPECT_THAT(op.output, HasSubstr("stablehlo.frobnicate"));
}

TEST_F(DaemonAccelctlTest, WrongArgumentsAreExplained) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const std::string program = WriteProgram("increment.mlir", kIncrementText);
  const CommandResult missing = Accelctl({"run", program});
  EXPECT_NE(missing.exit_code, 0);
  EXPECT_THAT(missing.output, HasSubstr("takes 1 argument: tensor<16xf32>; 0 were given"));
  const CommandResult shape = Accelctl({"run", program, "--arg", "f32[3]=1"});
  EXPECT_NE(shape.exit_code, 0);
  EXPECT_THAT(shape.output, HasSubstr("tensor<3xf32>"));
  EXPECT_THAT(shape.output, HasSubstr("tensor<16xf32>"));
  const CommandResult device =
      Accelctl({"run", program, "--arg", "f32[16]=1", "--device", "cpu:7"});
  EXPECT_NE(device.exit_code, 0);
  EXPECT_THAT(device.output, ContainsRegex("no device 'cpu:7'; the daemon has .*cpu:0"));
}

TEST_F(DaemonAccelctlTest, WithoutADaemonItSaysHowToStartOne) {
  const std::string nowhere = "unix:" + folder_.path() + "/none.sock";
  const CommandResult result = RunCommand({BinDir() + "/accelctl", "--address", nowhere, "stats"});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("no acceld daemon answers at " + nowhere));
  EXPECT_THAT(result.output, HasSubstr("acceld --listen " + nowhere));
}

TEST_F(DaemonAccelctlTest, LocalBringsItsOwnDaemon) {
  const std::string program = WriteProgram("increment.mlir", kIncrementText);
  const CommandResult result =
      RunCommand({BinDir() + "/accelctl", "--local", "--local-flag=--no-disk-cache", "run", program,
                  "--arg", "f32[16]=1", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(Json::parse(result.output)["cache_verdict"], "miss");
}

}  // namespace
}  // namespace acceld::testing
