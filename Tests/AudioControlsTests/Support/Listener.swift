import AudioControls
import AudioModel
import DBus
import Dispatch
import TestBus

/// Other players with what is told of them, used from a test's thread.
final class Listener: Sendable {
    enum Told: Hashable, Sendable {
        case appeared(OtherPlayer)
        case changed(OtherPlayer)
        case gone(OtherPlayer.ID)
    }

    struct Unexpected: Error {
        let told: Told
    }

    let told = Mailbox<Told>()
    private let bus: TestBus
    private let queue = DispatchQueue(label: "other players")
    private let others: OtherPlayers
    private let client: Client

    init(_ bus: TestBus, patience: Duration = .seconds(5)) {
        self.bus = bus
        others = OtherPlayers(at: bus.address, queue: queue, patience: patience)
        client = Client(told)
        on { $0.begin(client) }
    }

    deinit {
        let others = others
        queue.async { others.end() }
    }

    func on<Value>(_ body: (OtherPlayers) throws -> Value) rethrows -> Value { try queue.sync { try body(others) } }

    var players: [OtherPlayer] { on { $0.players } }

    @discardableResult
    func awaitAppearance() throws -> OtherPlayer {
        let next = try told.next()
        guard case .appeared(let player) = next else { throw Unexpected(told: next) }
        return player
    }

    /// The first change to something of which this is true.
    @discardableResult
    func awaitChange(_ isIt: (OtherPlayer) -> Bool = { _ in true }) throws -> OtherPlayer {
        while true {
            let next = try told.next()
            guard case .changed(let player) = next else { throw Unexpected(told: next) }
            if isIt(player) { return player }
        }
    }

    /// What becomes of a command; `nil`: it was done.
    func send(
        _ command: AudioCommand, to id: OtherPlayer.ID, timeout: Duration = .seconds(15)
    ) throws -> OtherPlayerFailure? {
        try begin(command, to: id, timeout: timeout).next()
    }

    func begin(
        _ command: AudioCommand, to id: OtherPlayer.ID, timeout: Duration = .seconds(15)
    ) -> Mailbox<OtherPlayerFailure?> {
        let answers = Mailbox<OtherPlayerFailure?>()
        on { others in
            others.send(command, to: id, timeout: timeout) { result in
                switch result {
                case .success: answers.post(nil)
                case .failure(let failure): answers.post(failure)
                }
            }
        }
        return answers
    }

    private final class Client: OtherPlayersClient, Sendable {
        private let told: Mailbox<Told>

        init(_ told: Mailbox<Told>) { self.told = told }

        func appeared(_ player: OtherPlayer) { told.post(.appeared(player)) }
        func changed(_ player: OtherPlayer) { told.post(.changed(player)) }
        func gone(_ id: OtherPlayer.ID) { told.post(.gone(id)) }
    }
}
