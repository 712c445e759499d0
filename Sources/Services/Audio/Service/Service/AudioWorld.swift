internal import AudioControls
internal import AudioCore
internal import AudioModel
internal import AudioTranslation
internal import AudioWire
internal import Dispatch
internal import LinuxSystem
internal import Model
internal import PipeWire
internal import ServiceCore
internal import ServiceKit
internal import ServiceWire
internal import Wire

/// The sound server, and the players on the desktop's bus.
final class AudioWorld: ServiceWorld {
    typealias Policy = AudioSystem
    typealias Translation = AudioOnWire

    static let mode = "audio"

    let queue: DispatchQueue
    let graph: AudioGraph
    let players: OtherPlayers
    private(set) weak var host: ServiceHost<AudioWorld>?
    private let silence: Double?

    /// Streams and players whose process the daemon is asked about.
    var owners = Owners()
    var streams: [NodeID: GraphStream] = [:]
    var playerIDs: [OtherPlayer.ID: PlayerID] = [:]
    var nextPlayer: UInt64 = 1
    var published: [AppIdentifier: AudioControls.PublishedPlayer] = [:]
    /// Controls of published players that wait for an answer.
    var answers: [RequestID: (PublishedAnswer) -> Void] = [:]

    /// - Parameter silence: seconds of silence out of sight that count as playing; `nil`: as the profile has it.
    init(_ queue: DispatchQueue, silence: Double?) {
        self.queue = queue
        self.silence = silence
        graph = AudioGraph(queue: queue)
        players = OtherPlayers(queue: queue)
    }

    /// Only the daemon can say whose what is.
    func begin(_ host: isolated ServiceHost<AudioWorld>) {
        self.host = host
        if let silence { host.post(.own(.silence(.seconds(silence)))) }
        graph.client = self
        graph.begin()
        players.begin(self)
    }

    func daemonIsThere(_ host: isolated ServiceHost<AudioWorld>) { askAgain() }
    func daemonIsLost() { owners.forgetQuestions() }

    func end() {
        for player in published.values { player.end() }
        players.end()
        graph.close()
    }

    func post(_ event: AudioWords.Event) { host?.assumeIsolated { $0.post(.own(event)) } }

    // MARK: Effects

    func perform(_ effect: AudioWords.Effect, _ host: isolated ServiceHost<AudioWorld>) {
        switch effect {
        case .permit(let node, let isPermitted, let order):
            graph.permit(NodeIdentifier(node), isPermitted) { [weak self] _ in self?.post(.permitted(node, order)) }
        case .setGain(let node, let gain, let span):
            graph.setGain(NodeIdentifier(node), gain, over: Int(span.nanoseconds / 1_000_000))
        case .move(let node, let device):
            _ = graph.route(NodeIdentifier(node), to: device.map { NodeIdentifier(serial: $0) })
        case .meter(let node, let span):
            graph.meter(NodeIdentifier(node), milliseconds: Int(span.nanoseconds / 1_000_000)) { [weak self] peak in
                self?.post(.level(node, peak))
            }
        case .setVolume(let volume): graph.setVolume(Float(volume))
        case .setDefault(let device): _ = graph.setDefaultSink(NodeIdentifier(serial: device))
        case .control(let player, let command, let order): control(player, command, order)
        case .publish(let app, let player): publish(app, player)
        case .unpublish(let app): published.removeValue(forKey: app)?.end()
        case .report(let report): host.note(report.sentence)
        }
    }

    // MARK: Apps and tools

    /// An app may begin to sound only where it stands well, and the daemon says how it stands.
    func needsDaemonsWord(for request: AudioRequest, of connection: ConnectionID, _ policy: AudioSystem) -> Bool {
        switch request {
        case .start, .activate: policy.isSilentOutOfSight(connection)
        default: false
        }
    }

    func result(of reply: AudioReply) -> JSONValue {
        guard case .hello(let surroundings) = reply else { return reply.json }
        // An app's user may have a session of its own, or none.
        var greeting = surroundings.json.object ?? [:]
        greeting["server"] = .string(AudioServer.ofSession.socket)
        return .object(greeting)
    }

    func answer(
        _ name: String, _ params: JSONValue, _ host: isolated ServiceHost<AudioWorld>
    ) throws(RPCError) -> ToolAnswer<AudioWords> {
        guard let method = AudioToolMethod(rawValue: name) else { throw .methodNotFound(name) }
        if let order = try AudioOrder(method, params) { return .command(order) }
        switch method {
        case .why:
            guard let app = AppIdentifier(try params.string("app")) else {
                throw .invalidParameter("app", "the parameter app is no identifier")
            }
            return .value(["sentence": .string(host.policy.why(app))])
        case .status:
            return .value(AudioStatusInfo(host.policy.status, sessionManager: graph.hasSessionManager).json)
        // The host answers `hello`, the policy the others.
        case .hello, .command, .press, .ringer, .interruption, .plug, .unplug, .route, .volume, .permission:
            throw .methodNotFound(name)
        }
    }
}

extension NodeIdentifier {
    init(_ node: NodeID) { self.init(serial: node.rawValue) }
}

extension NodeID {
    init(_ node: NodeIdentifier) { self.init(node.serial) }
}

extension AudioReport {
    fileprivate var sentence: String {
        switch self {
        case .silent(let party, let span):
            "\(party.name) said that it plays, and nothing was to be heard for \(span.nanoseconds / 1_000_000_000) s"
        case .untold(let app, let news): "\(app) was told of something and did not come to it: \(news)"
        case .notWoken(let app, let news): "\(app) cannot be woken for something that it should hear: \(news)"
        case .stubborn(let party): "\(party.name) plays on although it was told to stop"
        }
    }
}

extension PartyID {
    fileprivate var name: String {
        switch self {
        case .app(let app): app.rawValue
        case .outsider(let pid): "the process \(pid)"
        }
    }
}
