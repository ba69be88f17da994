/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * files - the kernel's small text files.
 */
#ifndef RT_FILES_H
#define RT_FILES_H

/**
 * rt_read_line() - first line of a small file, without its newline
 * Return: heap memory of the caller's; NULL with errno set.
 */
char *rt_read_line(const char *path);

#endif
