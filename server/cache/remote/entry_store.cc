#include "server/cache/remote/entry_store.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/log/log.h"
#include "server/cache/remote/compression.h"

namespace acceld::cache {
namespace {

// The largest value that Redis accepts.
constexpr size_t kMaxBlobBytes = size_t{512} << 20;
// How many names one SCAN command covers, roughly.
constexpr absl::string_view kScanCount = "500";
// The most SCAN commands for one node, as a faulty node might never report its end.
constexpr int64_t kMaxScans = 1'000'000;
constexpr absl::string_view kQuarantineMs = "604800000";  // a week

// Removes or quarantines a record if it is still the one that was read. KEYS: the record's name and
// its name in quarantine. ARGV: the record as it was read, and how many milliseconds it stays in
// quarantine (an empty string: remove it).
constexpr absl::string_view kRemoveOrQuarantine = R"(
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
  if ARGV[2] == '' then return redis.call('DEL', KEYS[1]) end
  redis.call('RENAME', KEYS[1], KEYS[2])
  redis.call('PEXPIRE', KEYS[2], ARGV[2])
  return 1)";

void Add(std::atomic<uint64_t>& counter, uint64_t by = 1) {
  counter.fetch_add(by, std::memory_order_relaxed);
}

}  // namespace

EntryStore::EntryStore(Options options, redis::Store& redis)
    : keys_(std::exchange(options.keys, {})),
      options_(std::move(options)),
      names_(options_.salt),
      redis_(redis) {}

absl::StatusOr<std::string> EntryStore::LoadRecord(const Digest& key) {
  const std::string name = names_.Record(key);
  absl::StatusOr<redis::Reply> reply = redis_.Call(name, {"GET", name});
  if (absl::IsInternal(reply.status()) &&
      absl::StrContains(reply.status().message(), "WRONGTYPE")) {
    Add(refused_);
    LogWarning("remote cache: refusing ", name, ": it is no string");
    if (!options_.read_only) (void)redis_.Call(name, {"DEL", name});
    return absl::NotFoundError("not in the remote cache");
  }
  ACCELD_RETURN_IF_ERROR(reply.status());
  if (reply->is_nil()) return absl::NotFoundError("not in the remote cache");
  return std::move(reply->text);
}

absl::StatusOr<std::string> EntryStore::LoadBlob(const Record& record) {
  const std::string name = names_.Blob(absl::BytesToHexString(record.payload_sha256));
  ACCELD_ASSIGN_OR_RETURN(const redis::Reply reply,
                          redis_.Call(name, {"GET", name}, record.payload_bytes));
  if (reply.is_nil()) return absl::NotFoundError("its blob is gone");
  Add(bytes_read_, reply.text.size());
  absl::StatusOr<std::string> payload = Decompress(reply.text, record.payload_bytes);
  absl::Status status = payload.status();
  if (status.ok()) status = CheckPayload(record, *payload);
  if (status.ok()) return payload;
  // The next save of the entry writes the blob again.
  if (!options_.read_only) (void)redis_.Call(name, {"DEL", name});
  return status;
}

absl::StatusOr<Entry> EntryStore::Load(const EntryHeader& wanted) {
  return Load(wanted.key, [&](const EntryHeader& found) { return CheckIsFor(wanted, found); });
}

absl::StatusOr<Entry> EntryStore::Load(const Digest& key,
                                       absl::FunctionRef<absl::Status(const EntryHeader&)> check) {
  const absl::StatusOr<std::string> bytes = LoadRecord(key);
  ACCELD_RETURN_IF_ERROR(bytes.status());
  absl::StatusOr<Record> record = ParseRecord(*bytes, keys_.keys());
  absl::Status status = record.status();
  if (status.ok() && record->size_bytes != bytes->size()) {
    status = absl::DataLossError("cache entry: bytes after its record");
  }
  if (status.ok()) status = check(record->header);
  if (status.ok()) {
    absl::StatusOr<std::string> payload = LoadBlob(*record);
    if (payload.ok()) return Entry{std::move(record->header), *std::move(payload)};
    status = payload.status();
    if (absl::IsNotFound(status)) {
      Add(lost_blobs_);
      if (!options_.read_only) RemoveOrQuarantine(key, *bytes, /*quarantine=*/false);
    }
  }
  const bool refused = absl::IsDataLoss(status) || absl::IsPermissionDenied(status);
  if (refused) Refuse(key, *bytes, status);
  if (!refused && !absl::IsNotFound(status)) return status;
  return absl::NotFoundError("not in the remote cache");
}

absl::StatusOr<bool> EntryStore::Save(const EntryHeader& header, absl::string_view payload) {
  if (options_.read_only) return absl::PermissionDeniedError("the remote cache is read-only here");
  const std::vector<SigningKey> signing_keys = keys_.keys();
  const std::string bytes = EncodeRecord(header, payload, signing_keys[0]);
  ACCELD_ASSIGN_OR_RETURN(const Record record, ParseRecord(bytes, signing_keys));
  const std::string blob = Compress(payload);
  if (blob.size() > kMaxBlobBytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("an entry of ", blob.size(), " bytes; Redis takes ", kMaxBlobBytes));
  }
  const std::string ttl = absl::StrCat(options_.ttl.count());
  // The blob is written before the record, so that whoever sees the record finds the blob. Writing
  // an existing blob again is harmless, and repairs a damaged one.
  const std::string blob_name = names_.Blob(absl::BytesToHexString(record.payload_sha256));
  ACCELD_RETURN_IF_ERROR(
      redis_.Call(blob_name, {"SET", blob_name, blob, "PX", ttl}, blob.size()).status());
  Add(bytes_written_, blob.size());
  const std::string name = names_.Record(header.key);
  ACCELD_ASSIGN_OR_RETURN(const redis::Reply reply,
                          redis_.Call(name, {"SET", name, bytes, "PX", ttl, "NX"}));
  Add(reply.is_nil() ? others_were_first_ : saved_);
  return !reply.is_nil();
}

void EntryStore::RemoveOrQuarantine(const Digest& key, absl::string_view record, bool quarantine) {
  const std::string name = names_.Record(key), away = names_.Quarantine(key);
  const absl::StatusOr<redis::Reply> reply =
      redis_.Call(name, {"EVAL", kRemoveOrQuarantine, "2", name, away, record,
                         quarantine ? kQuarantineMs : absl::string_view()});
  if (!reply.ok()) LogWarning("remote cache: ", name, " stays: ", reply.status().ToString());
}

void EntryStore::Refuse(const Digest& key, absl::string_view record, const absl::Status& reason) {
  Add(refused_);
  LogWarning("remote cache: refusing ", names_.Record(key), ": ", reason.message());
  if (!options_.read_only) RemoveOrQuarantine(key, record, options_.quarantine);
}

void EntryStore::Refuse(const Digest& key, const absl::Status& reason) {
  const absl::StatusOr<std::string> record = LoadRecord(key);
  if (record.ok()) Refuse(key, *record, reason);
}

absl::Status EntryStore::ForEachKey(redis::Clock::time_point until,
                                    absl::FunctionRef<bool(const Digest&)> found) {
  ACCELD_ASSIGN_OR_RETURN(const std::vector<redis::Endpoint> nodes, redis_.Nodes());
  for (const redis::Endpoint& node : nodes) {
    std::string cursor = "0";
    for (int64_t pages = 0; pages < kMaxScans && redis::Clock::now() < until; ++pages) {
      ACCELD_ASSIGN_OR_RETURN(const redis::Reply page,
                              redis_.CallNode(node, {"SCAN", cursor, "MATCH", names_.AllRecords(),
                                                     "COUNT", kScanCount}));
      if (page.elements.size() != 2) {
        return absl::InternalError(absl::StrCat("SCAN: ", redis::ToString(page)));
      }
      cursor = page.elements[0].text;
      for (const redis::Reply& name : page.elements[1].elements) {
        const absl::optional<Digest> key = names_.KeyOfRecord(name.text);
        if (key.has_value() && !found(*key)) return absl::OkStatus();
      }
      if (cursor == "0") break;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Digest>> EntryStore::Keys() {
  // SCAN may return a key several times.
  absl::flat_hash_set<Digest> keys;
  ACCELD_RETURN_IF_ERROR(ForEachKey(redis::Clock::time_point::max(), [&](const Digest& key) {
    keys.insert(key);
    return true;
  }));
  return std::vector<Digest>(keys.begin(), keys.end());
}

absl::StatusOr<std::vector<EntryHeader>> EntryStore::List(size_t limit,
                                                          redis::Clock::time_point until) {
  absl::flat_hash_set<Digest> seen;
  std::vector<EntryHeader> headers;
  absl::Status status;
  const absl::Status found = ForEachKey(until, [&](const Digest& key) {
    if (headers.size() >= limit || redis::Clock::now() >= until) return false;
    if (!seen.insert(key).second) return true;
    const absl::StatusOr<std::string> bytes = LoadRecord(key);
    if (!bytes.ok() && !absl::IsNotFound(bytes.status())) {
      status = bytes.status();
      return false;
    }
    absl::StatusOr<Record> record = ParseRecord(bytes.ok() ? *bytes : "", keys_.keys());
    if (record.ok()) headers.push_back(std::move(record->header));
    return true;
  });
  ACCELD_RETURN_IF_ERROR(found);
  ACCELD_RETURN_IF_ERROR(status);
  return headers;
}

absl::StatusOr<EntryStore::Page> EntryStore::List(absl::string_view from, size_t count) {
  // A page token is the index of a node and its SCAN cursor, as "0:1744".
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(from, ':');
  uint64_t node = 0, cursor = 0;
  if (!from.empty() &&
      (!absl::SimpleAtoi(parts.first, &node) || !absl::SimpleAtoi(parts.second, &cursor))) {
    return absl::InvalidArgumentError(absl::StrCat("page token '", from, "' is not one of ours"));
  }
  ACCELD_ASSIGN_OR_RETURN(const std::vector<redis::Endpoint> nodes, redis_.Nodes());
  Page page;
  if (node >= nodes.size()) return page;
  ACCELD_ASSIGN_OR_RETURN(
      const redis::Reply reply,
      redis_.CallNode(nodes[node], {"SCAN", absl::StrCat(cursor), "MATCH", names_.AllRecords(),
                                    "COUNT", absl::StrCat(std::max<size_t>(1, count))}));
  if (reply.elements.size() != 2) {
    return absl::InternalError(absl::StrCat("SCAN: ", redis::ToString(reply)));
  }
  for (const redis::Reply& name : reply.elements[1].elements) {
    const absl::optional<Digest> key = names_.KeyOfRecord(name.text);
    if (!key.has_value()) continue;
    const absl::StatusOr<std::string> bytes = LoadRecord(*key);
    if (!bytes.ok() && !absl::IsNotFound(bytes.status())) return bytes.status();
    absl::StatusOr<Record> record = ParseRecord(bytes.ok() ? *bytes : "", keys_.keys());
    if (record.ok()) page.records.push_back(*std::move(record));
  }
  const std::string& next = reply.elements[0].text;
  if (next != "0") {
    page.next = absl::StrCat(node, ":", next);
  } else if (node + 1 < nodes.size()) {
    page.next = absl::StrCat(node + 1, ":0");
  }
  return page;
}

absl::StatusOr<uint64_t> EntryStore::Verify(const Digest& key) {
  ACCELD_ASSIGN_OR_RETURN(
      const Entry entry, Load(key, [&](const EntryHeader& found) {
        return CheckIsFor(
            {.key = key, .build_id = found.build_id, .architecture = found.architecture}, found);
      }));
  return entry.payload.size();
}

absl::StatusOr<bool> EntryStore::Remove(const Digest& key) {
  if (options_.read_only) return absl::PermissionDeniedError("the remote cache is read-only here");
  const std::string name = names_.Record(key);
  // The blob, no longer referred to, expires.
  ACCELD_ASSIGN_OR_RETURN(const redis::Reply reply, redis_.Call(name, {"DEL", name}));
  return reply.integer != 0;
}

void EntryStore::Touch(const Digest& key) {
  if (options_.read_only) return;
  const absl::StatusOr<std::string> bytes = LoadRecord(key);
  if (!bytes.ok()) return;
  const absl::StatusOr<Record> record = ParseRecord(*bytes, keys_.keys());
  if (!record.ok()) return;
  const std::string ttl = absl::StrCat(options_.ttl.count());
  for (const std::string& name :
       {names_.Blob(absl::BytesToHexString(record->payload_sha256)), names_.Record(key)}) {
    (void)redis_.Call(name, {"PEXPIRE", name, ttl});
  }
}

EntryStore::Stats EntryStore::stats() const {
  return {.refused = refused_.load(),
          .lost_blobs = lost_blobs_.load(),
          .saved = saved_.load(),
          .others_were_first = others_were_first_.load(),
          .bytes_read = bytes_read_.load(),
          .bytes_written = bytes_written_.load()};
}

}  // namespace acceld::cache
