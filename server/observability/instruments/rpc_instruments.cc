#include "server/observability/instruments/rpc_instruments.h"

#include <utility>

namespace acceld::observability {
namespace {

std::vector<std::string> WithOther(std::vector<std::string> methods) {
  methods.push_back("other");
  return methods;
}

}  // namespace

RpcInstruments::RpcInstruments(std::vector<std::string> methods,
                               std::vector<std::string> command_kinds)
    : methods_(WithOther(std::move(methods))),
      command_kinds_(std::move(command_kinds)),
      requests_(methods_.size()),
      commands_(command_kinds_.size()) {
  for (size_t i = 0; i < methods_.size(); ++i) method_index_.emplace(methods_[i], i);
}

void RpcInstruments::CountRequest(absl::string_view method, absl::StatusCode code) {
  const auto found = method_index_.find(method);
  requests_[found != method_index_.end() ? found->second : methods_.size() - 1].Add(code);
}

std::vector<RpcInstruments::Requests> RpcInstruments::requests() const {
  std::vector<Requests> all;
  for (size_t i = 0; i < methods_.size(); ++i) all.push_back({methods_[i], requests_[i].Read()});
  return all;
}

std::vector<RpcInstruments::Commands> RpcInstruments::commands() const {
  std::vector<Commands> all;
  for (size_t i = 0; i < command_kinds_.size(); ++i) {
    all.push_back({command_kinds_[i], commands_[i].value()});
  }
  return all;
}

}  // namespace acceld::observability
