internal import AudioCore
internal import AudioModel
internal import Model
internal import ServiceCore

/// What outlives the process of the service: what it has stored, the apps' ends of their connections, and the sound
/// server with its streams.
struct AudioFacts: Sendable {
    /// The framework in an app's process.
    struct Client: Sendable {
        var process: Int64
        var hello = AppHello()
        /// How loud each stream's samples are.
        var levels: [Int64: Float] = [:]
        /// Counts what the app began.
        var epoch = 0
        var begun: [Int64: Int] = [:]
    }

    struct Node: Sendable {
        var owner: PartyID
        var process: Int64
        var direction: AudioDirection
        var stream: Int64?
        var role = NodeRole.music
        var runs: Bool
        var level: Float
        /// It has a way out.
        var isPermitted = true
        var gain: Float = 1
    }

    struct Player: Sendable {
        let id: PlayerID
        var isPlaying = false
    }

    var records: [AudioRecordKey: AudioRecord] = [:]
    var lastNews: NewsNumber = 0
    var clients: [AppIdentifier: Client] = [:]
    var nodes: [NodeID: Node] = [:]
    var nextNode: UInt64 = 1
    var hasServer = true
    /// What the sound server had when it died.
    var lost: [Node] = []
    /// Of plain programs, and of one that is none of the apps.
    var players: [PartyID: Player] = [:]
    var volume = 1.0
    var published: [AppIdentifier: PublishedPlayer] = [:]

    var orderedNodes: [(key: NodeID, value: Node)] { nodes.sorted { $0.key < $1.key } }

    mutating func commit(_ effects: [AudioEffect]) {
        for effect in effects {
            switch effect {
            case .store(let record): records[record.key] = record
            case .erase(let key): records[key] = nil
            default: break
            }
        }
    }

    var stored: [AudioRecord] {
        records.values.sorted { a, b in
            switch (a, b) {
            case (.device, _): true
            case (_, .device): false
            case (.app(let a), .app(let b)): a.app.rawValue < b.app.rawValue
            case (.app, .permission): true
            case (.permission, .app): false
            case (.permission(let a, _), .permission(let b, _)): a.rawValue < b.rawValue
            }
        }
    }

    func node(of owner: PartyID, _ stream: Int64?) -> NodeID? {
        orderedNodes.first { $0.value.owner == owner && $0.value.stream == stream }?.key
    }

    /// - Returns: those that are gone with the process.
    mutating func endProcess(of app: AppIdentifier, but process: Int64?) -> [NodeID] {
        if clients[app]?.process != process { clients[app] = nil }
        let gone = orderedNodes.filter { $0.value.owner == .app(app) && $0.value.process != process }.map(\.key)
        for node in gone { nodes[node] = nil }
        return gone
    }

    static let outsider = PartyID.outsider(pid: 4242)
}
