#include <memory>

#include "client/tools/accelctl/cache/bundle.h"
#include "client/tools/accelctl/cache/care.h"
#include "client/tools/accelctl/cache/explain.h"
#include "client/tools/accelctl/cache/warm.h"
#include "client/tools/accelctl/commands/commands.h"
#include "client/tools/accelctl/queries/queries.h"
#include "common/cli/values.h"

namespace acceld::tools {
namespace {

constexpr char kArguments[] =
    "an argument, in order, as for run; its type alone is enough, such as f32[8,128] (default: the "
    "types that the program says)";

void AddList(CLI::App& cache, Action& action) {
  struct Flags {
    bool remote = false;
    size_t limit = 1000;
    ListOutput output;
  };
  const auto flags = std::make_shared<Flags>();  // Shared with the callback.
  CLI::App* list = AddCommand(cache, "ls", "its entries, most recently used first",
                              "accelctl cache ls --limit 20");
  list->add_flag("--remote", flags->remote,
                 "those in the cache that daemons share instead, in no order");
  list->add_option("--limit", flags->limit, "how many at most")
      ->capture_default_str()
      ->type_name("COUNT")
      ->check(cli::WholeNumber(1, 1'000'000));
  AddListOutput(*list, flags->output);
  list->callback([flags, &action] {
    action = AsAdmin([flags](client::Admin& admin) {
      return PrintCache(admin, flags->remote, flags->limit, flags->output);
    });
  });
}

void AddWarm(CLI::App& cache, Action& action) {
  const auto flags = std::make_shared<WarmFlags>();  // Shared with the callback.
  CLI::App* warm = AddCommand(cache, "warm", "compile programs ahead",
                              "accelctl cache warm model.mlir --arg 'f32[8,128]' --target sm_90");
  warm->add_option("paths", flags->paths,
                   "programs, folders with .mlir, .mlir.bc and .stablehlo files, or lists (*.list: "
                   "a program a line, and its arguments)")
      ->required()
      ->type_name("FILE");
  AddArguments(*warm, flags->arguments, kArguments);
  warm->add_option("--target", flags->targets,
                   "architecture to compile for, as accelctl devices --wide shows it where there "
                   "is such a device, or sm_90 for one with the daemon's NVRTC and libraries "
                   "(default: the session's device)")
      ->allow_extra_args(false)
      ->type_name("ARCHITECTURE");
  warm->add_option("--entry", flags->entry, "the function to compile")
      ->capture_default_str()
      ->type_name("NAME");
  warm->add_option("--jobs", flags->jobs, "how many at a time")
      ->capture_default_str()
      ->type_name("COUNT")
      ->check(cli::WholeNumber(1, 10'000));
  AddJson(*warm, flags->json);
  warm->callback([flags, &action] {
    // Nothing waits for the result, so the priority is low.
    action = InSession([flags](client::Client& client) { return WarmCache(client, *flags); },
                       client::Priority::kBatch);
  });
}

void AddExplain(CLI::App& cache, Action& action) {
  const auto flags = std::make_shared<ExplainFlags>();  // Shared with the callback.
  CLI::App* explain = AddCommand(
      cache, "explain", "where a program's executable would be found, or what it differs in",
      "accelctl cache explain model.mlir --arg x.npy");
  explain->add_option("program", flags->program, "a file, or - for standard input")
      ->required()
      ->type_name("FILE");
  AddArguments(*explain, flags->arguments, kArguments);
  explain
      ->add_option("--target", flags->target,
                   "architecture as for warm (default: the session's device)")
      ->type_name("ARCHITECTURE");
  explain->add_option("--entry", flags->entry, "the function")
      ->capture_default_str()
      ->type_name("NAME");
  AddListOutput(*explain, flags->output);
  explain->callback([flags, &action] {
    action = InSession([flags](client::Client& client) { return ExplainCache(client, *flags); });
  });
}

void AddCare(CLI::App& cache, Action& action) {
  struct Flags {
    std::vector<std::string> keys;
    bool remote = false, all = false;
  };
  const auto flags = std::make_shared<Flags>();  // Shared with the callbacks.
  CLI::App* verify = AddCommand(cache, "verify", "check every entry, and remove bad ones",
                                "accelctl cache verify --remote");
  verify->add_flag("--remote", flags->remote, "also those in the cache that daemons share");
  verify->callback([flags, &action] {
    action =
        WithoutSession([flags](client::Admin& admin) { return VerifyCache(admin, flags->remote); });
  });
  CLI::App* purge = AddCommand(cache, "purge", "remove entries; what runs goes on",
                               "accelctl cache purge 0820a8959f49d037809e4c52c566b82c");
  CLI::Option* keys =
      purge->add_option("keys", flags->keys, "as accelctl cache ls shows them")->type_name("KEY");
  purge->add_flag("--all", flags->all, "every entry")->excludes(keys);
  purge->add_flag("--remote", flags->remote, "also from the cache that daemons share");
  purge->callback([flags, &action] {
    action = AsAdmin([flags](client::Admin& admin) -> absl::Status {
      if (flags->keys.empty() && !flags->all) {
        return absl::InvalidArgumentError("`accelctl cache purge` needs keys of entries, or --all");
      }
      return PurgeCache(admin, flags->keys, flags->remote);
    });
  });
}

void AddBundles(CLI::App& cache, Action& action) {
  struct Flags {
    std::string path;
    std::vector<std::string> keys;
  };
  const auto flags = std::make_shared<Flags>();  // Shared with the callbacks.
  CLI::App* out = AddCommand(
      cache, "export", "write entries, signed with the team's key, to a file for another site",
      "accelctl cache export entries.bundle");
  out->add_option("file", flags->path, "the bundle")->required()->type_name("FILE");
  out->add_option("--key", flags->keys, "an entry (default: all on disk)")
      ->allow_extra_args(false)
      ->type_name("KEY");
  out->callback([flags, &action] {
    action = AsAdmin(
        [flags](client::Admin& admin) { return ExportBundle(admin, flags->path, flags->keys); });
  });
  CLI::App* in =
      AddCommand(cache, "import", "add the entries of a file that export wrote elsewhere",
                 "accelctl cache import entries.bundle");
  in->add_option("file", flags->path, "the bundle")->required()->type_name("FILE");
  in->callback([flags, &action] {
    action =
        WithoutSession([flags](client::Admin& admin) { return ImportBundle(admin, flags->path); });
  });
}

}  // namespace

void AddCacheCommands(CLI::App& program, Action& action) {
  CLI::App* cache = AddCommand(program, "cache", "the cache of executables", "accelctl cache stat");
  cache->require_subcommand(1);
  AddList(*cache, action);
  AddQuery(AddCommand(*cache, "stat", "hits by tier, sizes, and how the shared cache does",
                      "accelctl cache stat"),
           PrintCacheStats, action);
  AddExplain(*cache, action);
  AddWarm(*cache, action);
  AddCare(*cache, action);
  AddBundles(*cache, action);
}

}  // namespace acceld::tools
