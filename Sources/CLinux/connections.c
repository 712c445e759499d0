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

// Ethernet, IPv4 and TCP with timestamps: what a segment has around its bytes.
enum { HEADERS = 66, MOST_IN_DISORDER = 1 << 20 };

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

int gr_connection_bytes(int fd, uint64_t *cookie, uint64_t *bytes) {
    struct tcp_info info;
    socklen_t length = sizeof info;
    memset(&info, 0, sizeof info);
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return 0;
    if (!leaves(fd)) return 0;
    socklen_t cookie_length = sizeof *cookie;
    if (getsockopt(fd, SOL_SOCKET, SO_COOKIE, cookie, &cookie_length) != 0) return 0;
    // What came out of order is counted by the kernel's link at once, and by the connection when the gap is closed.
    uint64_t received = info.tcpi_bytes_received;
    uint64_t segments = (uint64_t)info.tcpi_data_segs_in * info.tcpi_rcv_mss;
    if (segments > received) {
        received = segments < received + MOST_IN_DISORDER ? segments : received + MOST_IN_DISORDER;
    }
    uint64_t sent = info.tcpi_bytes_sent ? info.tcpi_bytes_sent : info.tcpi_bytes_acked;
    *bytes = received + sent + ((uint64_t)info.tcpi_segs_in + info.tcpi_segs_out) * HEADERS;
    return 1;
}
