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

    private unowned let host: Host
    private var connections: [AppIndex: [Connection]] = [:]

    /// A longer queue is emptied by the program, before the bus cannot add to it: a call would not be seen then.
    private static let (bytes, messages) = (32_768, 128)

    init(_ host: Host) { self.host = host }

    /// It stands still.
    func begin(_ index: AppIndex, _ process: AppProcess, _ sockets: [AppSocket]) {
        guard !sockets.isEmpty else { return }
        let opened = sockets.map(Connection.init)
        connections[index] = opened
        for one in opened {
            guard look(one, index, process) else { continue }
            one.watch = try? host.loop.watch(one.socket.descriptor.rawValue, [.readable, .edge]) {
                [weak self, weak one, weak process] _ in
                if let self, let one, let process, !look(one, index, process) { one.watch = nil }
            }
        }
    }

    /// It is about to run again, or is gone.
    func release(_ index: AppIndex) { connections[index] = nil }

    /// False: what comes next does not matter.
    private func look(_ one: Connection, _ index: AppIndex, _ process: AppProcess) -> Bool {
        let unread = one.socket.descriptor.unread
        let bytes = one.socket.peek(upTo: Self.bytes)
        let queue = BusQueue(bytes)
        if let call = queue.call {
            tell(call, index, process)
        } else if queue.isTorn {
            // The program alone can tell what comes next.
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
        host.post(.sockets(.called(method: call.method, isUnread: isUnread)), of: index, process.generation)
    }
}
