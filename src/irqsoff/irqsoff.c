/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * irqsoff - the longest section with interrupts switched off.
 */
#include "irqsoff.h"

int main(int argc, char **argv)
{
	return irq_main(&irq_irqsoff, argc, argv);
}
