/* SPDX-License-Identifier: GPL-2.0-or-later */
/* power_internal - a mock tree for the tests of the power room. */
#ifndef RT_POWER_INTERNAL_H
#define RT_POWER_INTERNAL_H

/** rt_power_root_for_tests() - stands before /dev and /sys; "" for the real ones */
void rt_power_root_for_tests(const char *root);

#endif
