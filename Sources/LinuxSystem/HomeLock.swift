internal import Glibc
internal import SystemPackage

/// The one lock of a home: its holder may make the sockets, start a daemon, or clear away what is left.
///
/// It belongs to an open file, not to a process (`flock`). Keeper and daemon hold the same one, so it stays held when
/// either of them dies and the other takes its place. The file is never removed: a lock on a file that has lost its
/// name would keep nobody out.
package struct HomeLock: Sendable {
    package let descriptor: Descriptor

    private static let interval: CInt = 10

    /// A lock that was handed over with its descriptor.
    package init(inherited descriptor: Descriptor) { self.descriptor = descriptor }

    package static func path(in home: String) -> String { home + "/lock" }

    /// Takes the lock; `nil` when others have held it for so long, or until `givesUp` said so.
    package static func take(
        in home: String, milliseconds: Int64, orUntil givesUp: () -> Bool = { false }
    ) throws(SystemError) -> HomeLock? {
        let limit = Clock.monotonic() + milliseconds * 1_000_000
        while true {
            if let lock = try attempt(path(in: home)) { return lock }
            guard !givesUp(), Clock.monotonic() < limit else { return nil }
            // The kernel announces no lock that becomes free.
            _ = poll(nil, 0, interval)
        }
    }

    private static func attempt(_ path: String) throws(SystemError) -> HomeLock? {
        let file = try Descriptor.open(path, .readWrite, create: 0o600, followsLinks: false)
        let identity = try file.identity()
        guard identity.isRegular else { throw SystemError("flock", .invalidArgument, path: path) }
        do throws(SystemError) {
            guard try file.lock() else { return nil }
        } catch {
            throw SystemError(error.operation, error.errno, path: path)
        }
        // The home may have been removed and made anew in between.
        guard let named = try? Descriptor.open(path, .path, followsLinks: false).identity(),
            named.isSameFile(as: identity)
        else { return nil }
        return HomeLock(inherited: file)
    }

    /// Whether the descriptor is the lock of this home, and this process has it.
    package func isHeld(in home: String) -> Bool {
        guard let named = try? Descriptor.open(Self.path(in: home), .path, followsLinks: false).identity(),
            let own = try? descriptor.identity(), own.isSameFile(as: named)
        else { return false }
        return (try? descriptor.lock()) == true
    }

    /// Says in the file which process to ask about: its pid and start time, as `keeper.pid` has them.
    package func name(_ pid: CInt, startTime: UInt64) throws(SystemError) {
        let text = Array("\(pid) \(startTime)\n".utf8)
        // In place and only then cut, so that it can be said again on a full disk.
        do {
            try unsafe text.withUnsafeBytes { try unsafe descriptor.write($0, at: 0) }
        } catch let error as SystemError {
            throw error
        } catch {
            throw SystemError("pwrite", .ioError)
        }
        try descriptor.truncate(to: Int64(text.count))
    }
}

/// The process that the lock's file names, while it lives: who to ask about the system of a home.
package struct HomeHolder {
    package let pid: CInt

    package init?(home: String) {
        guard let bytes = FileSystem.read(HomeLock.path(in: home), limit: 64) else { return nil }
        let words = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }
        guard words.count >= 2, let pid = CInt(words[0]), pid > 1, let start = UInt64(words[1]),
            let stat = ProcFS().stat(pid), stat.startTime == start, !"ZX".contains(stat.state)
        else { return nil }
        self.pid = pid
    }
}
