/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_internal - what the documents have in common: text and JSON from
 * outside made valid, times as text, a layout that does not depend on json-c's version.
 */
#ifndef RT_REPORT_INTERNAL_H
#define RT_REPORT_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "rt/json.h"

/**
 * rt_utf8_clean() - a copy in which each byte that is no part of valid UTF-8 is U+FFFD
 * Return: heap text of the caller's; NULL without memory.
 */
char *rt_utf8_clean(const char *text);

/** rt_json_string() - a string that may come from outside; null for NULL */
struct json_object *rt_json_string(const char *text);

/** rt_json_decimal() - a number with this many digits behind the point; 0 for nan and inf */
struct json_object *rt_json_decimal(double value, int digits);

/**
 * rt_json_text() - a document with a newline at its end
 * @pretty: this many levels have one member a line, two blanks a level, as the
 *          peer's documents (an empty object takes two lines); what lies deeper
 *          stands on one line
 * Return: heap text of the caller's; NULL without memory.
 */
char *rt_json_text(struct json_object *document, unsigned int pretty);
#define RT_JSON_PRETTY_ALL 1000u

#define RT_RFC3339_MAX 48

/** rt_rfc3339() - CLOCK_REALTIME as "2026-11-30T17:35:00.123456789Z"; returns @buf of RT_RFC3339_MAX */
char *rt_rfc3339(char *buf, int64_t real_ns);

#endif
