#pragma once

#include <memory>
#include <utility>

#include "absl/strings/string_view.h"
#include "acceld/v1/acceld.grpc.pb.h"
#include "server/rpc/auth/gate.h"
#include "server/rpc/counted_call.h"
#include "server/rpc/decode/status_codes.h"

namespace acceld::rpc {

// Streams whose messages are handled as bytes. Channel needs that because gRPC reports a message
// that it cannot decode in the same way as the end of the stream. Upload and Download need it to
// move bytes between gRPC's memory and an array's without a copy in between. They count their calls
// themselves.
using ChannelStream = CountedStream<grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>>;
using UploadStream = CountedStream<grpc::ServerReadReactor<grpc::ByteBuffer>>;
using DownloadStream = CountedStream<grpc::ServerWriteReactor<grpc::ByteBuffer>>;

// The generated service, in which every row of rpcs.def makes its RPC one of gRPC's callback API.
// An RPC of acceld.proto without a row is answered with UNIMPLEMENTED.
// clang-format off
using CallbackService =
#define ACCELD_METHOD_Unary(Name) v1::Acceld::WithCallbackMethod_##Name<
#define ACCELD_METHOD_RawUnary(Name) v1::Acceld::WithRawCallbackMethod_##Name<
#define ACCELD_METHOD_ServerStream(Name) v1::Acceld::WithCallbackMethod_##Name<
#define ACCELD_METHOD_RawServerStream(Name) v1::Acceld::WithRawCallbackMethod_##Name<
#define ACCELD_METHOD_RawClientStream(Name) v1::Acceld::WithRawCallbackMethod_##Name<
#define ACCELD_METHOD_RawBidi(Name) v1::Acceld::WithRawCallbackMethod_##Name<
#define ACCELD_RPC(Name, Shape, Request, Reply, role) ACCELD_METHOD_##Shape(Name)
#include "server/rpc/auth/rpcs.def"
    v1::Acceld::Service
#define ACCELD_RPC(Name, Shape, Request, Reply, role) >
#include "server/rpc/auth/rpcs.def"
    ;
// clang-format on

// The service with access control: an RPC that the gate admits is passed to the virtual function
// On<Name> with its caller; a refused one ends with the gate's status.
class GatedService : public CallbackService {
 public:
  // Whether the calls of `method`, spelled "/package.Service/Method", are counted by this service:
  // those of the Raw streams.
  static bool CountsItself(absl::string_view method);

 protected:
  using Call = std::unique_ptr<const CountedCall>;

  // `gate` and what `counters` refers to must outlive the service.
  GatedService(const Gate& gate, const CallCounters& counters) : gate_(gate), counters_(counters) {}

 private:
  // A reactor that ends its call at once, with `status`.
  template <typename Reactor>
  class Refusal : public Reactor {
   public:
    template <typename... Call>
    explicit Refusal(const absl::Status& status, Call... call) : Reactor(std::move(call)...) {
      this->Finish(ToGrpc(status));
    }

   private:
    void OnDone() override { delete this; }
  };

  // The size in bytes of a request that comes with the call. Reactors of client streams check the
  // sizes of their messages themselves.
  static size_t SizeOf(const google::protobuf::Message& request) { return request.ByteSizeLong(); }
  static size_t SizeOf(const grpc::ByteBuffer& request) { return request.Length(); }

  // Returns the reactor that `serve` makes for the caller, or a Refusal if the caller may not call
  // `method` or the request is too large. `call` is that of a stream that counts itself, and is
  // passed on to its reactor.
  template <typename Reactor, typename Serve, typename... Call>
  Reactor* Admit(const char* method, grpc::CallbackServerContext* context, size_t request_bytes,
                 Serve serve, Call... call) {
    const absl::StatusOr<Caller> caller = gate_.Admit(method, *context);
    if (!caller.ok()) return new Refusal<Reactor>(caller.status(), std::move(call)...);
    const absl::Status size = gate_.AdmitMessage(method, *caller, request_bytes);
    if (!size.ok()) return new Refusal<Reactor>(size, std::move(call)...);
    return serve(*caller, std::move(call)...);
  }

#define ACCELD_FULL_NAME(Name) "/acceld.v1.Acceld/" #Name

#define ACCELD_GATED_Unary(Name, Request, Reply)                                                   \
  virtual grpc::ServerUnaryReactor* On##Name(const Caller& caller,                                 \
                                             grpc::CallbackServerContext* context,                 \
                                             const v1::Request* request, v1::Reply* reply) = 0;    \
  grpc::ServerUnaryReactor* Name(grpc::CallbackServerContext* context, const v1::Request* request, \
                                 v1::Reply* reply) final {                                         \
    return Admit<grpc::ServerUnaryReactor>(                                                        \
        ACCELD_FULL_NAME(Name), context, SizeOf(*request),                                         \
        [&](const Caller& caller) { return On##Name(caller, context, request, reply); });          \
  }
#define ACCELD_GATED_RawUnary(Name, Request, Reply)                                                \
  virtual grpc::ServerUnaryReactor* On##Name(                                                      \
      const Caller& caller, grpc::CallbackServerContext* context, const grpc::ByteBuffer* request, \
      grpc::ByteBuffer* reply) = 0;                                                                \
  grpc::ServerUnaryReactor* Name(grpc::CallbackServerContext* context,                             \
                                 const grpc::ByteBuffer* request, grpc::ByteBuffer* reply) final { \
    return Admit<grpc::ServerUnaryReactor>(                                                        \
        ACCELD_FULL_NAME(Name), context, SizeOf(*request),                                         \
        [&](const Caller& caller) { return On##Name(caller, context, request, reply); });          \
  }
#define ACCELD_GATED_ServerStream(Name, Request, Reply)                                            \
  virtual grpc::ServerWriteReactor<v1::Reply>* On##Name(                                           \
      const Caller& caller, grpc::CallbackServerContext* context, const v1::Request* request) = 0; \
  grpc::ServerWriteReactor<v1::Reply>* Name(grpc::CallbackServerContext* context,                  \
                                            const v1::Request* request) final {                    \
    return Admit<grpc::ServerWriteReactor<v1::Reply>>(                                             \
        ACCELD_FULL_NAME(Name), context, SizeOf(*request),                                         \
        [&](const Caller& caller) { return On##Name(caller, context, request); });                 \
  }
#define ACCELD_GATED_RAW_STREAM(Name, Reactor, Message, Argument, size)                 \
  virtual Reactor* On##Name(const Caller& caller, grpc::CallbackServerContext* context, \
                            Message* Argument, Call call) = 0;                          \
  Reactor* Name(grpc::CallbackServerContext* context, Message* Argument) final {        \
    return Admit<Reactor>(                                                              \
        ACCELD_FULL_NAME(Name), context, size,                                          \
        [&](const Caller& caller, Call call) {                                          \
          return On##Name(caller, context, Argument, std::move(call));                  \
        },                                                                              \
        Begin(#Name));                                                                  \
  }
#define ACCELD_GATED_RawServerStream(Name, Request, Reply) \
  ACCELD_GATED_RAW_STREAM(Name, DownloadStream, const grpc::ByteBuffer, request, SizeOf(*request))
#define ACCELD_GATED_RawClientStream(Name, Request, Reply) \
  ACCELD_GATED_RAW_STREAM(Name, UploadStream, grpc::ByteBuffer, reply, 0)
#define ACCELD_GATED_RawBidi(Name, Request, Reply)                                            \
  virtual ChannelStream* On##Name(const Caller& caller, grpc::CallbackServerContext* context, \
                                  Call call) = 0;                                             \
  ChannelStream* Name(grpc::CallbackServerContext* context) final {                           \
    return Admit<ChannelStream>(                                                              \
        ACCELD_FULL_NAME(Name), context, 0,                                                   \
        [&](const Caller& caller, Call call) {                                                \
          return On##Name(caller, context, std::move(call));                                  \
        },                                                                                    \
        Begin(#Name));                                                                        \
  }
#define ACCELD_RPC(Name, Shape, Request, Reply, role) ACCELD_GATED_##Shape(Name, Request, Reply)
#include "server/rpc/auth/rpcs.def"

  Call Begin(const char* method) const {
    return std::make_unique<const CountedCall>(counters_, method);
  }

  const Gate& gate_;
  const CallCounters counters_;
};

inline bool GatedService::CountsItself(absl::string_view method) {
#define ACCELD_COUNTS_Unary false
#define ACCELD_COUNTS_RawUnary false
#define ACCELD_COUNTS_ServerStream false
#define ACCELD_COUNTS_RawServerStream true
#define ACCELD_COUNTS_RawClientStream true
#define ACCELD_COUNTS_RawBidi true
#define ACCELD_RPC(Name, Shape, Request, Reply, role) \
  if (ACCELD_COUNTS_##Shape && method == ACCELD_FULL_NAME(Name)) return true;
#include "server/rpc/auth/rpcs.def"
  return false;
}

}  // namespace acceld::rpc
