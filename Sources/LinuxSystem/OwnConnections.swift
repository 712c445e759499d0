internal import CLinux

/// This process's own TCP connections, as the kernel counts them. Those that stay on this machine are left out.
package enum OwnConnections {
    /// Since the connection began: bytes without headers, and segments with or without bytes, both ways.
    package struct Counts: Hashable, Sendable {
        package let received: Int64
        package let receivedSegments: Int64
        package let sent: Int64
        package let segments: Int64
    }

    /// By the connection's cookie.
    ///
    /// - Parameter window: how much its other side may have on the way from now on; `nil`: what the kernel thinks fit.
    package static func look(window: (_ cookie: UInt64) -> Int32?) -> [UInt64: Counts] {
        var counts: [UInt64: Counts] = [:]
        for name in FileSystem.names(in: "/proc/self/fd") {
            guard let fd = CInt(name) else { continue }
            // A number that another thread gives to another file in between: it is read, or has the window of the
            // one before until the next look.
            var found = gr_own_connection()
            guard unsafe gr_connection_look(fd, &found) == 1 else { continue }
            counts[found.cookie] = Counts(
                received: Int64(clamping: found.received), receivedSegments: Int64(clamping: found.received_segments),
                sent: Int64(clamping: found.sent), segments: Int64(clamping: found.segments))
            gr_bound_window(fd, window(found.cookie) ?? 1 << 30)
        }
        return counts
    }
}
