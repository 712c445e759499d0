internal import LinuxSystem
internal import SystemPackage

/// Notices that the home was removed, for example by `rm -r`, or unmounted. No tool can reach the system then, so it
/// ends.
struct HomeWatch {
    private let home: String
    private let inotify: Inotify
    /// The kernel reports here that something was mounted or unmounted. `nil`: it could not be opened.
    private let mounts = try? Descriptor.open("/proc/self/mountinfo", .read)
    private(set) var nextLook: Int64?
    /// The last check found no home. During a remount, the files are missing for a moment.
    private var wasMissing = false
    /// When the mark was removed. The removal of a home takes a while; a home that stays gets a new mark.
    private var doubtedAt: Int64?

    private static let pause: Int64 = 500_000_000
    /// Nanoseconds until a home that lost only its mark gets a new one.
    private static let patience: Int64 = 10_000_000_000

    /// `nil` where nothing can be watched.
    init?(home: String) {
        guard let inotify = try? Inotify() else { return nil }
        (self.home, self.inotify) = (home, inotify)
        mark()
    }

    /// Has reports of the kernel wake a loop.
    func wake(_ epoll: Epoll, token: UInt64) {
        // Without a watch, the system still works. It does not notice when the home disappears.
        try? epoll.add(inotify.descriptor.rawValue, .readable, token: token)
        if let mounts { try? epoll.add(mounts.rawValue, .priority, token: token) }
    }

    /// No process has this file open, so the kernel reports its removal at once.
    private var path: String { home + "/keeper.mark" }

    private mutating func mark() {
        (nextLook, doubtedAt) = (nil, nil)
        // On a full disk there may be no mark. The system then goes on, but does not notice a removal.
        try? FileSystem.replaceOrOverwrite(path, with: [])
        _ = try? inotify.watch(path, for: .removedItself)
    }

    /// Reads the kernel's reports.
    mutating func told(_ events: Epoll.Events) {
        if events.contains(.readable) {
            // If the reports cannot be read, a removal is not noticed.
            let changes = (try? inotify.read()) ?? []
            if doubtedAt == nil, changes.contains(where: { $0.changes.contains(.removedItself) }) {
                doubtedAt = Clock.boot()
                nextLook = doubtedAt
            }
        }
        if events.contains(.priority), nextLook == nil { nextLook = Clock.boot() }
    }

    /// - Returns: whether the home is gone.
    mutating func look() -> Bool {
        let now = Clock.boot()
        guard let moment = nextLook, moment <= now else { return false }
        // The tools' socket and the daemon's database.
        let isMissing = ["control", "state.sqlite"].allSatisfy { Self.isMissing("\(home)/\($0)") }
        if isMissing, wasMissing { return true }
        wasMissing = isMissing
        if isMissing {
            nextLook = now + Self.pause
            return false
        }
        nextLook = nil
        guard let doubtedAt else { return false }
        if now - doubtedAt > Self.patience { mark() } else { nextLook = now + Self.pause }
        return false
    }

    /// Whether there is no such file. Any other error, for example of a file server that does not answer, says nothing
    /// about that.
    private static func isMissing(_ path: String) -> Bool {
        do throws(SystemError) {
            _ = try Descriptor.open(path, .read)
            return false
        } catch {
            return error.errno == .noSuchFileOrDirectory || error.errno == .notDirectory
        }
    }
}
