#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/engine/engine_impl.h"
#include "server/engine/session/session_impl.h"
#include "server/engine/session/upload_state.h"
#include "server/engine/sharing/content_table.h"

// Uploads with an announced digest, so that equal content is sent and stored only once.
namespace acceld::engine {

absl::Status SessionImpl::OfferContent(Handle handle, const Digest& digest) {
  std::shared_ptr<UploadState> upload = FindUpload(handle);
  if (upload == nullptr) {
    // The client has asked again because the first answer was lost.
    return Find(handle).status();
  }
  std::shared_ptr<hal::Buffer> known =
      engine_.contents()->FindOwn(upload->KeyFor(digest), options_.identity.name);
  if (known == nullptr) {
    ACCELD_RETURN_IF_ERROR(upload->Expect(digest));
    return absl::NotFoundError("this content is not here yet");
  }
  upload = TakeUpload(handle);
  if (upload == nullptr) return absl::OkStatus();  // the upload has ended meanwhile
  ACCELD_RETURN_IF_ERROR(upload->Settle());
  upload->task()->outputs[0]->ShareContent();
  const int64_t size_bytes = known->size_bytes();
  engine_.contents()->CountSaved(size_bytes);
  SubmitUpload(upload->task(), {nullptr, size_bytes, nullptr, std::move(known)});
  return absl::OkStatus();
}

void SessionImpl::ShareContent(const UploadState& upload, runtime::Upload& bytes) {
  const absl::optional<ContentTable::Key> key = upload.content();
  if (!key.has_value()) return;
  const std::shared_ptr<ContentTable>& contents = engine_.contents();
  upload.task()->outputs[0]->ShareContent();
  if (std::shared_ptr<hal::Buffer> same = contents->Find(*key); same != nullptr) {
    contents->CountSaved(bytes.size_bytes);
    bytes = {nullptr, bytes.size_bytes, nullptr, std::move(same)};
  }
  const std::shared_ptr<runtime::Array>& array = upload.task()->outputs[0];
  array->OnFinal([contents, key = *key, identity = options_.identity.name,
                  weak = std::weak_ptr<runtime::Array>(array)](const absl::Status& status) {
    const std::shared_ptr<runtime::Array> defined = weak.lock();
    if (status.ok() && defined != nullptr) contents->Add(key, identity, defined);
  });
}

}  // namespace acceld::engine
