internal import DBus

/// One connection on the bus that has names of players, and what it has said.
final class OtherPeer {
    /// Names of one connection that are kept: a hostile program may take thousands.
    static let mostNames = 16

    /// The connection's unique name.
    let owner: String
    let order: UInt64
    /// Without one it is no player: questions to it may still have no answer.
    var names: Set<String> = []
    var report = PlayerReport()
    var process: Int32?
    var answers = true
    var registrations: [DBusRegistration] = []

    /// What it has not answered, and may have to be asked again when it has.
    var unanswered: Set<Question> = []
    var wanted: Set<Question> = []
    /// Whether it has said what it is, or had the time to.
    var isIntroduced = false
    /// What the client knows of it.
    var told: OtherPlayer?

    /// By the monotonic clock, in nanoseconds.
    var lastTold = Int64.min / 2
    var isTellingPlanned = false
    var isForgettingPlanned = false
    /// Signals since the beginning of this second.
    var signals = (count: 0, since: Int64(0))

    enum Question: Hashable, CaseIterable {
        case process, root, player
        /// Alone: all of it may be more than one message can hold.
        case status, position
    }

    init(owner: String, order: UInt64) {
        (self.owner, self.order) = (owner, order)
    }

    /// The shortest name: players that run more than once add to it.
    var name: String { names.min { ($0.utf8.count, $0) < ($1.utf8.count, $1) } ?? "" }

    /// As the client is told.
    var player: OtherPlayer {
        let name = name
        let word = name.dropFirst(MPRIS.prefix.count).prefix { $0 != "." }
        var player = OtherPlayer(id: owner, name: name, identity: report.identity ?? String(word))
        player.process = process
        player.desktopEntry = report.desktopEntry
        player.abilities = report.abilities
        player.nowPlaying = report.nowPlaying
        player.saidAt = report.saidAt
        player.answers = answers
        return player
    }

    /// Whether more signals came within a second than any player has reason to send.
    func isFlooding(at now: Int64) -> Bool {
        if now - signals.since > 1_000_000_000 { signals = (0, now) }
        signals.count += 1
        return signals.count > 100
    }
}
