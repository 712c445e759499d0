internal import CLinux
internal import Glibc
internal import SystemPackage

/// Bytes that were moved over the network.
package struct TrafficCount: GrowingCount {
    package var sent: Int64
    package var received: Int64

    package init(sent: Int64 = 0, received: Int64 = 0) {
        self.sent = sent
        self.received = received
    }

    package static let zero = TrafficCount()

    package static func + (a: TrafficCount, b: TrafficCount) -> TrafficCount {
        TrafficCount(sent: a.sent &+ b.sent, received: a.received &+ b.received)
    }

    package static func - (a: TrafficCount, b: TrafficCount) -> TrafficCount {
        TrafficCount(sent: a.sent &- b.sent, received: a.received &- b.received)
    }

    package func precedes(_ later: TrafficCount) -> Bool { sent <= later.sent && received <= later.received }

    init(_ traffic: gr_traffic) {
        self.init(sent: Int64(clamping: traffic.sent), received: Int64(clamping: traffic.received))
    }
}

/// A program in the kernel that counts what the processes of single cgroups move over the network: every packet with
/// its headers, whatever its protocol, and nothing that stays on the machine. One for all apps, so that a further one
/// costs neither a descriptor nor the kernel's check of a program.
///
/// The counting ends with this object or with its process, so a process that follows one that died begins anew and
/// finds nothing of the old one. Needs CAP_BPF and CAP_NET_ADMIN, and Linux 5.8.
package final class TrafficProgram: Sendable {
    private let counts: Descriptor
    /// The groups whose packets give way.
    private let lowered: Descriptor
    /// Open as long as packets are to be counted.
    private let links: [Descriptor]

    /// - Parameter group: those to be counted are below it, or are it.
    ///
    /// The corresponding C function is `bpf`.
    package init(within group: Descriptor) throws(SystemError) {
        let fd = group.rawValue
        var counter = gr_traffic_counter()
        try check("bpf") { unsafe gr_count_traffic(fd, &counter) }
        counts = Descriptor(owning: counter.map)
        lowered = Descriptor(owning: counter.lowered)
        links = [Descriptor(owning: counter.sent), Descriptor(owning: counter.received)]
    }

    package convenience init(within path: String) throws(SystemError) {
        try self.init(within: Descriptor.open(path, .directory))
    }

    /// Counts a cgroup from here on; what is in groups below it is not counted. One at a time for a group.
    package func count(_ group: Descriptor) throws(SystemError) -> TrafficCounter {
        try count(try group.status().inode)
    }

    package func count(_ path: String) throws(SystemError) -> TrafficCounter {
        var status = stat()
        try check("stat") { unsafe stat(path, &status) }
        return try count(UInt64(status.st_ino))
    }

    private func count(_ number: UInt64) throws(SystemError) -> TrafficCounter {
        let map = counts.rawValue
        try check("bpf") { gr_begin_traffic(map, number) }
        return TrafficCounter(self, number)
    }

    fileprivate func read(_ number: UInt64) throws(SystemError) -> TrafficCount {
        let map = counts.rawValue
        var traffic = gr_traffic()
        try check("bpf") { unsafe gr_read_traffic(map, number, &traffic) }
        return TrafficCount(traffic)
    }

    fileprivate func setGivesWay(_ givesWay: Bool, _ number: UInt64) throws(SystemError) {
        let map = lowered.rawValue
        try check("bpf") { gr_lower_traffic(map, number, givesWay ? 1 : 0) }
    }

    fileprivate func end(_ number: UInt64) {
        gr_end_traffic(counts.rawValue, number)
        _ = gr_lower_traffic(lowered.rawValue, number, 0)
    }
}

/// What one cgroup moves, counted as long as this is there.
package final class TrafficCounter: Sendable {
    private let program: TrafficProgram
    /// The cgroup's number, which the kernel gives to no other one.
    private let number: UInt64

    fileprivate init(_ program: TrafficProgram, _ number: UInt64) {
        self.program = program
        self.number = number
    }

    deinit { program.end(number) }

    /// What was moved since this was made. Takes about a microsecond, and waits for nothing.
    package func read() throws(SystemError) -> TrafficCount { try program.read(number) }

    /// Gives the group's packets the last priority as they leave the machine, or the priority that their sockets have.
    ///
    /// It takes effect where the interface sends packets by priority: Wi-Fi does, and so do the queueing disciplines
    /// `pfifo_fast` and `prio`.
    package func setGivesWay(_ givesWay: Bool) throws(SystemError) { try program.setGivesWay(givesWay, number) }
}

/// TCP connections that leave the machine, and what each moved since it was made. Other protocols are not told of, and
/// nothing is told of a connection that was closed. The corresponding interface is `sock_diag`.
package enum TCPConnections {
    /// By the sockets' inodes.
    package static func all() throws(SystemError) -> [UInt64: TrafficCount] {
        var room = 256
        while true {
            var connections = [gr_connection](repeating: gr_connection(), count: room)
            let size = CInt(room)
            let told = try check("sock_diag") { () -> CInt in
                unsafe connections.withUnsafeMutableBufferPointer { buffer -> CInt in
                    guard let base = buffer.baseAddress else { return 0 }
                    return unsafe gr_connections(base, size)
                }
            }
            let count = Int(told)
            if count <= room || room >= most {
                return connections.prefix(count).reduce(into: [:]) { $0[$1.inode] = TrafficCount($1.traffic) }
            }
            // More may come while they are listed again.
            room = min(most, count + count / 4)
        }
    }

    private static let most = 1 << 18
}

extension ProcFS {
    /// The inodes of all sockets that processes have open.
    package func socketInodes(of pids: [CInt]) -> Set<UInt64> {
        Set(pids.flatMap(descriptorTables).flatMap { socketNumbers(in: $0) }.map(\.inode))
    }
}
