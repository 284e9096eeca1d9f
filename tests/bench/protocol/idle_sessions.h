#pragma once

#include "tests/support/net/certificates.h"

// The daemon's memory for sessions that do nothing.
namespace acceld::bench {

// Prints, for each transport, by how much the resident memory of a daemon (without that of files)
// has grown for each of so many sessions that have executed one program, fetched the result and
// done nothing for some seconds. Takes about half a minute.
void MeasureIdleSessions(const testing::Authority& authority,
                         const testing::CertificateFiles& certificate, int sessions);

}  // namespace acceld::bench
