#include "server/cache/redis/reply.h"

#include <hiredis/read.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/check.h"

namespace acceld::cache::redis {
namespace {

constexpr size_t kMaxShown = 200;
// A reader that has buffered more than this for a reply is replaced, to free its memory.
constexpr size_t kMaxKeptBytes = 1 << 20;

// Stores a reply where hiredis expects it: as a new object, or as an element of the parent array,
// which has been resized to its length.
void* StoreReply(const redisReadTask* task, Reply reply) {
  if (task->parent == nullptr) return new Reply(std::move(reply));
  auto& elements = static_cast<Reply*>(task->parent->obj)->elements;
  elements[static_cast<size_t>(task->idx)] = std::move(reply);
  return &elements[static_cast<size_t>(task->idx)];
}

void* NewString(const redisReadTask* task, char* bytes, size_t size) {
  const Reply::Type type = task->type == REDIS_REPLY_ERROR    ? Reply::Type::kError
                           : task->type == REDIS_REPLY_STATUS ? Reply::Type::kStatus
                                                              : Reply::Type::kString;
  return StoreReply(task, {.type = type, .text = std::string(bytes, size)});
}

template <typename Size>
void* NewArray(const redisReadTask* task, Size size) {
  if (static_cast<int64_t>(size) > ReplyReader::kMaxElements) return nullptr;
  size_t& left = *static_cast<size_t*>(task->privdata);
  if (static_cast<size_t>(size) > left / sizeof(Reply)) return nullptr;
  left -= static_cast<size_t>(size) * sizeof(Reply);
  Reply reply{.type = Reply::Type::kArray};
  reply.elements.resize(static_cast<size_t>(size));
  return StoreReply(task, std::move(reply));
}

void* NewInteger(const redisReadTask* task, long long value) {
  return StoreReply(task, {.type = Reply::Type::kInteger, .integer = value});
}

void* NewNil(const redisReadTask* task) { return StoreReply(task, {}); }

void Free(void* reply) { delete static_cast<Reply*>(reply); }

// Later versions of hiredis parse types of RESP3, a protocol that is never requested. Without
// functions for these types hiredis would return pointers that are no objects.
template <typename Functions>
void RefuseOtherKinds(Functions& functions) {
  if constexpr (requires { functions.createDouble; }) {
    functions.createDouble = [](const redisReadTask*, double, char*, size_t) -> void* {
      return nullptr;
    };
    functions.createBool = [](const redisReadTask*, int) -> void* { return nullptr; };
  }
}

redisReplyObjectFunctions Functions() {
  redisReplyObjectFunctions functions{};
  functions.createString = &NewString;
  // The size parameter is an int in old versions of hiredis and a size_t in later ones.
  functions.createArray = &NewArray;
  functions.createInteger = &NewInteger;
  functions.createNil = &NewNil;
  functions.freeObject = &Free;
  RefuseOtherKinds(functions);
  return functions;
}

}  // namespace

std::string ToString(const Reply& reply) {
  std::string text;
  switch (reply.type) {
    case Reply::Type::kNil:
      return "nil";
    case Reply::Type::kInteger:
      return absl::StrCat(reply.integer);
    case Reply::Type::kArray:
      text = absl::StrCat("[",
                          absl::StrJoin(reply.elements, ", ",
                                        [](std::string* out, const Reply& element) {
                                          if (out->size() < kMaxShown) *out += ToString(element);
                                        }),
                          "]");
      break;
    default:
      text = reply.text;
  }
  if (text.size() > kMaxShown) text = absl::StrCat(text.substr(0, kMaxShown), "...");
  return text;
}

ReplyReader::Reader ReplyReader::NewReader(size_t& left_for_elements) {
  static redisReplyObjectFunctions functions = Functions();
  Reader reader(redisReaderCreateWithFunctions(&functions), &redisReaderFree);
  ACCELD_CHECK(reader != nullptr);
  reader->privdata = &left_for_elements;
  return reader;
}

ReplyReader::ReplyReader(size_t max_bytes)
    : max_bytes_(max_bytes),
      left_for_elements_(max_bytes),
      reader_(NewReader(left_for_elements_)) {}

absl::StatusOr<absl::optional<Reply>> ReplyReader::Add(absl::string_view bytes) {
  bytes_ += bytes.size();
  if (bytes_ > max_bytes_) {
    return absl::DataLossError(absl::StrCat("an answer of more than ", max_bytes_, " bytes"));
  }
  void* found = nullptr;
  if (redisReaderFeed(reader_.get(), bytes.data(), bytes.size()) != REDIS_OK ||
      redisReaderGetReply(reader_.get(), &found) != REDIS_OK) {
    return absl::DataLossError(absl::StrCat("what came is no answer: ", reader_->errstr));
  }
  if (found == nullptr) return absl::optional<Reply>();
  const std::unique_ptr<Reply> reply(static_cast<Reply*>(found));
  if (reader_->pos != reader_->len) {
    return absl::DataLossError(absl::StrCat(reader_->len - reader_->pos, " bytes after an answer"));
  }
  if (bytes_ > kMaxKeptBytes) reader_ = NewReader(left_for_elements_);
  bytes_ = 0;
  left_for_elements_ = max_bytes_;
  return absl::optional<Reply>(std::move(*reply));
}

}  // namespace acceld::cache::redis
