internal import LinuxSystem
internal import Model
internal import Wire

/// Whether a home's system lives. Who was killed is still there for a moment, with its number, its sockets and the
/// lock, and is no system: it answers nothing, and then it is dead.
struct LivingSystem {
    let home: GreenroomHome

    /// One that lives and is busy has this long; after that nobody may take its place all the same.
    private static let patience = Model.Span.seconds(5)
    /// For the sockets of one that is being made.
    private static let interval = Model.Span.milliseconds(20)

    var lives: Bool {
        let (leftovers, limit) = (Leftovers(home: home), TimeLimit(in: Self.patience))
        while leftovers.isSupervised, !limit.isOver {
            let ends = [home.keeper, home.daemon].compactMap { $0?.handle }
            let answers = withExtendedLifetime(ends) { isAnswered(beside: ends.map(\.descriptor.rawValue), limit) }
            if answers { return true }
        }
        return leftovers.isSupervised
    }

    /// Returns early, and without an answer, when one of the processes ends.
    private func isAnswered(beside ends: [Int32], _ limit: TimeLimit) -> Bool {
        guard let connection = try? ControlConnection(path: home.controlSocket),
            (try? connection.send(.status, [:])) != nil
        else {
            _ = Poll.ready(ends, atMost: min(limit.left, Self.interval))
            return false
        }
        // An answer, and not the end of the connection.
        return Poll.ready(ends + [connection.number], atMost: limit.left).contains(connection.number)
            && (try? connection.receive(silentAtMost: limit.left)) != nil
    }
}
