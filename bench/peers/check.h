// SPDX-License-Identifier: MIT
// Ends the program when a call failed: a comparison with a broken contender says nothing.
#ifndef PEERS_CHECK_H
#define PEERS_CHECK_H

#include <shoal/base.h>
#include <stdexcept>

inline void check(shoal_status status)
{
    if (status != SHOAL_OK)
        throw std::runtime_error(shoal_status_text(status));
}

#endif
