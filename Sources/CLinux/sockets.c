// Stream sockets of other processes, by duplicates of their descriptors.
#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <linux/input.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

int gr_pidfd_getfd(int pidfd, int fd) { return (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0); }

static int option(int fd, int name) {
    int value = 0;
    socklen_t length = sizeof value;
    return getsockopt(fd, SOL_SOCKET, name, &value, &length) == 0 ? value : -1;
}

// An IPv4 address is the same address when it is mapped into IPv6.
static int flatten(const struct sockaddr_storage *address, uint8_t *bytes, uint16_t *port) {
    if (address->ss_family == AF_INET) {
        const struct sockaddr_in *in = (const struct sockaddr_in *)address;
        memcpy(bytes, &in->sin_port, 2);
        memcpy(bytes + 2, &in->sin_addr, 4);
        *port = ntohs(in->sin_port);
        return 6;
    }
    if (address->ss_family == AF_INET6) {
        const struct sockaddr_in6 *in = (const struct sockaddr_in6 *)address;
        memcpy(bytes, &in->sin6_port, 2);
        *port = ntohs(in->sin6_port);
        if (IN6_IS_ADDR_V4MAPPED(&in->sin6_addr)) {
            memcpy(bytes + 2, in->sin6_addr.s6_addr + 12, 4);
            return 6;
        }
        memcpy(bytes + 2, &in->sin6_addr, 16);
        return 18;
    }
    return 0;
}

static void unix_path(const struct sockaddr_storage *address, socklen_t length, char *path, size_t room) {
    const struct sockaddr_un *un = (const struct sockaddr_un *)address;
    size_t count = length > offsetof(struct sockaddr_un, sun_path) ? length - offsetof(struct sockaddr_un, sun_path) : 0;
    if (count >= room) count = room - 1;
    memcpy(path, un->sun_path, count);
    path[count] = 0;
    if (count > 0 && path[0] == 0) path[0] = '@';
}

int gr_socket_info(int fd, struct gr_socket *info) {
    memset(info, 0, sizeof *info);
    int type = option(fd, SO_TYPE);
    if (type < 0) return errno == ENOTSOCK ? 0 : -1;
    info->family = option(fd, SO_DOMAIN);
    if (type != SOCK_STREAM && type != SOCK_SEQPACKET) return 0;
    if (info->family != AF_INET && info->family != AF_INET6 && info->family != AF_UNIX) return 0;
    info->is_listening = option(fd, SO_ACCEPTCONN) == 1;
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    memset(&address, 0, sizeof address);
    if (getsockname(fd, (struct sockaddr *)&address, &length) != 0) return -1;
    if (info->family == AF_UNIX) unix_path(&address, length, info->path, sizeof info->path);
    else info->local_length = flatten(&address, info->local, &info->port);
    if (info->is_listening) {
        struct tcp_info tcp;
        socklen_t size = sizeof tcp;
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        if (poll(&ready, 1, 0) == 1) info->waiting = 1;
        if (info->waiting && info->family != AF_UNIX && getsockopt(fd, IPPROTO_TCP, TCP_INFO, &tcp, &size) == 0
            && tcp.tcpi_unacked > 0)
            info->waiting = (int)tcp.tcpi_unacked;
        return 1;
    }
    uint16_t port;
    length = sizeof address;
    info->is_connected = getpeername(fd, (struct sockaddr *)&address, &length) == 0;
    info->left_since = -1;
    if (info->is_connected && info->family == AF_UNIX) unix_path(&address, length, info->peer_path, sizeof info->peer_path);
    if (!info->is_connected || info->family == AF_UNIX) return 1;
    info->peer_length = flatten(&address, info->peer, &port);
    struct tcp_info tcp;
    socklen_t size = sizeof tcp;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &tcp, &size) == 0 && tcp.tcpi_state == TCP_CLOSE_WAIT) {
        uint32_t last = tcp.tcpi_last_data_recv;
        if (tcp.tcpi_last_data_sent < last) last = tcp.tcpi_last_data_sent;
        if (tcp.tcpi_last_ack_recv < last) last = tcp.tcpi_last_ack_recv;
        info->left_since = last;
    }
    return 1;
}

ssize_t gr_peek(int socket, void *bytes, size_t length) {
    ssize_t count;
    do count = recv(socket, bytes, length, MSG_PEEK | MSG_DONTWAIT);
    while (count < 0 && errno == EINTR);
    return count;
}

int gr_grabs_input(int fd) {
    // The kernel lets go of a grab only for its owner, and this is how it is known.
    return ioctl(fd, EVIOCGRAB, (void *)0) == 0 && ioctl(fd, EVIOCGRAB, (void *)1) == 0;
}

int gr_refuse_peer(int listener) {
    // The listener may block, and its flags are the app's.
    struct pollfd ready = {.fd = listener, .events = POLLIN};
    int count = poll(&ready, 1, 0);
    if (count <= 0) return count < 0 && errno != EINTR ? -1 : 0;
    if (ready.revents & POLLNVAL) {
        errno = EBADF;
        return -1;
    }
    int peer = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (peer < 0) return errno == EAGAIN || errno == ECONNABORTED || errno == EINTR ? 0 : -1;
    struct linger reset = {.l_onoff = 1, .l_linger = 0};
    setsockopt(peer, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    close(peer);
    return 1;
}

int gr_break_connection(int fd) {
    struct sockaddr none;
    memset(&none, 0, sizeof none);
    none.sa_family = AF_UNSPEC;
    if (connect(fd, &none, sizeof none) == 0) return 0;
    return shutdown(fd, SHUT_RDWR);
}

int64_t gr_socket_memory(int fd) {
    // As in linux/sock_diag.h: received, its limit, sent, its limit, set aside, queued to be sent, options, backlog.
    uint32_t memory[9] = {0};
    socklen_t length = sizeof memory;
    if (getsockopt(fd, SOL_SOCKET, 55 /* SO_MEMINFO */, memory, &length) != 0) return -1;
    if (option(fd, SO_DOMAIN) != AF_UNIX) {
        uint32_t sent = memory[5] > memory[2] ? memory[5] : memory[2];
        return (int64_t)memory[0] + sent + memory[4] + memory[7];
    }
    // What waits in a Unix socket is its sender's; but nobody else's where the sender has gone.
    struct pollfd peer = {.fd = fd, .events = POLLRDHUP};
    int64_t left = 0;
    if (poll(&peer, 1, 0) == 1 && (peer.revents & (POLLHUP | POLLRDHUP))) left = gr_unread(fd);
    return (int64_t)memory[2] + memory[6] + (left > 0 ? left : 0);
}

#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

int gr_refuse_descriptors(int socket) {
    int no = 0;
    return setsockopt(socket, SOL_SOCKET, SO_PASSRIGHTS, &no, sizeof no);
}

ssize_t gr_read_alone(int socket, void *bytes, size_t length) {
    // As many as the kernel lets ride on one message: what did not fit it would close itself, with all that this can
    // wait for.
    enum { MOST = 253 };
    union { struct cmsghdr header; char space[CMSG_SPACE(sizeof(int) * MOST)]; } control;
    struct iovec part = {.iov_base = bytes, .iov_len = length};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (got < 0) return got;
    for (struct cmsghdr *item = CMSG_FIRSTHDR(&message); item; item = CMSG_NXTHDR(&message, item)) {
        if (item->cmsg_level != SOL_SOCKET || item->cmsg_type != SCM_RIGHTS) continue;
        size_t count = (item->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd;
            struct linger at_once = {.l_onoff = 0, .l_linger = 0};
            memcpy(&fd, CMSG_DATA(item) + sizeof(int) * i, sizeof fd);
            // The last to close a lingering socket waits until its peer has everything.
            setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
            close(fd);
        }
    }
    return got;
}

int gr_set_send_limit(int socket, int milliseconds) {
    struct timeval limit = {.tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000};
    return setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}
