internal import AudioModel
internal import Model
internal import ServiceCore

// What is true after every event, whatever happened.
extension AudioSystem {
    package func brokenInvariants() -> [String] {
        var broken: [String] = []
        for id in parties.keys.sorted() {
            guard let party = parties[id] else { continue }
            broken += party.broken(by: self).map { "\(name(of: id)): \($0)" }
        }
        for (node, owner) in nodes where parties[owner.party]?.streams[owner.stream] == nil {
            broken.append("the node \(node.rawValue) is of a stream that is not known")
        }
        for (connection, id) in connections where parties[id] == nil {
            broken.append("the connection \(connection.rawValue) is of nobody")
        }
        for (order, control) in controls where parties[control.party]?.player == nil {
            broken.append("the order \(order.rawValue) is for a player that is gone")
        }
        if let next = nextDeadline, next < now { broken.append("what was due has not been done") }
        return broken + brokenPeace
    }

    /// Two that do not mix are not in force at once.
    private var brokenPeace: [String] {
        let loud = parties.values.filter { $0.session.isActive && !$0.session.settings.mixes }.map(\.id)
        guard loud.count > 1 else { return [] }
        return ["\(loud.sorted().map(name(of:)).joined(separator: " and ")) are active at once and do not mix"]
    }

    /// Whether somebody's interruption is still somebody's doing.
    fileprivate func isDoneByNobody(_ interruption: Interruption) -> Bool {
        interruption.by.contains { interrupter in
            switch interrupter {
            case .call: hasSystem && conditions.call != .connected
            case .person: hasSystem && !isInterrupted
            case .session(let app):
                parties[.app(app)].map { party in
                    party.session.activity == .inactive && party.awaited == nil && party.news.isEmpty
                        && (party.kind != .app || party.hasSpoken && !isActing(party))
                } ?? false
            case .outsider(let pid):
                parties[.outsider(pid: pid)].map { $0.session.activity == .inactive && $0.awaited == nil } ?? false
            }
        }
    }
}

extension Party {
    fileprivate func broken(by system: AudioSystem) -> [String] {
        var broken: [String] = []
        for key in orderedKeys {
            guard let stream = streams[key] else { continue }
            broken += self.broken(stream, system).map { "\($0) (\(key))" }
        }
        if let interruption = session.interruption, interruption.by.isEmpty {
            broken.append("it is interrupted, and by nobody")
        }
        if let interruption = session.interruption, system.isDoneByNobody(interruption) {
            broken.append("it is interrupted by a session that is not active")
        }
        if session.isActive, system.conditions.call == .connected { broken.append("it is active during a call") }
        if session.isActive, system.isInterrupted { broken.append("it is active although everything is interrupted") }
        if kind == .app, session.interruption != nil, streams.values.contains(where: \.wish) {
            broken.append("it is interrupted and wants to sound")
        }
        if kind == .outsider, !holds.values.allSatisfy({ $0 == Holding.none }) {
            broken.append("the system is asked about a program that is not its own")
        }
        if standing.state == .none, !holds.values.allSatisfy({ $0 == Holding.none }) {
            broken.append("the system is asked about a process that is gone")
        }
        if news.items.count > system.rules.mostNews { broken.append("more is kept for it than may be") }
        if zip(news.items, news.items.dropFirst()).contains(where: { $0.number >= $1.number }) {
            broken.append("what it is told is out of order")
        }
        return broken + brokenHolds(system) + brokenStarts(system)
    }

    /// What is held in silence would be frozen otherwise.
    private func brokenHolds(_ system: AudioSystem) -> [String] {
        guard system.hasSystem, awaited == nil, stops.isEmpty else { return [] }
        return [AudioHold.playing, .recording].compactMap { hold in
            let isUsed = streams.values.contains {
                system.hold(for: $0.direction) == hold && ($0.isRaised || $0.wish && system.mayRun($0, self))
            }
            guard holding(hold) == .held, !isUsed, holding(.connected) != .asked else { return nil }
            guard hold != .playing || !isExpected(at: system.now) else { return nil }
            return "it is held for \(hold.rawValue), and silent"
        }
    }

    /// Who asked to begin is answered.
    private func brokenStarts(_ system: AudioSystem) -> [String] {
        starts.keys.compactMap { key in
            guard let stream = streams[key] else { return "it waits for a stream that is not known (\(key))" }
            let isOnItsWay = holding(system.hold(for: stream.direction)) == .asked || !stops.isEmpty
            let isBlocked = !system.hasSystem || !standing.isRunning || stream.phase != .down && !stream.isUp
            return isOnItsWay || isBlocked ? nil : "it waits for an answer, and nobody answers (\(key))"
        }
    }

    private func broken(_ stream: Stream, _ system: AudioSystem) -> [String] {
        var broken: [String] = []
        let isSettled = system.hasGraph && stream.node != nil
        if let node = stream.node, system.nodes[node].map({ $0.party != id || $0.stream != stream.key }) ?? true {
            broken.append("its node is another one's")
        }
        if stream.isUp, isSettled, stream.direction == .output, !stream.isGainKnown {
            broken.append("nobody knows how loud it is")
        }
        if stream.wish, system.mayRun(stream, self), system.hasSystem, kind != .outsider, stops.isEmpty, !isRefused,
            holding(system.hold(for: stream.direction)) == Holding.none
        {
            broken.append("it should sound, and the system is not asked")
        }
        if stream.isUp, isSettled, kind != .outsider, !standing.isRunning {
            broken.append("a suspended app has a way to sound: the graph would wait for it")
        }
        if stream.isUp, stream.direction == .output, stream.gain != system.gain(self) {
            broken.append("it is at \(stream.gain) and should be at \(system.gain(self))")
        }
        if stream.wish, kind == .app, session.isActive, system.mayRun(stream, self), !stream.isUp,
            holding(system.hold(for: stream.direction)) == .held, stream.phase == .down
        {
            broken.append("it should sound, and is silent")
        }
        if stream.isUp, stream.isInUse, !system.mayRun(stream, self) {
            broken.append("it should be silent, and sounds")
        }
        let isInBackground = kind != .outsider && !isInSight && standing.isRunning
        if system.hasSystem, isInBackground, isSettled, stream.isRaised, stops.isEmpty, !isConnectionRefused,
            [.connected, .playing, .recording].allSatisfy({ holding($0) == Holding.none })
        {
            broken.append("it is linked, and nothing keeps it from being suspended")
        }
        if system.hasSystem, isInBackground, stream.isUp, stream.isInUse,
            holding(system.hold(for: stream.direction)) == Holding.none, stops.isEmpty
        {
            broken.append("it sounds, and nothing keeps it from being suspended")
        }
        return broken
    }
}
