/// Bytes that were read from disks and written to them. What the page cache gives or takes is not among them.
package struct DiskCount: GrowingCount {
    package var read: Int64
    package var written: Int64

    package init(read: Int64 = 0, written: Int64 = 0) {
        self.read = read
        self.written = written
    }

    package static let zero = DiskCount()

    package static func + (a: DiskCount, b: DiskCount) -> DiskCount {
        DiskCount(read: a.read &+ b.read, written: a.written &+ b.written)
    }

    package static func - (a: DiskCount, b: DiskCount) -> DiskCount {
        DiskCount(read: a.read &- b.read, written: a.written &- b.written)
    }

    package func precedes(_ later: DiskCount) -> Bool { read <= later.read && written <= later.written }
}

/// Reads again and again, from one open file, what a cgroup's processes read and wrote. Needs the io controller.
package final class DiskMeter: Sendable {
    private let file: Descriptor

    package init(group path: String) throws(SystemError) {
        file = try Descriptor.open(path + "/io.stat", .read)
    }

    /// So far; `nil` when the group is gone.
    package func read() -> DiskCount? {
        // A line for each disk.
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        guard let count = try? file.readAt(0, into: &buffer) else { return nil }
        return Self.parse(buffer[..<count])
    }

    package static func parse(_ bytes: ArraySlice<UInt8>) -> DiskCount {
        var sum = DiskCount.zero
        for word in bytes.split(whereSeparator: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }) {
            if let read = number(word, "rbytes=") { sum.read &+= read }
            if let written = number(word, "wbytes=") { sum.written &+= written }
        }
        return sum
    }

    private static func number(_ word: ArraySlice<UInt8>, _ name: String) -> Int64? {
        guard word.starts(with: name.utf8) else { return nil }
        return Int64(String(decoding: word.dropFirst(name.utf8.count), as: UTF8.self))
    }
}

extension ProcFS {
    /// What a process read and wrote, without its children; `nil` where it may not be looked at.
    package func diskUse(of pid: CInt) -> DiskCount? {
        FileSystem.read("\(root)/\(pid)/io", limit: 4096).flatMap {
            Self.parseDisk(String(decoding: $0, as: UTF8.self))
        }
    }

    package static func parseDisk(_ text: String) -> DiskCount? {
        guard let read = field("read_bytes", in: text).flatMap({ Int64($0) }),
            let written = field("write_bytes", in: text).flatMap({ Int64($0) })
        else { return nil }
        return DiskCount(read: read, written: written)
    }
}
