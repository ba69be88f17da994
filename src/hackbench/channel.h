/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * channel - the ways from a sender to a receiver: pairs of descriptors.
 */
#ifndef HB_CHANNEL_H
#define HB_CHANNEL_H

#include "rt/err.h"

enum hb_channel_kind { HB_SOCKETPAIR = 0, HB_PIPE, HB_TCP };

/** hb_channel_name() - "socketpair", "pipe", "inet" */
const char *hb_channel_name(enum hb_channel_kind kind);

/** struct hb_channels - where they come from */
struct hb_channels {
	enum hb_channel_kind kind;
	int listener; /* TCP only; else -1 */
};

int hb_channels_init(struct hb_channels *c, enum hb_channel_kind kind, struct rt_err *err);
void hb_channels_done(struct hb_channels *c);

/**
 * hb_channel_open() - one way, both ends blocking
 * Return: 0; a negative errno with a sentence, both are -1 then.
 */
int hb_channel_open(struct hb_channels *c, int *ret_inlet, int *ret_outlet, struct rt_err *err);

#endif
