/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory - what a measuring thread touches is there before it starts: locked,
 * on its own NUMA node, every page faulted in.
 */
#ifndef RT_MEMORY_H
#define RT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rt/err.h"

/**
 * rt_memory_lock() - mlockall(MCL_CURRENT | MCL_FUTURE)
 *
 * glibc's per-thread malloc arenas are switched off first: with MCL_FUTURE each
 * of them would be faulted in.
 *
 * Return: 0; -EPERM or -ENOMEM with RLIMIT_MEMLOCK and CAP_IPC_LOCK named (RT_EXIT_MISSING).
 */
int rt_memory_lock(struct rt_err *err);

/**
 * rt_memory_check() - has the system room for @count times @each bytes?
 * @lower: what to lower if not: "fewer threads or histogram buckets"
 *
 * For plans: Linux gives addresses for more than there is, and a process is killed when
 * it touches them. What the cgroups of this process allow counts, too, less what
 * they hold of files on disks, which the kernel gives back. Less than 16 MiB is not looked at.
 *
 * Return: 0; -ENOMEM with a sentence (RT_EXIT_MISSING).
 */
int rt_memory_check(uint64_t count, uint64_t each, const char *lower, struct rt_err *err);

/** rt_memory_lock_fits() - would locking what is mapped now pass RLIMIT_MEMLOCK? */
bool rt_memory_lock_fits(void);

/** rt_memory_lock_fits_with() - and with @more bytes that will be mapped later? */
bool rt_memory_lock_fits_with(size_t more);

/**
 * rt_memory_try_lock() - rt_memory_lock() for those whose users did not ask for it in words
 * @more: bytes that the tool will map after it: it is not begun where they would not fit
 * Return: 0; a negative errno with a sentence (RT_EXIT_MISSING), to be told as a warning.
 */
int rt_memory_try_lock(size_t more, struct rt_err *err);

/** rt_numa_available() - was libnuma built in, and has this kernel NUMA? */
bool rt_numa_available(void);

/** rt_numa_node_of() - node of a CPU; -1 when unknown or without NUMA */
int rt_numa_node_of(int cpu);

/**
 * rt_node_alloc() - zeroed, page-aligned memory on a node, every page touched
 * @node: -1: wherever the kernel likes
 * Return: the memory; NULL with errno set. End with rt_node_free(same size).
 */
void *rt_node_alloc(size_t size, int node);
void rt_node_free(void *p, size_t size);

/** rt_shared_alloc() - the same, and forked members see it too; end with rt_node_free(same size) */
void *rt_shared_alloc(size_t size, int node);

/** rt_node_bind() - let a mapping's pages be taken from a node at their first touch */
void rt_node_bind(void *p, size_t size, int node);

/**
 * rt_stack_size() - of a measuring thread: 64 KiB, so that a thousand fit, or what the C
 * library asks for at least, which is 128 KiB on arm64
 */
size_t rt_stack_size(void);

/**
 * rt_stack_alloc() - a thread's stack with a guard page below, touched, on a node
 * @size: of the usable part
 * Return: lowest usable address; NULL with errno set. End with rt_stack_free(same size).
 */
void *rt_stack_alloc(size_t size, int node);
void rt_stack_free(void *stack, size_t size);

/** rt_page_size() - of this machine, in bytes */
size_t rt_page_size(void);

/** rt_page_round() - up to whole pages */
size_t rt_page_round(size_t size);

#endif
