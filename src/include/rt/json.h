/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json - json-c, or its absence. Built with JSON=0 the same calls build nothing,
 * so that whoever fills a document needs no #ifdef; and nobody gets there, since
 * rt_results_check() refuses each option that asks for a document.
 */
#ifndef RT_JSON_H
#define RT_JSON_H

#ifdef HAVE_JSON

#include <json-c/json.h>

#define RT_HAS_JSON 1
#define RT_JSON_NOTE ""

#else

#include <stddef.h>
#include <stdint.h>

#define RT_HAS_JSON 0
#define RT_JSON_NOTE "; not in this build, which has no json-c (JSON=0)" /* for --help */

struct json_object;

struct json_object_iterator {
	const void *at;
};

enum json_type { json_type_object, json_type_array };

#define JSON_C_TO_STRING_PLAIN 0
#define JSON_C_TO_STRING_NOSLASHESCAPE 0

static inline struct json_object *json_object_new_object(void)
{
	return NULL;
}

static inline struct json_object *json_object_new_array(void)
{
	return NULL;
}

static inline struct json_object *json_object_new_string(const char *text)
{
	(void)text;
	return NULL;
}

static inline struct json_object *json_object_new_int(int32_t value)
{
	(void)value;
	return NULL;
}

static inline struct json_object *json_object_new_int64(int64_t value)
{
	(void)value;
	return NULL;
}

static inline struct json_object *json_object_new_boolean(int value)
{
	(void)value;
	return NULL;
}

static inline struct json_object *json_object_new_double_s(double value, const char *text)
{
	(void)value;
	(void)text;
	return NULL;
}

static inline int json_object_object_add(struct json_object *o, const char *key,
					 struct json_object *member)
{
	(void)o;
	(void)key;
	(void)member;
	return -1;
}

static inline int json_object_array_add(struct json_object *array, struct json_object *element)
{
	(void)array;
	(void)element;
	return -1;
}

static inline size_t json_object_array_length(const struct json_object *array)
{
	(void)array;
	return 0;
}

static inline struct json_object *json_object_array_get_idx(const struct json_object *array,
							    size_t i)
{
	(void)array;
	(void)i;
	return NULL;
}

static inline int json_object_is_type(const struct json_object *o, enum json_type type)
{
	(void)o;
	(void)type;
	return 0;
}

static inline struct json_object_iterator json_object_iter_begin(struct json_object *o)
{
	return (struct json_object_iterator){ o };
}

static inline struct json_object_iterator json_object_iter_end(const struct json_object *o)
{
	return (struct json_object_iterator){ o };
}

static inline int json_object_iter_equal(const struct json_object_iterator *a,
					 const struct json_object_iterator *b)
{
	return a->at == b->at;
}

static inline void json_object_iter_next(struct json_object_iterator *at)
{
	(void)at;
}

static inline const char *json_object_iter_peek_name(const struct json_object_iterator *at)
{
	(void)at;
	return NULL;
}

static inline struct json_object *
json_object_iter_peek_value(const struct json_object_iterator *at)
{
	(void)at;
	return NULL;
}

static inline const char *json_object_to_json_string_ext(struct json_object *o, int flags)
{
	(void)o;
	(void)flags;
	return NULL;
}

static inline int json_object_put(struct json_object *o)
{
	(void)o;
	return 0;
}

#endif

#endif
