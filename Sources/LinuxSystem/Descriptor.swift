internal import CLinux
internal import Glibc
internal import SystemPackage

/// An open file descriptor, close-on-exec, closed when the last reference goes.
package final class Descriptor: Sendable {
    package let rawValue: CInt

    /// Takes ownership.
    package init(owning rawValue: CInt) {
        self.rawValue = rawValue
        isOwned = true
    }

    /// Names a descriptor that somebody else closes, such as standard error.
    package init(borrowing rawValue: CInt) {
        self.rawValue = rawValue
        isOwned = false
    }

    private let isOwned: Bool

    deinit { if isOwned { Glibc.close(rawValue) } }

    package enum Access {
        case read, write, readWrite, path, directory, append
    }

    /// Does not wait for the other end of a pipe. The corresponding C function is `open`.
    package static func open(
        _ path: String, _ access: Access, create mode: UInt32? = nil, truncate: Bool = false, exclusive: Bool = false,
        followsLinks: Bool = true
    ) throws(SystemError) -> Descriptor {
        // A pipe may be in the place of a file.
        var flags = O_NONBLOCK
        switch access {
        case .read: flags |= O_RDONLY
        case .write: flags |= O_WRONLY
        case .readWrite: flags |= O_RDWR
        case .path: flags |= GR_O_PATH
        case .directory: flags |= O_RDONLY | O_DIRECTORY
        case .append: flags |= O_WRONLY | O_APPEND
        }
        if mode != nil { flags |= O_CREAT }
        if truncate { flags |= O_TRUNC }
        if exclusive { flags |= O_EXCL }
        if !followsLinks { flags |= O_NOFOLLOW }
        let fd = try check("open", path: path) { unsafe gr_open(path, flags, mode ?? 0) }
        return Descriptor(owning: fd)
    }

    package enum Transfer: Hashable {
        case bytes(Int)
        case wouldBlock
        case end
    }

    /// Reads at most `limit` bytes and appends them.
    package func read(into bytes: inout [UInt8], upTo limit: Int) throws(SystemError) -> Transfer {
        let fd = rawValue
        let got = unsafe Self.fill(&bytes, limit) { buffer in unsafe Glibc.read(fd, buffer, limit) }
        return try Self.transfer("read", got)
    }

    /// Everything up to the end, at most `limit` bytes.
    package func readAll(limit: Int = 1 << 20) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < limit {
            switch try read(into: &bytes, upTo: min(limit - bytes.count, 1 << 16)) {
            case .bytes: continue
            case .end, .wouldBlock: return bytes
            }
        }
        return bytes
    }

    /// Bytes that wait to be read now: a bound for whoever empties what others fill. The corresponding C function is
    /// `ioctl` with `FIONREAD`.
    package var unread: Int { max(0, Int(gr_unread(rawValue))) }

    /// Reads from an offset without moving the file's own.
    package func readAt(_ offset: Int64, into buffer: inout [UInt8]) throws(SystemError) -> Int {
        let fd = rawValue
        return try check("pread") {
            unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.pread(fd, $0.baseAddress, $0.count, Int(offset)) }
        }
    }

    package func write(_ bytes: ArraySlice<UInt8>) throws(SystemError) -> Transfer {
        let fd = rawValue
        let done = unsafe bytes.withUnsafeBytes { buffer in
            Self.retrying { unsafe Glibc.write(fd, buffer.baseAddress, buffer.count) }
        }
        return try Self.transfer("write", done)
    }

    /// Writes over what is there. The corresponding C function is `pwrite`.
    package func write(_ bytes: [UInt8], at offset: Int64) throws(SystemError) {
        let fd = rawValue
        _ = try check("pwrite") {
            unsafe bytes.withUnsafeBytes { unsafe Glibc.pwrite(fd, $0.baseAddress, $0.count, off_t(offset)) }
        }
    }

    /// Writes everything, waiting as long as it takes.
    package func writeAll(_ bytes: [UInt8]) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard case .bytes(let count) = try write(rest) else {
                throw SystemError("write", .resourceTemporarilyUnavailable)
            }
            rest = rest.dropFirst(count)
        }
    }

    package func duplicate() throws(SystemError) -> Descriptor {
        let fd = rawValue
        return Descriptor(owning: try check("dup") { gr_duplicate(fd) })
    }

    package func setNonblocking(_ nonblocking: Bool, closeOnExec: Bool = true) throws(SystemError) {
        let fd = rawValue
        try check("fcntl") { gr_set_flags(fd, nonblocking ? 1 : 0, closeOnExec ? 1 : 0) }
    }

    package func synchronize() throws(SystemError) {
        let fd = rawValue
        try check("fdatasync") { fdatasync(fd) }
    }

    package struct Status: Sendable {
        package let inode: UInt64
        package let size: Int64
        /// Bytes of disk in use.
        package let allocated: Int64
        package let isDirectory: Bool
        /// Whether everybody may run it, or pass through it.
        package let isOpenToOthers: Bool
    }

    package func status() throws(SystemError) -> Status {
        var status = stat()
        let fd = rawValue
        try check("fstat") { unsafe fstat(fd, &status) }
        return Status(
            inode: UInt64(status.st_ino), size: Int64(status.st_size), allocated: Int64(status.st_blocks) * 512,
            isDirectory: status.st_mode & S_IFMT == S_IFDIR, isOpenToOthers: status.st_mode & S_IXOTH != 0)
    }

    /// Appends what a call puts into memory that was not cleared before.
    static func fill(_ bytes: inout [UInt8], _ limit: Int, _ call: (UnsafeMutableRawPointer?) -> Int) -> Int {
        var got = 0
        let chunk = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            got = retrying { unsafe call(buffer.baseAddress.map { UnsafeMutableRawPointer($0) }) }
            count = max(0, got)
        }
        // An error's number outlives this: freeing memory leaves it alone.
        bytes += chunk
        return got
    }

    static func retrying(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || Glibc.errno != EINTR { return result }
        }
    }

    static func transfer(_ operation: String, _ result: Int) throws(SystemError) -> Transfer {
        if result > 0 { return .bytes(result) }
        if result == 0 { return .end }
        if Glibc.errno == EAGAIN || Glibc.errno == EWOULDBLOCK { return .wouldBlock }
        throw .last(operation)
    }
}
