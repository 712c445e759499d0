import UIKit

// Swift's module map of glibc leaves them out.
@_silgen_name("pidfd_open") private func pidfdOpen(_ pid: pid_t, _ flags: CUnsignedInt) -> CInt
@_silgen_name("process_madvise")
private func processAdvise(
    _ pidfd: CInt, _ ranges: UnsafePointer<iovec>, _ count: Int, _ advice: CInt, _ flags: CUnsignedInt
) -> Int

/// Takes pages as the daemon does.
enum Reclaim {
    private static let self_ = pidfdOpen(getpid(), 0)

    /// A file of /proc; Foundation's own ways stop at the first read that is not full.
    static func lines(_ path: String) throws -> [Substring] {
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? handle.close() }
        return String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n")
    }

    /// What the kernel may take of a range in this process, it takes.
    static func take(_ address: UInt, _ length: Int) {
        take([(address, length)], self_)
    }

    /// What the kernel may take of the anonymous memory of another process, it takes.
    static func takeAll(of pid: pid_t) throws {
        let pidfd = pidfdOpen(pid, 0)
        defer { close(pidfd) }
        var ranges: [(UInt, Int)] = []
        for line in try lines("/proc/\(pid)/maps") {
            let fields = line.split(separator: " ")
            let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            // Address, rights, offset, device, file 0 and no name.
            guard fields.count == 5, fields[1].hasPrefix("rw"), ends.count == 2 else { continue }
            ranges.append((ends[0], Int(ends[1] - ends[0])))
        }
        ranges.forEach { take([$0], pidfd) }
    }

    private static func take(_ ranges: [(UInt, Int)], _ pidfd: CInt) {
        let vectors = unsafe ranges.map {
            unsafe iovec(iov_base: UnsafeMutableRawPointer(bitPattern: $0.0), iov_len: $0.1)
        }
        _ = unsafe processAdvise(pidfd, vectors, vectors.count, MADV_PAGEOUT, 0)
    }

    /// A figure of `smaps_rollup`, in bytes.
    static func figure(_ name: String, of pid: pid_t) throws -> Int {
        for line in try lines("/proc/\(pid)/smaps_rollup") {
            let fields = line.split(separator: " ")
            if fields.first == "\(name):", fields.count > 1, let kilobytes = Int(fields[1]) { return kilobytes << 10 }
        }
        return 0
    }
}

extension NSPurgeableData {
    /// A copy; Foundation's own goes byte by byte.
    var content: Data { unsafe Data(bytes: bytes, count: length) }
}

/// Repeatable chance (SplitMix64).
struct Chance {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    mutating func bytes(_ count: Int) -> Data {
        let words = (0..<count / 8 + 1).map { _ in next() }
        return unsafe words.withUnsafeBytes { unsafe Data($0.prefix(count)) }
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }
}
