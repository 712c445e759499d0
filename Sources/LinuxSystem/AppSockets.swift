internal import CLinux
internal import Glibc
internal import SystemPackage

/// A stream socket of another process, by a duplicate of its descriptor. What is done to the duplicate is done to the
/// socket; the flags are the other process's and stay as they are.
package struct AppSocket: Sendable {
    package enum Kind: Hashable, Sendable {
        /// It waits for others, so many of which wait for it.
        case listening(waiting: Int)
        case connected
    }

    package let descriptor: Descriptor
    package let kind: Kind
    /// Names the socket, in whatever process it is open.
    package let inode: UInt64
    package let isUnix: Bool
    /// The port, or the path of a Unix socket.
    package let port: UInt16
    package let path: String
    /// The address of the listener to which a Unix socket has connected. Empty at the listener's end.
    package let peerPath: String
    /// The peer left so many milliseconds ago, and the process has not closed its side; `nil`: it is there.
    package let leftSince: Int64?
    private let local: [UInt8]
    private let peer: [UInt8]

    /// For people.
    package var name: String { isUnix ? (path.isEmpty ? "an unnamed socket" : path) : "port \(port)" }

    package var isListening: Bool { if case .listening = kind { true } else { false } }

    /// It came to be by an `accept` on the listener, as far as its address tells.
    package func belongs(to listener: AppSocket) -> Bool {
        isUnix == listener.isUnix && (isUnix ? !path.isEmpty && path == listener.path : port == listener.port)
    }

    /// The other end of the same connection.
    package func isOtherEnd(of other: AppSocket) -> Bool {
        !isUnix && !other.isUnix && !local.isEmpty && local == other.peer && peer == other.local
    }

    init?(_ descriptor: Descriptor, inode: UInt64) {
        var info = gr_socket()
        guard unsafe gr_socket_info(descriptor.rawValue, &info) == 1 else { return nil }
        guard info.is_listening != 0 || info.is_connected != 0 else { return nil }
        kind = info.is_listening != 0 ? .listening(waiting: Int(info.waiting)) : .connected
        self.descriptor = descriptor
        self.inode = inode
        isUnix = info.family == AF_UNIX
        port = info.port
        leftSince = info.left_since >= 0 && info.is_connected != 0 ? info.left_since : nil
        path = unsafe withUnsafeBytes(of: &info.path) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        peerPath = unsafe withUnsafeBytes(of: &info.peer_path) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        let (localLength, peerLength) = (Int(info.local_length), Int(info.peer_length))
        local = unsafe withUnsafeBytes(of: &info.local) { unsafe Array($0.prefix(localLength)) }
        peer = unsafe withUnsafeBytes(of: &info.peer) { unsafe Array($0.prefix(peerLength)) }
    }

    /// Returns the first unread bytes, up to a limit, and leaves them in the socket. The corresponding C function is
    /// `recv` with `MSG_PEEK`.
    package func peek(upTo limit: Int) -> [UInt8] {
        let fd = descriptor.rawValue
        return unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = unsafe max(0, gr_peek(fd, buffer.baseAddress, limit))
        }
    }

    /// Turns away one peer that waits; false when none does. The corresponding C function is `accept4`.
    package func refusePeer() throws(SystemError) -> Bool {
        let fd = descriptor.rawValue
        return try check("accept4") { gr_refuse_peer(fd) } == 1
    }

    /// Ends the connection: whoever uses it next, on either side, sees an error.
    package func breakConnection() throws(SystemError) {
        let fd = descriptor.rawValue
        try check("connect") { gr_break_connection(fd) }
    }
}

extension PidFD {
    /// What has these descriptors: a thread has to be named where they are not the first one's.
    package convenience init(_ table: ProcFS.DescriptorTable) throws(SystemError) {
        if table.thread == table.pid { try self.init(table.pid) } else { try self.init(thread: table.thread) }
    }

    /// The corresponding C function is `pidfd_getfd`: needs the right to trace the process.
    package func duplicate(_ fd: CInt) throws(SystemError) -> Descriptor {
        let pidfd = descriptor.rawValue
        return Descriptor(owning: try check("pidfd_getfd", path: "\(pid)/\(fd)") { gr_pidfd_getfd(pidfd, fd) })
    }
}

extension ProcFS {
    /// The stream sockets at which processes wait for others or are connected, each once; throws when they may not be
    /// looked at.
    package func sockets(of pids: [CInt]) throws(SystemError) -> [AppSocket] {
        var seen: Set<UInt64> = []
        var found: [AppSocket] = []
        for table in pids.flatMap(descriptorTables) {
            var owner: PidFD?
            for (fd, inode) in socketNumbers(in: table) where seen.insert(inode).inserted {
                do throws(SystemError) {
                    if owner == nil { owner = try PidFD(table) }
                    if let socket = try owner?.duplicate(fd), let socket = AppSocket(socket, inode: inode) {
                        found.append(socket)
                    }
                } catch {
                    // The process is gone, or has closed it.
                    guard error.errno != .noSuchProcess, error.errno != .badFileDescriptor else { continue }
                    throw error
                }
            }
        }
        return found
    }

    /// Those of the sockets that are open in a process other than these.
    package func shared(_ sockets: [AppSocket], byOthersThan pids: Set<CInt>) -> Set<UInt64> {
        let wanted = Set(sockets.map(\.inode))
        var shared: Set<UInt64> = []
        guard !wanted.isEmpty else { return shared }
        let own = CurrentProcess.pid
        for pid in allProcesses() where !pids.contains(pid) && pid != own {
            let table = mainDescriptorTable(of: pid)
            guard socketNumbers(in: table).contains(where: { wanted.contains($0.inode) }), !isBeingBorn(pid) else {
                continue
            }
            // It may have begun its own program since, without them.
            for (_, inode) in socketNumbers(in: table) where wanted.contains(inode) { shared.insert(inode) }
        }
        return shared
    }

    /// Until a child of this process begins its own program, it has open whatever this process has, the duplicates of
    /// an app's sockets included. The kernel names the new program first, closes what it is not to have then, and gives
    /// it its arguments last.
    private func isBeingBorn(_ pid: CInt) -> Bool {
        guard stat(pid)?.parent == CurrentProcess.pid, let own = CurrentProcess.executablePath else { return false }
        return FileSystem.linkTarget("\(root)/\(pid)/exe") == own || !hasArguments(pid)
    }

    func socketNumbers(in table: DescriptorTable) -> [(fd: CInt, inode: UInt64)] {
        table.descriptors.compactMap { name in
            guard let fd = CInt(name), let link = FileSystem.linkTarget(table.link(name)),
                link.hasPrefix("socket:["), let inode = UInt64(link.dropFirst(8).dropLast())
            else { return nil }
            return (fd, inode)
        }
    }
}
