#include "tests/bench/protocol/bulk.h"

#include <cstring>
#include <memory>
#include <string>

#include "client/client.h"
#include "client/host_buffer.h"
#include "common/check.h"
#include "tests/bench/protocol/report.h"

namespace acceld::bench {
namespace {

using client::Array;
using client::Client;
using client::HostBuffer;

constexpr size_t kBulkBytes = size_t{256} << 20;

void Print(const char* what, Samples& samples, double reference_s) {
  PrintBulk(what, kBulkBytes, samples, reference_s);
}

// One array from memory that the daemon reads by itself, and back by mapping it twice.
void MeasureShared(const std::shared_ptr<Client>& client, const HostBuffer& buffer, Samples& upload,
                   Samples& map, Samples& map_again) {
  Clock::time_point start = Clock::now();
  const Array array = *client->UploadShared(
      {ir::DType::kF32, {static_cast<int64_t>(buffer.size_bytes() / 4)}}, buffer, 0, [] {});
  ACCELD_CHECK(array.Await().ok());
  upload.Add(SecondsSince(start));
  start = Clock::now();
  const SharedBytes first = *array.Map();
  map.Add(SecondsSince(start));
  start = Clock::now();
  const SharedBytes second = *array.Map();
  map_again.Add(SecondsSince(start));
  ACCELD_CHECK(first.view == buffer.bytes() && second.view == first.view);
}

// One array to the daemon and back.
void MeasureTransfer(const std::shared_ptr<Client>& client, std::string& bytes, std::string& copy,
                     Samples& upload, Samples& download) {
  Clock::time_point start = Clock::now();
  const Array array = *client->UploadShared(
      {ir::DType::kF32, {static_cast<int64_t>(bytes.size() / 4)}}, bytes, [] {});
  ACCELD_CHECK(array.Await().ok());
  upload.Add(SecondsSince(start));
  start = Clock::now();
  ACCELD_CHECK(array.FetchInto(absl::MakeSpan(copy.data(), copy.size())).ok());
  download.Add(SecondsSince(start));
  ACCELD_CHECK(copy == bytes);
}

}  // namespace

void MeasureBulkOverGrpc(const PeerAddresses& peer, Transport transport, const BenchDaemon& daemon,
                         int rounds) {
  const std::shared_ptr<Client> client = *Client::Connect(daemon.Over(transport));
  std::string bytes(kBulkBytes, 'x'), copy(kBulkBytes, 'y');
  Samples send, receive, upload, download;
  for (int round = 0; round < rounds; ++round) {
    send.Add(GrpcSend(peer, transport, bytes));
    receive.Add(GrpcReceive(peer, transport, absl::MakeSpan(copy.data(), copy.size())));
    MeasureTransfer(client, bytes, copy, upload, download);
  }
  Print("raw gRPC stream, sent", send, 0);
  Print("raw gRPC stream, received", receive, 0);
  Print("upload (of the stream)", upload, send.Median());
  Print("download (of the stream)", download, receive.Median());
}

void MeasureBulkInMemory(const BenchDaemon& daemon, int rounds) {
  const std::shared_ptr<Client> client = *Client::Connect(daemon.Local());
  std::string bytes(kBulkBytes, 'x'), copy(kBulkBytes, 'y');
  const HostBuffer buffer = *HostBuffer::Allocate(kBulkBytes);
  Samples memory, upload, download, lent_upload, map, map_again;
  for (int round = 0; round < rounds; ++round) {
    const Clock::time_point start = Clock::now();
    std::memcpy(copy.data(), bytes.data(), kBulkBytes);
    memory.Add(SecondsSince(start));
    MeasureTransfer(client, bytes, copy, upload, download);
    MeasureShared(client, buffer, lent_upload, map, map_again);
  }
  const double memory_s = memory.Median();
  Print("memcpy", memory, 0);
  Print("upload through shared memory (of memcpy)", upload, memory_s);
  Print("download through shared memory (of memcpy)", download, memory_s);
  Print("upload from a HostBuffer (of memcpy)", lent_upload, memory_s);
  Print("map an array that nobody has mapped (of memcpy)", map, memory_s);
  Print("map it again (of memcpy)", map_again, memory_s);
}

}  // namespace acceld::bench
