internal import SystemPackage

/// Reads again and again, from one open file, how much of the processor was used.
package final class ProcessorMeter: Sendable {
    private let file: Descriptor
    private let isGroup: Bool

    /// Of all processes that a cgroup has or had.
    package init(group path: String) throws(SystemError) {
        file = try Descriptor.open(path + "/cpu.stat", .read)
        isGroup = true
    }

    /// Of one process, whatever becomes of its number: its children are not counted.
    package init(process pid: CInt, root: String = "/proc") throws(SystemError) {
        file = try Descriptor.open("\(root)/\(pid)/stat", .read)
        isGroup = false
    }

    /// Nanoseconds so far; `nil` when it is gone.
    package func read() -> Int64? {
        var buffer = [UInt8](repeating: 0, count: 1024)
        guard let count = try? file.readAt(0, into: &buffer), count > 0 else { return nil }
        return isGroup ? Self.parseGroup(buffer[..<count]) : ProcFS.parseStat(Array(buffer[..<count]))?.processorTime
    }

    package static func parseGroup(_ bytes: ArraySlice<UInt8>) -> Int64? {
        let name = "usage_usec ".utf8
        for line in bytes.split(separator: UInt8(ascii: "\n")) where line.starts(with: name) {
            return Int64(String(decoding: line.dropFirst(name.count), as: UTF8.self)).map { $0 &* 1000 }
        }
        return nil
    }
}
