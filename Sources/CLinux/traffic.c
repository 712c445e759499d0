// What processes move over the network: counted and put last by a program in the kernel, or told by it of each
// connection; and how packets wait for an interface.
#define _GNU_SOURCE
#include "CLinux.h"
#include <arpa/inet.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
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

// The priority of packets of apps in the background. Wi-Fi takes 256 to 263 for its own classes, of which 257 is the
// last one. The disciplines that divide by priority look at the lowest bits, in which 1 is the last as well.
enum { last_priority = 257 };

#define INSTRUCTION(operation, to, from, displacement, immediate)              \
    ((struct bpf_insn){.code = (operation), .dst_reg = (to), .src_reg = (from), \
                       .off = (displacement), .imm = (immediate)})

// r0 = the address of the map's value for the cgroup whose number lies in the frame, or 0: five instructions.
#define LOOK_UP(map)                                                            \
    INSTRUCTION(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_2, BPF_REG_10, 0, 0),      \
    INSTRUCTION(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_2, 0, 0, -8),              \
    INSTRUCTION(BPF_LD | BPF_DW | BPF_IMM, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0, (map)), \
    INSTRUCTION(0, 0, 0, 0, 0),                                                 \
    INSTRUCTION(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem)

// Adds a packet's length at `offset` of the map's value for its socket's cgroup, unless it stays on the machine or the
// map has none for that cgroup. The packet also gets the last priority if the map `lowered` has that cgroup; -1 stands
// for no such map. Every packet passes.
static int load_counter(int map, int lowered, int offset, enum bpf_attach_type where) {
    struct bpf_insn program[] = {
        // r6 = the packet; on the loopback nothing is counted. The end is set below.
        INSTRUCTION(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_6, BPF_REG_1, 0, 0),
        INSTRUCTION(BPF_LDX | BPF_MEM | BPF_W, BPF_REG_2, BPF_REG_1, offsetof(struct __sk_buff, ifindex), 0),
        INSTRUCTION(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_2, 0, 0, loopback),
        INSTRUCTION(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_1, BPF_REG_6, 0, 0),
        INSTRUCTION(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_skb_cgroup_id),
        INSTRUCTION(BPF_STX | BPF_MEM | BPF_DW, BPF_REG_10, BPF_REG_0, -8, 0),
        LOOK_UP(map),
        INSTRUCTION(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 2, 0),
        // Processors count at the same time, so it is added in one step.
        INSTRUCTION(BPF_LDX | BPF_MEM | BPF_W, BPF_REG_1, BPF_REG_6, offsetof(struct __sk_buff, len), 0),
        INSTRUCTION(BPF_STX | BPF_XADD | BPF_DW, BPF_REG_0, BPF_REG_1, (int16_t)offset, 0),
        // Left out where nothing is lowered.
        LOOK_UP(lowered),
        INSTRUCTION(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 2, 0),
        INSTRUCTION(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_1, 0, 0, last_priority),
        INSTRUCTION(BPF_STX | BPF_MEM | BPF_W, BPF_REG_6, BPF_REG_1, offsetof(struct __sk_buff, priority), 0),
        INSTRUCTION(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 1),
        INSTRUCTION(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
    };
    enum { passed = 2, lowering = 14, length_of_lowering = 8, last = 2 };
    size_t count = sizeof program / sizeof program[0];
    if (lowered < 0) {
        memmove(program + lowering, program + lowering + length_of_lowering, last * sizeof program[0]);
        count -= length_of_lowering;
    }
    program[passed].off = (int16_t)(count - last - passed - 1);
    static const char license[] = "MIT";
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.prog_type = BPF_PROG_TYPE_CGROUP_SKB;
    attributes.insn_cnt = (uint32_t)count;
    attributes.insns = (uint64_t)(uintptr_t)program;
    attributes.license = (uint64_t)(uintptr_t)license;
    attributes.expected_attach_type = where;
    return (int)bpf(BPF_PROG_LOAD, &attributes);
}
#undef LOOK_UP
#undef INSTRUCTION

static void close_quietly(int fd) {
    int error = errno;
    if (fd >= 0) close(fd);
    errno = error;
}

// The program is there as long as the link that is returned is open, and the group exists; it sees the packets of all
// groups below as well.
static int link_counter(int group, int map, int lowered, int offset, enum bpf_attach_type where) {
    int program = load_counter(map, lowered, offset, where);
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

// A map by the numbers of cgroups.
static int make_map(size_t value) {
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.map_type = BPF_MAP_TYPE_HASH;
    attributes.key_size = sizeof(uint64_t);
    attributes.value_size = (uint32_t)value;
    // Takes memory for those that are there only.
    attributes.max_entries = 1 << 16;
    attributes.map_flags = BPF_F_NO_PREALLOC;
    return (int)bpf(BPF_MAP_CREATE, &attributes);
}

int gr_count_traffic(int group, struct gr_traffic_counter *counter) {
    *counter = (struct gr_traffic_counter){-1, -1, -1, -1};
    counter->map = make_map(sizeof(struct gr_traffic));
    if (counter->map >= 0) counter->lowered = make_map(sizeof(uint32_t));
    if (counter->lowered >= 0) {
        counter->sent = link_counter(
            group, counter->map, counter->lowered, offsetof(struct gr_traffic, sent), BPF_CGROUP_INET_EGRESS);
    }
    if (counter->sent >= 0) {
        counter->received = link_counter(
            group, counter->map, -1, offsetof(struct gr_traffic, received), BPF_CGROUP_INET_INGRESS);
        if (counter->received >= 0) return 0;
    }
    close_quietly(counter->sent);
    close_quietly(counter->lowered);
    close_quietly(counter->map);
    return -1;
}

static int with_value(int command, int map, uint64_t group, void *value) {
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.map_fd = (uint32_t)map;
    attributes.key = (uint64_t)(uintptr_t)&group;
    attributes.value = (uint64_t)(uintptr_t)value;
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

int gr_lower_traffic(int lowered, uint64_t group, int is_lowered) {
    uint32_t is_there = 1;
    if (is_lowered) return with_value(BPF_MAP_UPDATE_ELEM, lowered, group, &is_there);
    return with_value(BPF_MAP_DELETE_ELEM, lowered, group, NULL) == 0 || errno == ENOENT ? 0 : -1;
}

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

static void note(const struct nlmsghdr *header, struct gr_connection *connections, int room, int *count) {
    const struct inet_diag_msg *message = (const struct inet_diag_msg *)(header + 1);
    if (header->nlmsg_len < NLMSG_LENGTH(sizeof *message) || message->idiag_inode == 0) return;
    if (is_loopback(&message->id, message->idiag_family)) return;
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

// Sends a question to the kernel and hands each part of its answer to `each`: 0, or -1 errno.
static int ask(
    int protocol, const void *question, size_t size, void (*each)(const struct nlmsghdr *, void *), void *of) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
    if (fd < 0) return -1;
    // The kernel answers at once; it must not hold a worker for ever all the same.
    struct timeval patience = {.tv_sec = 2};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    int result = send(fd, question, size, 0) == (ssize_t)size ? 0 : -1;
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
            each(header, of);
        }
    }
    close_quietly(fd);
    return result == 1 ? 0 : -1;
}

struct found_connections {
    int room, count;
    struct gr_connection *connections;
};

static void note_connection(const struct nlmsghdr *header, void *of) {
    struct found_connections *found = of;
    if (header->nlmsg_type != TCPDIAG_GETSOCK) return;
    note(header, found->connections, found->room, &found->count);
}

// This question is older than the one by family, and the kernel answers it with the connections of both families. So it
// goes through its table once, which takes milliseconds where there is much memory, even if the table is empty.
int gr_connections(struct gr_connection *connections, int room) {
    struct {
        struct nlmsghdr header;
        struct inet_diag_req what;
    } message;
    memset(&message, 0, sizeof message);
    message.header.nlmsg_len = sizeof message;
    message.header.nlmsg_type = TCPDIAG_GETSOCK;
    message.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    message.what.idiag_family = AF_INET;
    message.what.idiag_ext = 1 << (INET_DIAG_INFO - 1);
    message.what.idiag_states = 0xfff & ~(1u << listening) & ~(1u << time_wait);
    struct found_connections found = {.room = room, .connections = connections};
    return ask(NETLINK_SOCK_DIAG, &message, sizeof message, note_connection, &found) == 0 ? found.count : -1;
}

// --- Asking how packets wait ----------------------------------------------------------------------------------

struct found_disciplines {
    int interface, room, count;
    struct gr_discipline *disciplines;
};

static void note_discipline(const struct nlmsghdr *header, void *of) {
    struct found_disciplines *found = of;
    const struct tcmsg *message = NLMSG_DATA(header);
    if (header->nlmsg_type != RTM_NEWQDISC || header->nlmsg_len < NLMSG_LENGTH(sizeof *message)) return;
    if (message->tcm_ifindex != found->interface) return;
    int left = (int)(header->nlmsg_len - NLMSG_LENGTH(sizeof *message));
    for (const struct rtattr *attribute = TCA_RTA(message); RTA_OK(attribute, left);
         attribute = RTA_NEXT(attribute, left)) {
        if (attribute->rta_type != TCA_KIND || found->count >= found->room) continue;
        struct gr_discipline *next = &found->disciplines[found->count++];
        memset(next, 0, sizeof *next);
        size_t length = RTA_PAYLOAD(attribute);
        memcpy(next->kind, RTA_DATA(attribute), length < sizeof next->kind ? length : sizeof next->kind - 1);
    }
}

int gr_disciplines(int interface, struct gr_discipline *disciplines, int room) {
    struct {
        struct nlmsghdr header;
        struct tcmsg what;
    } message;
    memset(&message, 0, sizeof message);
    message.header.nlmsg_len = sizeof message;
    message.header.nlmsg_type = RTM_GETQDISC;
    message.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    message.what.tcm_ifindex = interface;
    struct found_disciplines found = {.interface = interface, .room = room, .disciplines = disciplines};
    return ask(NETLINK_ROUTE, &message, sizeof message, note_discipline, &found) == 0 ? found.count : -1;
}
