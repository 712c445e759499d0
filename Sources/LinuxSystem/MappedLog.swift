internal import CLinux
internal import Glibc
internal import SystemPackage

/// A file of fixed size that is written through memory: what `append` returned from survives the death of the process
/// at any instruction, without a system call. (It does not survive the loss of power.)
@safe package final class MappedLog {
    /// Length, then the bytes.
    private static let headerSize = 16
    private static let magic: UInt64 = 0x31_67_6f_6c_6d_67_72_31

    private let base: UnsafeMutableRawPointer
    package let capacity: Int
    /// No log is larger; a file that is was not made by this.
    package static let largest = 1 << 26
    package private(set) var count: Int

    package init(creating path: String, capacity: Int) throws(SystemError) {
        let file = try DiskReserve.using { () throws(SystemError) in
            try Descriptor.open(path, .readWrite, create: 0o600, truncate: true)
        }
        let size = capacity + Self.headerSize
        // Without the blocks, a full disk would be a signal at some `append`.
        try DiskReserve.using { () throws(SystemError) in try file.reserve(Int64(size)) }
        unsafe base = try Self.map(file.rawValue, size, path)
        self.capacity = capacity
        count = 0
        unsafe base.storeBytes(of: Self.magic, as: UInt64.self)
        unsafe gr_store_release(base + 8, 0)
    }

    /// Opens a log to go on where it ends.
    package init(opening path: String) throws(SystemError) {
        let file = try Descriptor.open(path, .readWrite)
        let size = Int(try file.status().size)
        guard size > Self.headerSize, size <= Self.largest + Self.headerSize else {
            throw SystemError("open", .invalidArgument, path: path)
        }
        unsafe base = try Self.map(file.rawValue, size, path)
        capacity = size - Self.headerSize
        let isOurs = unsafe base.load(as: UInt64.self) == Self.magic
        // One that was cut off says more than it has; what says more than any log has is no number of bytes.
        let said = unsafe gr_load_acquire(base + 8)
        let isPossible = isOurs && said <= UInt64(Self.largest)
        count = isPossible ? min(capacity, Int(said)) : 0
        guard isPossible else { throw SystemError("open", .invalidArgument, path: path) }
    }

    /// Cuts off what a log did not use. Nobody may have it open.
    package static func trim(_ path: String) throws(SystemError) {
        let used = try MappedLog(opening: path).count
        let fd = try Descriptor.open(path, .readWrite)
        // A file with nothing behind the header is not taken for a log.
        try check("ftruncate", path: path) { ftruncate(fd.rawValue, off_t(headerSize + max(used, 1))) }
    }

    deinit { unsafe munmap(base, capacity + Self.headerSize) }

    private static func map(_ fd: CInt, _ size: Int, _ path: String) throws(SystemError) -> UnsafeMutableRawPointer {
        guard let address = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0),
            unsafe address != MAP_FAILED
        else { throw .last("mmap", path: path) }
        return unsafe address
    }

    /// False when the log is full.
    package func append(_ bytes: [UInt8]) -> Bool {
        guard bytes.count <= capacity - count else { return false }
        unsafe bytes.withUnsafeBytes { source in
            if let start = source.baseAddress {
                unsafe (base + Self.headerSize + count).copyMemory(from: start, byteCount: source.count)
            }
        }
        count += bytes.count
        unsafe gr_store_release(base + 8, UInt64(count))
        return true
    }

    package var contents: [UInt8] {
        unsafe Array(UnsafeRawBufferPointer(start: base + Self.headerSize, count: count))
    }
}
