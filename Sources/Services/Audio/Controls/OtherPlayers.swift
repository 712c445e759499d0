internal import AudioModel
package import DBus
package import Dispatch
internal import LinuxSystem

/// The players of plain programs on the user's bus, by MPRIS.
///
/// It asks a player once what it is, and hears of changes. A player that does not answer is told of after a while by
/// what the bus knows of it; the question stays open, so one whose process was frozen is known as soon as it thaws, and
/// nothing has to be repeated until then. The bus may come and go.
///
/// Unchecked: used on its queue only; its client is called there.
package final class OtherPlayers: @unchecked Sendable {
    /// Players that are known at the same time. Further ones wait until one of them goes.
    package static let most = 64
    /// Names that are followed up when the bus lists them.
    private static let mostListed = 256
    /// Nanoseconds between two changes of a player that its client is told of.
    private static let tellingPause: Int64 = 100_000_000
    /// How long a player that floods is not listened to.
    private static let deafness = Duration.seconds(1)
    /// How long a connection that has no name any more is remembered.
    private static let memory = Duration.seconds(1)
    /// As long as a call can wait: a frozen process answers when it thaws.
    private static let longestWait = Duration.seconds(86_400)

    let connection: DBusConnection
    let queue: DispatchQueue
    /// How long a player may take to say what it is.
    private let patience: Duration
    private weak var client: (any OtherPlayersClient)?
    private var registrations: [DBusRegistration] = []
    private(set) var peers: [String: OtherPeer] = [:]
    private var lastNumber: UInt64 = 0
    /// There are more players than are known.
    private var isCrowded = false
    private var isListing = false

    package init(
        at address: DBusAddress = .user, queue: DispatchQueue, patience: Duration = .seconds(5)
    ) {
        (self.queue, self.patience) = (queue, patience)
        connection = DBusConnection(address, queue: queue)
    }

    package func begin(_ client: any OtherPlayersClient) {
        dispatchPrecondition(condition: .onQueue(queue))
        self.client = client
        let changes = DBusMatch(
            sender: Self.bus, interface: Self.bus, member: "NameOwnerChanged", namespace: MPRIS.root)
        registrations = [connection.subscribe(changes) { [weak self] in self?.ownerChanged($0) }]
        connection.onState = { [weak self] in self?.busChanged($0) }
        connection.begin()
    }

    /// The client hears nothing more.
    package func end() {
        dispatchPrecondition(condition: .onQueue(queue))
        client = nil
        connection.onState = { _ in }
        (registrations, peers) = ([], [:])
        connection.close()
    }

    /// Those that are there now, in the order in which they came.
    package var players: [OtherPlayer] {
        peers.values.filter { $0.told != nil }.sorted { $0.order < $1.order }.map(\.player)
    }

    /// Asks a player how far it is. The client hears of a change if it is not where it was expected.
    package func askPosition(of id: OtherPlayer.ID) {
        dispatchPrecondition(condition: .onQueue(queue))
        if let peer = peers[id], peer.told != nil { ask(.position, peer) }
    }

    // MARK: Names come and go

    static let bus = "org.freedesktop.DBus"

    private func busCall(_ method: String, _ arguments: [DBusValue] = [], returns: [DBusType]) -> DBusCall {
        DBusCall(
            method, of: Self.bus, at: "/org/freedesktop/DBus", to: Self.bus, arguments, returns: returns)
    }

    private func busChanged(_ state: DBusConnection.State) {
        switch state {
        case .connected: list()
        case .waiting, .closed:
            (isListing, isCrowded) = (false, false)
            let left = peers.values.filter { $0.told != nil }.sorted { $0.order < $1.order }
            peers = [:]
            for peer in left { client?.gone(peer.owner) }
        }
    }

    private func list() {
        guard !isListing else { return }
        (isListing, isCrowded) = (true, false)
        connection.call(busCall("ListNames", returns: [.array(.string)])) { [weak self] result in
            guard let self else { return }
            isListing = false
            guard case .success(let values) = result else { return }
            let names = (values.first?.strings ?? []).filter(MPRIS.isOther)
            isCrowded = isCrowded || names.count > Self.mostListed
            for name in names.prefix(Self.mostListed) {
                connection.call(busCall("GetNameOwner", [.string(name)], returns: [.string])) { [weak self] result in
                    if case .success(let values) = result, let owner = values.first?.string { self?.add(name, owner) }
                }
            }
        }
    }

    private func ownerChanged(_ signal: DBusSignal) {
        let texts = signal.arguments.compactMap(\.string)
        guard texts.count == 3, MPRIS.isOther(texts[0]) else { return }
        remove(texts[0], texts[1])
        if !texts[2].isEmpty { add(texts[0], texts[2]) }
    }

    private func add(_ name: String, _ owner: String) {
        if let peer = peers[owner] {
            guard !peer.names.contains(name) else { return }
            guard peer.names.count < OtherPeer.mostNames else {
                isCrowded = true
                return
            }
            let isBack = peer.names.isEmpty
            peer.names.insert(name)
            if isBack { meet(peer) } else { touch(peer) }
        } else if peers.count < Self.most {
            lastNumber += 1
            let peer = OtherPeer(owner: owner, order: lastNumber)
            peer.names = [name]
            peers[owner] = peer
            meet(peer)
        } else {
            isCrowded = true
        }
    }

    private func remove(_ name: String, _ owner: String) {
        guard let peer = peers[owner], peer.names.remove(name) != nil else { return }
        guard peer.names.isEmpty else { return touch(peer) }
        peer.registrations = []
        let wasTold = peer.told != nil
        peer.told = nil
        if !peer.isForgettingPlanned {
            peer.isForgettingPlanned = true
            later(Self.memory, peer) { players, peer in
                peer.isForgettingPlanned = false
                players.forgetIfIdle(peer)
            }
        }
        if wasTold { client?.gone(owner) }
    }

    /// One that has no name is kept for a while, and while it owes answers: a program that takes a name again and again
    /// is not asked again and again.
    private func forgetIfIdle(_ peer: OtherPeer) {
        guard peer.names.isEmpty, peer.unanswered.isEmpty, peers[peer.owner] === peer else { return }
        peers[peer.owner] = nil
        if isCrowded { list() }
    }

    // MARK: A player is asked what it is

    private func meet(_ peer: OtherPeer) {
        listen(to: peer)
        guard !peer.isIntroduced else {
            // It had no name for a moment: it is told of as it was then, and asked what has changed since.
            peer.wanted.formUnion([.root, .player])
            return touch(peer)
        }
        for question in [OtherPeer.Question.process, .root, .player] { ask(question, peer) }
        later(patience, peer) { players, peer in
            guard players.isCurrent(peer), !peer.isIntroduced else { return }
            peer.answers = peer.unanswered.isDisjoint(with: [.root, .player])
            if peer.unanswered.contains(.player) { players.ask(.status, peer) }
            players.introduce(peer)
        }
    }

    private func introduce(_ peer: OtherPeer) {
        guard !peer.isIntroduced else { return }
        peer.isIntroduced = true
        touch(peer)
    }

    private func listen(to peer: OtherPeer) {
        let matches = [
            DBusMatch(
                sender: peer.owner, path: MPRIS.path, interface: MPRIS.properties, member: "PropertiesChanged"),
            DBusMatch(sender: peer.owner, path: MPRIS.path, interface: MPRIS.player, member: "Seeked"),
        ]
        peer.registrations = matches.map { match in
            connection.subscribe(match) { [weak self, weak peer] signal in
                if let self, let peer, isCurrent(peer) { heard(signal, from: peer) }
            }
        }
    }

    private func isCurrent(_ peer: OtherPeer) -> Bool { peers[peer.owner] === peer && !peer.names.isEmpty }

    /// Asks now, or once more after the answer that is on its way.
    private func ask(_ question: OtherPeer.Question, _ peer: OtherPeer) {
        guard peer.unanswered.insert(question).inserted else {
            peer.wanted.insert(question)
            return
        }
        peer.wanted.remove(question)
        connection.call(call(question, peer.owner)) { [weak self, weak peer] result in
            guard let self, let peer, peers[peer.owner] === peer else { return }
            peer.unanswered.remove(question)
            answered(question, peer, result)
            if peer.unanswered.isDisjoint(with: [.process, .root, .player]), !peer.names.isEmpty { introduce(peer) }
            forgetIfIdle(peer)
        }
    }

    private func call(_ question: OtherPeer.Question, _ owner: String) -> DBusCall {
        func get(_ method: String, _ arguments: [String], _ type: DBusType) -> DBusCall {
            DBusCall(
                method, of: MPRIS.properties, at: MPRIS.path, to: owner, arguments.map { .string($0) }, returns: [type],
                timeout: Self.longestWait, startsDestination: false)
        }
        let all = DBusType.dictionary(key: .string, value: .variant)
        switch question {
        case .process: return busCall("GetConnectionUnixProcessID", [.string(owner)], returns: [.uint32])
        case .root: return get("GetAll", [MPRIS.root], all)
        case .player: return get("GetAll", [MPRIS.player], all)
        case .status: return get("Get", [MPRIS.player, "PlaybackStatus"], .variant)
        case .position: return get("Get", [MPRIS.player, "Position"], .variant)
        }
    }

    private func answered(
        _ question: OtherPeer.Question, _ peer: OtherPeer, _ result: Result<[DBusValue], DBusError>
    ) {
        let now = Clock.boot()
        guard case .success(let values) = result, let value = values.first else {
            if question == .player, isCurrent(peer) { ask(.status, peer) }
            return
        }
        if question != .process { peer.answers = true }
        switch question {
        case .process: peer.process = value.int.flatMap { Int32(exactly: $0) }
        case .root: _ = peer.report.read(MPRIS.root, value, at: now)
        case .player: _ = peer.report.read(MPRIS.player, value, at: now)
        case .status: _ = peer.report.read(MPRIS.player, .properties(["PlaybackStatus": value.plain]), at: now)
        case .position: peer.report.moved(to: value.plain, at: now)
        }
        touch(peer)
    }

    // MARK: A player says something

    private func heard(_ signal: DBusSignal, from peer: OtherPeer) {
        guard !peer.isFlooding(at: Clock.monotonic()) else { return turnDeaf(to: peer) }
        peer.answers = true
        let (now, arguments) = (Clock.boot(), signal.arguments)
        if signal.member == "Seeked" {
            peer.report.moved(to: arguments.first, at: now)
        } else if arguments.count == 3, let interface = arguments[0].string {
            if peer.report.read(interface, arguments[1], at: now) { peer.wanted.insert(.position) }
            let isAboutPlayer = interface == MPRIS.player
            if isAboutPlayer || interface == MPRIS.root, arguments[2].strings?.isEmpty == false {
                peer.wanted.insert(isAboutPlayer ? .player : .root)
            }
        }
        touch(peer)
    }

    /// The bus is asked to keep its signals to itself for a while; then the player is asked what has become of it.
    private func turnDeaf(to peer: OtherPeer) {
        peer.registrations = []
        later(Self.deafness, peer) { players, peer in
            guard players.isCurrent(peer), peer.registrations.isEmpty else { return }
            players.listen(to: peer)
            peer.wanted.formUnion([.root, .player])
            players.touch(peer)
        }
    }

    // MARK: The client is told

    /// Something of it has changed, or has to be asked for: now, or when the last time is long enough ago.
    func touch(_ peer: OtherPeer) {
        guard peer.isIntroduced, !peer.isTellingPlanned, isCurrent(peer) else { return }
        let left = peer.lastTold + Self.tellingPause - Clock.monotonic()
        guard left > 0 else { return tell(peer) }
        peer.isTellingPlanned = true
        later(.nanoseconds(left), peer) { players, peer in
            peer.isTellingPlanned = false
            if players.isCurrent(peer) { players.tell(peer) }
        }
    }

    private func tell(_ peer: OtherPeer) {
        peer.lastTold = Clock.monotonic()
        for question in peer.wanted.subtracting(peer.unanswered) { ask(question, peer) }
        let player = peer.player
        if let told = peer.told {
            guard !player.isTold(by: told) else { return }
            peer.told = player
            client?.changed(player)
        } else {
            peer.told = player
            client?.appeared(player)
        }
    }

    /// Does something with a connection after a while, if it is still known.
    private func later(
        _ pause: Duration, _ peer: OtherPeer, _ body: @escaping @Sendable (OtherPlayers, OtherPeer) -> Void
    ) {
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(pause.nanoseconds))) {
            [weak self, owner = peer.owner, order = peer.order] in
            if let self, let peer = peers[owner], peer.order == order { body(self, peer) }
        }
    }
}
