#include "CLinux.h"
#include <stdint.h>
#include <string.h>
#include <unistd.h>

// What `/proc` tells of an address space can be megabytes long: it is read in pieces, and nothing is kept.

static int hex_digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

int gr_count_mappings(int fd, int limit, int64_t tiny_below, struct gr_mappings *found) {
    char text[1 << 16];
    uint64_t ends[2] = {0, 0};
    // 0 and 1: in the first and second number of the line; 2: behind them; 3: in the path of a file.
    int part = 0;
    memset(found, 0, sizeof *found);
    for (;;) {
        ssize_t length = read(fd, text, sizeof text);
        if (length < 0) return -1;
        if (length == 0) return 0;
        for (ssize_t at = 0; at < length; at++) {
            if (text[at] == '\n') {
                int64_t size = (int64_t)(ends[1] - ends[0]);
                if (size > found->largest) found->largest = size;
                if (part == 3 && size < tiny_below) found->tiny++;
                ends[0] = ends[1] = 0;
                part = 0;
                if (++found->count > limit) return 0;
            } else if (part < 2) {
                int digit = hex_digit(text[at]);
                if (digit < 0) part++;
                else ends[part] = ends[part] << 4 | (uint64_t)digit;
            } else if (text[at] == '/') {
                part = 3;
            }
        }
    }
}

int gr_count_purgeable(int fd, int limit) {
    static const char name[] = "LazyFree:";
    char text[1 << 16];
    // So much of the name has been read in this line; -1: it is another line.
    int matched = 0, count = 0;
    for (;;) {
        ssize_t length = read(fd, text, sizeof text);
        if (length < 0) return -1;
        if (length == 0) return count;
        for (ssize_t at = 0; at < length; at++) {
            char c = text[at];
            if (c == '\n') {
                matched = 0;
            } else if (matched == sizeof name - 1) {
                if (c < '1' || c > '9') continue;
                if (++count > limit) return count;
                matched = -1;
            } else if (matched >= 0) {
                matched = c == name[matched] ? matched + 1 : -1;
            }
        }
    }
}
