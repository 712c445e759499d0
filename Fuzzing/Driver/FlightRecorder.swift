internal import Glibc

/// What a child is at, in a file that outlives it: the count of its executions, and the input that it reads now.
@safe final class FlightRecorder {
    private static let header = 16
    private let base: UnsafeMutableRawPointer
    private let capacity: Int
    private(set) var executions: UInt64 = 0

    init?(_ path: String, longest: Int) {
        capacity = longest
        let fd = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard fd >= 0 else { return nil }
        defer { close(fd) }
        guard ftruncate(fd, off_t(longest + Self.header)) == 0,
            let address = unsafe mmap(
                nil, longest + Self.header, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0),
            unsafe address != MAP_FAILED
        else { return nil }
        unsafe base = address
    }

    deinit { unsafe munmap(base, capacity + Self.header) }

    func begin(_ input: [UInt8]) {
        let count = min(input.count, capacity)
        unsafe base.storeBytes(of: UInt64(count), toByteOffset: 8, as: UInt64.self)
        unsafe input.withUnsafeBytes { source in
            if let start = source.baseAddress { unsafe (base + Self.header).copyMemory(from: start, byteCount: count) }
        }
        executions += 1
        unsafe base.storeBytes(of: executions, as: UInt64.self)
    }

    /// What a child that is gone left behind.
    static func read(_ path: String) -> (executions: UInt64, input: [UInt8])? {
        guard let bytes = Corpus.contents(path), bytes.count >= header else { return nil }
        func number(_ place: Int) -> UInt64 { bytes[place..<place + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) } }
        let count = min(Int(clamping: number(8)), bytes.count - header)
        return (number(0), Array(bytes[header..<header + count]))
    }
}
