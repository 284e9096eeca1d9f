#include "absl/strings/str_cat.h"
#include "client/pjrt/functions.h"

// The functions of the interface that acceld does not offer.
namespace acceld::pjrt {
namespace {

absl::Status NotOffered(absl::string_view what) {
  return absl::UnimplementedError(absl::StrCat("acceld does not offer ", what));
}

}  // namespace

#define NOT_OFFERED(function, what)                  \
  absl::Status function(PJRT_##function##_Args&) {   \
    return NotOffered(what " (PJRT_" #function ")"); \
  }

NOT_OFFERED(Client_UpdateGlobalProcessInfo, "clients that span processes")
NOT_OFFERED(Client_DmaMap, "registering host memory")
NOT_OFFERED(Client_DmaUnmap, "registering host memory")
NOT_OFFERED(Client_CreateViewOfDeviceBuffer, "views of memory that others own")
NOT_OFFERED(Client_CreateUninitializedBuffer, "arrays without a value")
NOT_OFFERED(Client_CreateAliasBuffer, "arrays whose value is supplied later")
NOT_OFFERED(Client_FulfillAliasBuffer, "arrays whose value is supplied later")
NOT_OFFERED(ExecuteContext_Create, "contexts of executions")
NOT_OFFERED(ExecuteContext_Destroy, "contexts of executions")
NOT_OFFERED(CopyToDeviceStream_Destroy, "streams of chunks to a device")
NOT_OFFERED(CopyToDeviceStream_AddChunk, "streams of chunks to a device")
NOT_OFFERED(CopyToDeviceStream_TotalBytes, "streams of chunks to a device")
NOT_OFFERED(CopyToDeviceStream_GranuleSize, "streams of chunks to a device")
NOT_OFFERED(CopyToDeviceStream_CurrentBytes, "streams of chunks to a device")
NOT_OFFERED(Client_CreateBuffersForAsyncHostToDevice, "uploads in parts")
NOT_OFFERED(AsyncHostToDeviceTransferManager_Destroy, "uploads in parts")
NOT_OFFERED(AsyncHostToDeviceTransferManager_TransferData, "uploads in parts")
NOT_OFFERED(AsyncHostToDeviceTransferManager_RetrieveBuffer, "uploads in parts")
NOT_OFFERED(AsyncHostToDeviceTransferManager_Device, "uploads in parts")
NOT_OFFERED(AsyncHostToDeviceTransferManager_BufferCount, "uploads in parts")
NOT_OFFERED(AsyncHostToDeviceTransferManager_BufferSize, "uploads in parts")
NOT_OFFERED(AsyncHostToDeviceTransferManager_SetBufferError, "uploads in parts")
NOT_OFFERED(AsyncHostToDeviceTransferManager_TransferLiteral, "uploads in parts")
NOT_OFFERED(AsyncHostToDeviceTransferManager_AddMetadata, "uploads in parts")
NOT_OFFERED(Client_CreateErrorBuffer, "arrays of an error that the framework makes")
NOT_OFFERED(Buffer_CopyRawToHostFuture, "fetches to where the framework says later")
NOT_OFFERED(Buffer_DonateWithControlDependency, "arrays that wait for the framework")
NOT_OFFERED(Device_PoisonExecution, "executions that the framework ends with an error")
NOT_OFFERED(AsyncTrackingEvent_Destroy, "events that the framework makes")
NOT_OFFERED(Event_Create, "events that the framework makes")
NOT_OFFERED(Event_Set, "events that the framework makes")

#undef NOT_OFFERED

}  // namespace acceld::pjrt
