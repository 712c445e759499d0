// What the kernel has counted of a TCP connection of this process.
#define _GNU_SOURCE
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

#include "CLinux.h"

#ifndef SO_COOKIE
#define SO_COOKIE 57
#endif

static int is_loopback(const struct sockaddr_storage *address) {
    if (address->ss_family == AF_INET) {
        return (ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24) == 127;
    }
    const struct in6_addr *in6 = &((const struct sockaddr_in6 *)address)->sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(in6) || (IN6_IS_ADDR_V4MAPPED(in6) && in6->s6_addr[12] == 127);
}

// Whether what is sent to its other end leaves this machine.
static int leaves(int fd) {
    struct sockaddr_storage here, there;
    socklen_t here_length = sizeof here, there_length = sizeof there;
    memset(&here, 0, sizeof here);
    memset(&there, 0, sizeof there);
    if (getsockname(fd, (struct sockaddr *)&here, &here_length) != 0) return 0;
    if (getpeername(fd, (struct sockaddr *)&there, &there_length) != 0) return 0;
    if (there.ss_family == AF_INET) {
        const struct sockaddr_in *a = (const struct sockaddr_in *)&here, *b = (const struct sockaddr_in *)&there;
        return !is_loopback(&there) && a->sin_addr.s_addr != b->sin_addr.s_addr;
    }
    if (there.ss_family == AF_INET6) {
        const struct sockaddr_in6 *a = (const struct sockaddr_in6 *)&here, *b = (const struct sockaddr_in6 *)&there;
        return !is_loopback(&there) && memcmp(&a->sin6_addr, &b->sin6_addr, sizeof a->sin6_addr) != 0;
    }
    return 0;
}

int gr_connection_look(int fd, gr_own_connection *found) {
    struct tcp_info info;
    socklen_t length = sizeof info, cookie_length = sizeof found->cookie;
    memset(&info, 0, sizeof info);
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return 0;
    if (!leaves(fd)) return 0;
    if (getsockopt(fd, SOL_SOCKET, SO_COOKIE, &found->cookie, &cookie_length) != 0) return 0;
    found->received = info.tcpi_bytes_received;
    found->received_segments = info.tcpi_data_segs_in;
    found->segments = (uint64_t)info.tcpi_segs_in + info.tcpi_segs_out;
    found->sent = info.tcpi_bytes_sent ? info.tcpi_bytes_sent : info.tcpi_bytes_acked;
    return 1;
}

void gr_bound_window(int fd, int bytes) { setsockopt(fd, IPPROTO_TCP, TCP_WINDOW_CLAMP, &bytes, sizeof bytes); }
