internal import CLinux

/// What this process's own TCP connections put on the network, as the kernel counts it.
package enum OwnConnections {
    /// Bytes since each began, both ways, with headers, by the connection's cookie. Those that stay on this machine are
    /// left out.
    package static func bytes() -> [UInt64: Int64] {
        var counts: [UInt64: Int64] = [:]
        for name in FileSystem.names(in: "/proc/self/fd") {
            guard let fd = CInt(name) else { continue }
            var cookie: UInt64 = 0
            var bytes: UInt64 = 0
            // A number that another thread gives to another file in between names that file: it is only read.
            guard unsafe gr_connection_bytes(fd, &cookie, &bytes) == 1 else { continue }
            counts[cookie] = Int64(clamping: bytes)
        }
        return counts
    }
}
