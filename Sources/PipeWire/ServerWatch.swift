internal import Dispatch
internal import LinuxSystem

/// Connects to a daemon, and again each time that the connection ended.
///
/// While there is no socket it waits for one by inotify and runs nothing. A socket that refuses is tried again after
/// growing pauses, and a folder that cannot be watched is too.
///
/// Unchecked: used on its queue only.
final class ServerWatch: @unchecked Sendable {
    private static let (shortestPause, longestPause) = (50, 5_000)
    /// Refusals in a row before only a new socket is worth an attempt.
    private static let mostRefusals = 8
    /// A connection that lasted so long, in nanoseconds, did not end because of its begin.
    private static let longEnough: Int64 = 5_000_000_000

    private let server: AudioServer
    private let queue: DispatchQueue
    /// Whether it has connected.
    private let attempt: () -> Bool
    private var failures = 0
    private var connectedAt: Int64?
    private var inotify: Inotify?
    private var source: (any DispatchSourceRead)?
    /// Ends a planned attempt when a sooner one is made.
    private var plan = 0
    private var isStopped = false

    init(_ server: AudioServer, queue: DispatchQueue, attempt: @escaping () -> Bool) {
        (self.server, self.queue, self.attempt) = (server, queue, attempt)
    }

    deinit { source?.cancel() }

    func begin() { tryNow() }

    func stop() {
        isStopped = true
        plan += 1
        unwatch()
    }

    /// The connection has ended.
    func ended() {
        let lasted = connectedAt.map { Clock.monotonic() - $0 } ?? 0
        connectedAt = nil
        failures = lasted > Self.longEnough ? 0 : failures + 1
        watch()
        tryLater()
    }

    private func tryNow() {
        guard !isStopped, connectedAt == nil else { return }
        plan += 1
        // Before the attempt, so that a socket that comes meanwhile is noticed.
        watch()
        guard !attempt() else {
            connectedAt = Clock.monotonic()
            unwatch()
            return
        }
        failures += 1
        tryLater()
    }

    private func tryLater() {
        if inotify != nil, failures > Self.mostRefusals || !FileSystem.exists(server.socket) { return }
        let pause = min(Self.longestPause, Self.shortestPause << min(failures, 16))
        let planned = plan
        queue.asyncAfter(deadline: .now() + .milliseconds(pause)) { [weak self] in
            if let self, plan == planned { tryNow() }
        }
    }

    // MARK: The folder of the socket

    private func watch() {
        guard inotify == nil, !isStopped, let inotify = try? Inotify(),
            (try? inotify.watch(
                server.folder, for: [.created, .movedIn, .attributes, .removedItself, .movedItself])) != nil
        else { return }
        let source = DispatchSource.makeReadSource(fileDescriptor: inotify.descriptor.rawValue, queue: queue)
        source.setEventHandler { [weak self] in self?.readChanges() }
        source.setCancelHandler { withExtendedLifetime(inotify) {} }
        (self.inotify, self.source) = (inotify, source)
        source.resume()
    }

    private func unwatch() {
        source?.cancel()
        (source, inotify) = (nil, nil)
    }

    private func readChanges() {
        guard let changes = try? inotify?.read() else { return }
        let end: Inotify.Changes = [.removedItself, .movedItself, .ignored]
        if changes.contains(where: { !$0.changes.isDisjoint(with: end) }) {
            // The folder itself went: from here on there are pauses.
            unwatch()
            tryLater()
        } else if changes.contains(where: { $0.name == server.name || $0.changes.contains(.overflow) }) {
            failures = 0
            tryNow()
        }
    }
}
