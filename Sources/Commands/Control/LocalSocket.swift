internal import Glibc
internal import SystemPackage

/// Connects to the sockets of a home, wherever it is.
enum LocalSocket {
    static func connect(_ path: String) throws(Errno) -> FileDescriptor {
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        guard number >= 0 else { throw Files.lastError }
        let descriptor = FileDescriptor(rawValue: number)
        do throws(Errno) {
            try connect(descriptor, path)
            return descriptor
        } catch {
            try? descriptor.close()
            throw error
        }
    }

    private static func connect(_ descriptor: FileDescriptor, _ path: String) throws(Errno) {
        guard path.utf8.count >= capacity else { return try connect(descriptor, address: path) }
        // Too long for an address: the kernel takes the folder by its descriptor.
        let whole = FilePath(path)
        let number = unsafe open(whole.removingLastComponent().string, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw Files.lastError }
        defer { Glibc.close(number) }
        try connect(descriptor, address: "/proc/self/fd/\(number)/\(whole.lastComponent?.string ?? "")")
    }

    private static func connect(_ descriptor: FileDescriptor, address path: String) throws(Errno) {
        guard path.utf8.count < capacity else { throw .fileNameTooLong }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(descriptor.rawValue, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw Files.lastError }
    }

    private static var capacity: Int { MemoryLayout.size(ofValue: sockaddr_un().sun_path) }

    /// Writes everything; a peer that has gone is an error, not a signal.
    static func send(_ bytes: [UInt8], to descriptor: FileDescriptor) throws(Errno) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.send(
                    descriptor.rawValue, buffer.baseAddress?.advanced(by: sent), bytes.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw Files.lastError
            }
            sent += count
        }
    }
}
