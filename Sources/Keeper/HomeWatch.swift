internal import LinuxSystem

/// Notices that the home was removed, for example by `rm -r`. No tool can reach the system then, so it ends.
struct HomeWatch {
    private let home: String
    private let inotify: Inotify
    /// When it looks again. A removal takes a while; a home that stays gets a new mark.
    private(set) var nextLook: Int64?
    private var doubtedAt: Int64 = 0

    private static let pause: Int64 = 500_000_000
    /// Nanoseconds until a home that lost only its mark gets a new one.
    private static let patience: Int64 = 10_000_000_000

    /// `nil` where nothing can be watched.
    init?(home: String) {
        guard let inotify = try? Inotify() else { return nil }
        (self.home, self.inotify) = (home, inotify)
        mark()
    }

    var descriptor: Descriptor { inotify.descriptor }

    /// No process has this file open, so the kernel reports its removal at once.
    private var path: String { home + "/keeper.mark" }

    private mutating func mark() {
        nextLook = nil
        // On a full disk there may be no mark. The system then goes on, but does not notice a removal.
        try? FileSystem.replaceOrOverwrite(path, with: [])
        _ = try? inotify.watch(path, for: .removedItself)
    }

    /// Reads the kernel's reports.
    mutating func told() {
        let changes = (try? inotify.read()) ?? []
        guard nextLook == nil, changes.contains(where: { $0.changes.contains(.removedItself) }) else { return }
        doubtedAt = Clock.boot()
        nextLook = doubtedAt
    }

    /// - Returns: whether the home is gone.
    mutating func look() -> Bool {
        guard let moment = nextLook, moment <= Clock.boot() else { return false }
        // The tools' socket and the daemon's database.
        let isGone = ["control", "state.sqlite"].allSatisfy { !FileSystem.exists("\(home)/\($0)") }
        if isGone { return true }
        if Clock.boot() - doubtedAt > Self.patience { mark() } else { nextLook = Clock.boot() + Self.pause }
        return false
    }
}
