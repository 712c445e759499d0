internal import Model
internal import PolicyCore
internal import Simulation

// Who connected when, a recording says only of apps that stood still: how long somebody stayed is what was seen of it.
extension ScenarioMaker {
    /// It has been listening, at the latest since it was last sent away.
    mutating func noteListeners(_ place: Int, _ listeners: [Listener]) {
        for listener in listeners where !apps[place].listening.contains(listener.name) {
            apps[place].listening.append(listener.name)
            add(
                .input(.app(apps[place].name, .listen(listener.name))),
                after: apps[place].bornAt ?? apps[place].launchedAt, before: apps[place].frozenAt)
        }
        guard listeners.contains(where: { $0.peers > 0 }), apps[place].peer == nil else { return }
        apps[place].peer = (apps[place].frozenAt - .milliseconds(1), now)
    }

    mutating func notePeer(_ place: Int) {
        notePeerGone(place)
        noteIgnored(place, false)
        apps[place].peer = (now, now)
    }

    mutating func noteUse(_ place: Int, _ use: SocketUse) {
        // Whether it reads calls, its peers do not show.
        if apps[place].peer != nil || use.waiting > 0 { noteIgnored(place, use.waiting > 0 && use.connections <= 0) }
        if use.connections > 0 || use.waiting > 0 {
            if apps[place].peer == nil { apps[place].peer = (now - .milliseconds(1), now) }
            apps[place].peer?.last = now
        } else {
            notePeerGone(place)
        }
    }

    mutating func noteCall(_ place: Int, isUnread: Bool) {
        noteIgnored(place, isUnread, since: apps[place].calledAt)
        guard !isUnread else { return }
        apps[place].calledAt = now
        add(.input(.callMethod(apps[place].name)), at: now)
    }

    private mutating func noteIgnored(_ place: Int, _ isIgnoring: Bool, since begin: Span? = nil) {
        guard apps[place].isIgnoring != isIgnoring else { return }
        apps[place].isIgnoring = isIgnoring
        let since = isIgnoring ? begin ?? apps[place].peer?.since ?? now : now
        add(.ignorePeers(apps[place].name, isIgnoring), at: since - .milliseconds(1), rank: 0)
    }

    /// Nobody is connected any more.
    mutating func notePeerGone(_ place: Int) {
        guard let peer = apps[place].peer else { return }
        apps[place].peer = nil
        let stay = max(peer.last - peer.since, .zero) + .milliseconds(10)
        add(.input(.connect(apps[place].name, lasting: stay)), at: peer.since)
    }

    mutating func noteRefused(_ place: Int, _ count: Int32) {
        for _ in 0..<min(count, 100) {
            add(.input(.connect(apps[place].name, lasting: .milliseconds(10))), at: now - .milliseconds(2))
        }
    }
}
