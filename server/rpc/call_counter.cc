#include "server/rpc/call_counter.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/check.h"
#include "server/rpc/gated_service.h"

namespace acceld::rpc {
namespace {

using grpc::experimental::InterceptionHookPoints;
using grpc::experimental::Interceptor;
using grpc::experimental::InterceptorBatchMethods;
using grpc::experimental::ServerInterceptorFactoryInterface;
using grpc::experimental::ServerRpcInfo;

// The index of a command kind is its field number in Command minus one. An index without a field
// has an empty name.
constexpr size_t kMaxCommandKinds = 64;

const google::protobuf::ServiceDescriptor& AcceldService() {
  return *v1::CommandBatch::descriptor()->file()->FindServiceByName("Acceld");
}

class CallCounter final : public Interceptor {
 public:
  CallCounter(const CallCounters& counters, absl::string_view method) : call_(counters, method) {}

  void Intercept(InterceptorBatchMethods* methods) override {
    if (methods->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_STATUS)) {
      call_.CountStatus(methods->GetSendStatus().error_code());
    }
    methods->Proceed();
  }

 private:
  const CountedCall call_;
};

class CallCounterFactory final : public ServerInterceptorFactoryInterface {
 public:
  explicit CallCounterFactory(const CallCounters& counters)
      : counters_(counters), prefix_("/" + AcceldService().full_name() + "/") {}

  Interceptor* CreateServerInterceptor(ServerRpcInfo* info) override {
    absl::string_view method = info->method();
    if (GatedService::CountsItself(method)) return nullptr;
    if (method.substr(0, prefix_.size()) == prefix_) method.remove_prefix(prefix_.size());
    return new CallCounter(counters_, method);
  }

 private:
  const CallCounters counters_;
  const std::string prefix_;
};

}  // namespace

std::shared_ptr<observability::RpcInstruments> MakeInstruments() {
  std::vector<std::string> methods, kinds;
  const google::protobuf::ServiceDescriptor& service = AcceldService();
  for (int i = 0; i < service.method_count(); ++i) methods.push_back(service.method(i)->name());
  const google::protobuf::OneofDescriptor& commands = *v1::Command::descriptor()->oneof_decl(0);
  for (int i = 0; i < commands.field_count(); ++i) {
    const auto index = static_cast<size_t>(commands.field(i)->number() - 1);
    ACCELD_CHECK(index < kMaxCommandKinds);
    if (kinds.size() <= index) kinds.resize(index + 1);
    kinds[index] = commands.field(i)->name();
  }
  return std::make_shared<observability::RpcInstruments>(std::move(methods), std::move(kinds));
}

std::unique_ptr<ServerInterceptorFactoryInterface> MakeCallCounter(const CallCounters& counters) {
  return std::make_unique<CallCounterFactory>(counters);
}

void CountBatch(const v1::CommandBatch& batch, observability::RpcInstruments& instruments) {
  std::array<uint64_t, kMaxCommandKinds> counts{};
  size_t end = 0;
  uint64_t bytes = 0;
  for (const v1::Command& command : batch.commands()) {
    if (command.command_case() == v1::Command::COMMAND_NOT_SET) continue;
    const auto kind = static_cast<size_t>(command.command_case()) - 1;
    end = std::max(end, kind + 1);
    ++counts[kind];
    if (command.has_put()) bytes += command.put().literal().data().size();
  }
  for (size_t kind = 0; kind < end; ++kind) {
    if (counts[kind] > 0) instruments.CountCommands(kind, counts[kind]);
  }
  if (bytes > 0) instruments.inline_in_bytes.Add(bytes);
}

}  // namespace acceld::rpc
