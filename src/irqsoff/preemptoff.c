/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * preemptoff - the longest section with preemption switched off.
 */
#include "irqsoff.h"

int main(int argc, char **argv)
{
	return irq_main(&irq_preemptoff, argc, argv);
}
