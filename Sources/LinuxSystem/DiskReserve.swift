internal import CLinux
internal import Glibc
internal import Synchronization
internal import SystemPackage

/// A file that holds room for what has to be written when the disk is full: it is given up piece by piece, and made
/// again when there is room. It belongs to a home: the daemon, the keeper and the next daemon give up the same one.
///
/// One a process, since any write may be the one that finds the disk full.
package enum DiskReserve {
    private static let place = Mutex<String?>(nil)

    /// What one refusal gives up: a segment of the journal, with what belongs to it, fits.
    private static let piece: Int64 = 5 << 18
    private static let size: Int64 = 4 * piece

    /// From now on the writes of this process fall back on the reserve there.
    package static func use(_ path: String) { place.withLock { $0 = path } }

    /// Makes the reserve where there is none, or not all of it, and enough room. False while there is not.
    @discardableResult
    package static func renew() -> Bool {
        guard let path = place.withLock({ $0 }) else { return false }
        guard let file = try? Descriptor.open(path, .readWrite, create: 0o600, followsLinks: false),
            let there = try? file.status().allocated, let space = try? file.space()
        else { return false }
        // A small device gives a quarter.
        let wanted = min(size, space.total / 4 / piece * piece)
        if there >= wanted { return true }
        guard space.free >= 2 * (wanted - there), (try? file.reserve(wanted)) != nil else {
            // What was got of it is better than nothing, and a name is not in the way.
            return false
        }
        return true
    }

    /// Makes room for others; false when nothing is left to give.
    package static func giveUp() -> Bool {
        guard let path = place.withLock({ $0 }),
            let file = try? Descriptor.open(path, .readWrite, followsLinks: false),
            let there = try? file.status().size, there > 0
        else { return false }
        return (try? file.truncate(to: max(0, there - piece))) != nil
    }

    /// Does what may find the disk full, and does it again with the room that the reserve gives.
    package static func using<Result>(_ body: () throws(SystemError) -> Result) throws(SystemError) -> Result {
        while true {
            do throws(SystemError) {
                return try body()
            } catch {
                // Another writer may be quicker: the next piece may do.
                guard error.errno == .noSpace || error.errno == .diskQuotaExceeded, giveUp() else { throw error }
            }
        }
    }
}

extension Descriptor {
    package struct Space: Sendable {
        package let total: Int64
        /// What a user without privileges may still take.
        package let free: Int64
    }

    /// Of the file system that it is on. The corresponding C function is `fstatvfs`.
    package func space() throws(SystemError) -> Space {
        var status = statvfs()
        let fd = rawValue
        try check("fstatvfs") { unsafe fstatvfs(fd, &status) }
        let unit = Int64(status.f_frsize)
        return Space(total: Int64(status.f_blocks) * unit, free: Int64(status.f_bavail) * unit)
    }

    /// Has blocks for so many bytes that will be written; the size stays.
    package func prepare(for bytes: Int64) throws(SystemError) {
        let fd = rawValue
        try check("fallocate") { gr_reserve(fd, bytes) }
    }

    /// Has blocks for so many bytes, which what is written up to there needs then. The corresponding C function is
    /// `posix_fallocate`.
    package func reserve(_ bytes: Int64) throws(SystemError) {
        let failure = posix_fallocate(rawValue, 0, off_t(bytes))
        guard failure == 0 else { throw SystemError("posix_fallocate", Errno(rawValue: failure)) }
    }
}
