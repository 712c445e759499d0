internal import LinuxSystem
internal import Model
internal import PolicyCore

/// Wakes suspended programs that others call over a message bus. It has duplicates of their connections, and takes
/// nothing from them. The messages tell which of the connections lead to a message bus.
final class BusWatch {
    private final class Connection {
        let socket: AppSocket
        var watch: Loop.Watch?

        init(_ socket: AppSocket) { self.socket = socket }

        /// Its address says so, whatever is in its queue.
        var isBus: Bool { socket.peerPath.contains("bus") }
    }

    private weak var host: Host?
    private var connections: [AppIndex: [Connection]] = [:]

    /// The program empties a longer queue, before the bus cannot add to it. The daemon could not see a call then.
    private static let (bytes, messages) = (32_768, 128)
    /// An app may have thousands of connections, and the daemon needs its descriptors for others. Programs have two or
    /// three buses.
    private static let maxConnections = 16

    init(_ host: Host) { self.host = host }

    /// Watches the connections of a program that has been frozen.
    func begin(_ index: AppIndex, _ process: AppProcess, _ sockets: [AppSocket]) {
        let found = sockets.map(Connection.init)
        let first = (found.filter(\.isBus) + found.filter { !$0.isBus }).prefix(Self.maxConnections)
        let watched = first.filter { look($0, index, process) }
        guard !watched.isEmpty else { return }
        connections[index] = Array(watched)
        for one in watched { watch(one, index, process) }
    }

    private func watch(_ one: Connection, _ index: AppIndex, _ process: AppProcess) {
        do throws(SystemError) {
            one.watch = try host?.loop.watch(one.socket.descriptor.rawValue, [.readable, .edge]) {
                [weak self, weak one, weak process] _ in
                guard let self, let one, let process, !look(one, index, process) else { return }
                connections[index]?.removeAll { $0 === one }
            }
        } catch {
            Diagnostics.write("calls over \(one.socket.peerPath) do not wake their program: \(error)")
        }
    }

    /// Drops the watches before the program runs again, or when it is gone.
    func release(_ index: AppIndex) { connections[index] = nil }

    /// Returns whether later messages matter. They do not if the connection leads to no bus, or if the Core was told.
    private func look(_ one: Connection, _ index: AppIndex, _ process: AppProcess) -> Bool {
        let unread = one.socket.descriptor.unread
        let bytes = one.socket.peek(upTo: Self.bytes)
        let queue = BusQueue(bytes)
        if let call = queue.call {
            tell(call, index, process)
        } else if queue.isTorn {
            // The program has read half of a message, and only the program can find the next one.
            if one.isBus { tell(BusQueue.Call(method: "", identity: bytes.hashValue), index, process) }
        } else if queue.count < Self.messages, unread <= bytes.count {
            return true
        } else {
            // The kernel also shows nothing behind a message with descriptors.
            tell(BusQueue.Call(method: "", identity: bytes.hashValue), index, process)
        }
        return false
    }

    private func tell(_ call: BusQueue.Call, _ index: AppIndex, _ process: AppProcess) {
        let isUnread = process.calledFor == call.identity
        process.calledFor = call.identity
        host?.post(.sockets(.called(method: call.method, isUnread: isUnread)), of: index, process.generation)
    }
}
