// Bytes that processes move over the network: counted by a program in the kernel, or told by it of each connection.
#define _GNU_SOURCE
#include "CLinux.h"
#include <arpa/inet.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

// --- Counting in the kernel -----------------------------------------------------------------------------------

static long bpf(int command, union bpf_attr *attributes) {
    return syscall(SYS_bpf, command, attributes, sizeof *attributes);
}

// Every network namespace has its loopback under this number.
enum { loopback = 1 };

// Adds a packet's length at `offset` of the map's value for its socket's cgroup, unless it stays on the machine or the
// map has none for that cgroup; lets every packet pass.
static int load_counter(int map, int offset, enum bpf_attach_type where) {
#define INSTRUCTION(operation, to, from, displacement, immediate)              \
    ((struct bpf_insn){.code = (operation), .dst_reg = (to), .src_reg = (from), \
                       .off = (displacement), .imm = (immediate)})
    const struct bpf_insn program[] = {
        // r6 = the packet; on the loopback nothing is counted.
        INSTRUCTION(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_6, BPF_REG_1, 0, 0),
        INSTRUCTION(BPF_LDX | BPF_MEM | BPF_W, BPF_REG_2, BPF_REG_1, offsetof(struct __sk_buff, ifindex), 0),
        INSTRUCTION(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_2, 0, 11, loopback),
        // r0 = the address of the cgroup's value.
        INSTRUCTION(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_1, BPF_REG_6, 0, 0),
        INSTRUCTION(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_skb_cgroup_id),
        INSTRUCTION(BPF_STX | BPF_MEM | BPF_DW, BPF_REG_10, BPF_REG_0, -8, 0),
        INSTRUCTION(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_2, BPF_REG_10, 0, 0),
        INSTRUCTION(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_2, 0, 0, -8),
        INSTRUCTION(BPF_LD | BPF_DW | BPF_IMM, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0, map),
        INSTRUCTION(0, 0, 0, 0, 0),
        INSTRUCTION(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem),
        INSTRUCTION(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 2, 0),
        // Processors count at the same time, so it is added in one step.
        INSTRUCTION(BPF_LDX | BPF_MEM | BPF_W, BPF_REG_1, BPF_REG_6, offsetof(struct __sk_buff, len), 0),
        INSTRUCTION(BPF_STX | BPF_XADD | BPF_DW, BPF_REG_0, BPF_REG_1, (int16_t)offset, 0),
        INSTRUCTION(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 1),
        INSTRUCTION(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
    };
#undef INSTRUCTION
    static const char license[] = "MIT";
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.prog_type = BPF_PROG_TYPE_CGROUP_SKB;
    attributes.insn_cnt = sizeof program / sizeof program[0];
    attributes.insns = (uint64_t)(uintptr_t)program;
    attributes.license = (uint64_t)(uintptr_t)license;
    attributes.expected_attach_type = where;
    return (int)bpf(BPF_PROG_LOAD, &attributes);
}

static void close_quietly(int fd) {
    int error = errno;
    if (fd >= 0) close(fd);
    errno = error;
}

// The program is there as long as the link that is returned is open, and the group exists; it sees the packets of all
// groups below as well.
static int link_counter(int group, int map, int offset, enum bpf_attach_type where) {
    int program = load_counter(map, offset, where);
    if (program < 0) return -1;
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.link_create.prog_fd = (uint32_t)program;
    attributes.link_create.target_fd = (uint32_t)group;
    attributes.link_create.attach_type = where;
    int link = (int)bpf(BPF_LINK_CREATE, &attributes);
    close_quietly(program);
    return link;
}

int gr_count_traffic(int group, struct gr_traffic_counter *counter) {
    *counter = (struct gr_traffic_counter){-1, -1, -1};
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.map_type = BPF_MAP_TYPE_HASH;
    attributes.key_size = sizeof(uint64_t);
    attributes.value_size = sizeof(struct gr_traffic);
    // Takes memory for those that are there only.
    attributes.max_entries = 1 << 16;
    attributes.map_flags = BPF_F_NO_PREALLOC;
    counter->map = (int)bpf(BPF_MAP_CREATE, &attributes);
    if (counter->map < 0) return -1;
    counter->sent =
        link_counter(group, counter->map, offsetof(struct gr_traffic, sent), BPF_CGROUP_INET_EGRESS);
    if (counter->sent >= 0) {
        counter->received =
            link_counter(group, counter->map, offsetof(struct gr_traffic, received), BPF_CGROUP_INET_INGRESS);
        if (counter->received >= 0) return 0;
    }
    close_quietly(counter->sent);
    close_quietly(counter->map);
    return -1;
}

static int with_value(int command, int map, uint64_t group, struct gr_traffic *traffic) {
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.map_fd = (uint32_t)map;
    attributes.key = (uint64_t)(uintptr_t)&group;
    attributes.value = (uint64_t)(uintptr_t)traffic;
    return (int)bpf(command, &attributes);
}

int gr_begin_traffic(int map, uint64_t group) {
    struct gr_traffic nothing = {0, 0};
    return with_value(BPF_MAP_UPDATE_ELEM, map, group, &nothing);
}

int gr_read_traffic(int map, uint64_t group, struct gr_traffic *traffic) {
    return with_value(BPF_MAP_LOOKUP_ELEM, map, group, traffic);
}

void gr_end_traffic(int map, uint64_t group) { with_value(BPF_MAP_DELETE_ELEM, map, group, NULL); }

// --- Asking for connections -----------------------------------------------------------------------------------

enum { listening = 10, time_wait = 6 };

static int is_loopback(const struct inet_diag_sockid *id, int family) {
    if (family == AF_INET) return (ntohl(id->idiag_src[0]) >> 24) == 127 || id->idiag_src[0] == id->idiag_dst[0];
    int begins_empty = id->idiag_src[0] == 0 && id->idiag_src[1] == 0;
    if (begins_empty && id->idiag_src[2] == 0 && ntohl(id->idiag_src[3]) == 1) return 1;
    int is_mapped = begins_empty && ntohl(id->idiag_src[2]) == 0xffff;
    if (is_mapped && (ntohl(id->idiag_src[3]) >> 24) == 127) return 1;
    return memcmp(id->idiag_src, id->idiag_dst, 16) == 0;
}

static void note(const struct nlmsghdr *header, int family, struct gr_connection *connections, int room, int *count) {
    const struct inet_diag_msg *message = (const struct inet_diag_msg *)(header + 1);
    if (header->nlmsg_len < NLMSG_LENGTH(sizeof *message) || message->idiag_inode == 0) return;
    if (is_loopback(&message->id, family)) return;
    int left = (int)header->nlmsg_len - (int)NLMSG_LENGTH(sizeof *message);
    const struct nlattr *attribute = (const struct nlattr *)(message + 1);
    while (left >= (int)sizeof *attribute && attribute->nla_len >= sizeof *attribute && attribute->nla_len <= left) {
        size_t length = attribute->nla_len - NLA_HDRLEN;
        struct tcp_info info;
        if (attribute->nla_type == INET_DIAG_INFO && length >= offsetof(struct tcp_info, tcpi_bytes_received) + 8) {
            memset(&info, 0, sizeof info);
            memcpy(&info, (const char *)attribute + NLA_HDRLEN, length < sizeof info ? length : sizeof info);
            if (*count < room) {
                connections[*count] = (struct gr_connection){
                    .inode = message->idiag_inode,
                    .traffic = {.sent = info.tcpi_bytes_acked, .received = info.tcpi_bytes_received}};
            }
            ++*count;
            return;
        }
        int step = NLA_ALIGN(attribute->nla_len);
        left -= step;
        attribute = (const struct nlattr *)((const char *)attribute + step);
    }
}

static int request(int fd, int family) {
    struct {
        struct nlmsghdr header;
        struct inet_diag_req_v2 what;
    } message;
    memset(&message, 0, sizeof message);
    message.header.nlmsg_len = sizeof message;
    message.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    message.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    message.what.sdiag_family = (uint8_t)family;
    message.what.sdiag_protocol = IPPROTO_TCP;
    message.what.idiag_ext = 1 << (INET_DIAG_INFO - 1);
    message.what.idiag_states = 0xfff & ~(1u << listening) & ~(1u << time_wait);
    return send(fd, &message, sizeof message, 0) == (ssize_t)sizeof message ? 0 : -1;
}

int gr_connections(int family, struct gr_connection *connections, int room) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (fd < 0) return -1;
    // The kernel answers at once; it must not hold a worker for ever all the same.
    struct timeval patience = {.tv_sec = 2};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    int count = 0, result = request(fd, family);
    _Alignas(struct nlmsghdr) char buffer[32768];
    while (result == 0) {
        ssize_t length = recv(fd, buffer, sizeof buffer, 0);
        if (length < 0 && errno == EINTR) continue;
        if (length <= 0) {
            if (length == 0) errno = EPIPE;
            result = -1;
            break;
        }
        int left = (int)length;
        for (const struct nlmsghdr *header = (const struct nlmsghdr *)buffer; NLMSG_OK(header, left);
             header = NLMSG_NEXT(header, left)) {
            if (header->nlmsg_type == NLMSG_DONE) {
                result = 1;
                break;
            }
            if (header->nlmsg_type == NLMSG_ERROR) {
                const struct nlmsgerr *error = (const struct nlmsgerr *)(header + 1);
                errno = header->nlmsg_len >= NLMSG_LENGTH(sizeof *error) && error->error < 0 ? -error->error : EPROTO;
                result = -1;
                break;
            }
            if (header->nlmsg_type == SOCK_DIAG_BY_FAMILY) note(header, family, connections, room, &count);
        }
    }
    close_quietly(fd);
    return result == 1 ? count : -1;
}
