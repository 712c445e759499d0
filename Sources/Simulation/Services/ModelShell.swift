internal import Model

/// What surrounds the logic of a service: connections of apps, bytes on their way, and what it was told last.
struct ModelShell {
    struct Connection {
        let number: UInt64
        let place: Int
        let generation: Generation
    }

    /// Something that an app said.
    struct Saying: Hashable {
        let number: UInt64
        let words: String
        var isSaid = false
        var isAnswered = false
        /// What it says again on each new connection, and of what.
        var subject: String?
    }

    struct Client: Hashable {
        let place: Int
        let generation: Generation
    }

    struct Move {
        let id: TrafficID
        /// `nil`: for no app.
        let place: Int?
        let purpose: Purpose
        let bytes: Int64
        let direction: Direction
        var seen: Int64 = 0
    }

    struct Told: Hashable {
        var state: LifecycleState
        var awaitsCall: Bool
        var process: Int64
        var isVisible: Bool
    }

    /// What it asks of another service.
    struct Asking: Hashable {
        let service: String
        let words: String
        let number: UInt64
    }

    /// Which service asked for something, and by which number that waits for the answer.
    struct Asker: Hashable {
        let service: Int
        let life: UInt32
        let number: UInt64
    }

    /// What it says to the daemon about holds; its connection keeps the order.
    enum Order: Hashable {
        case ask(SimulatedService.Wish)
        case drop(SimulatedService.Held)
    }

    var logic: any ServiceModel
    /// Its process knows the time: from then on its promises hold.
    var hasBegun = false
    var connections: [Connection] = []
    var moves: [UInt64: Move] = [:]
    /// For whom satellites are received.
    var receivesFor: [Int] = []
    /// When the moves were looked at last.
    var seenAt = Instant.zero
    /// When they are looked at next, and when the logic wants to be called.
    var lookAt: Instant?
    var timerAt: Instant?
    /// When it is looked next whether the radio sleeps.
    var coolsAt: Instant?
    /// Over which its bytes are on their way.
    var network = NetworkKind.none
    var zone: TimeZoneReading?
    /// What living apps said, of what they still have to say on another connection.
    var sayings: [Client: [Saying]] = [:]
    /// Those that want a connection, whether or not they have something to say.
    var wanting: Set<Client> = []
    /// How much of what it says is on its way to each app's main thread.
    var onItsWay: [Int: Int] = [:]
    /// What it says to the daemon and is on its way.
    var orders: [Order] = []
    /// What apps have not heard yet and need not answer, in the order in which it was said.
    var unheard: [ServiceWords] = []
    /// What an app that waited has heard before it came by the usual way.
    var heardBefore: Set<ServiceWords> = []
    /// When the last of what each app says arrives.
    var saidUntil: [Int: Instant] = [:]
    /// What it was told to stop, by the number of the order.
    var stops: [UInt64: SimulatedService.Held] = [:]
    /// When the last of what it says arrives, by the connection.
    var toldUntil: [UInt64: Instant] = [:]
    /// Removed while it did not run: it has to hear of that.
    var removals: [AppIdentifier] = []
    /// Announced, and not yet answered by the daemon.
    var wakes: Set<UInt64> = []
    /// What other services asked and it has yet to answer; what comes once it is there.
    var askers: [UInt64: Asker] = [:]
    var waitingAskers: [(asker: Asker, from: String, words: String)] = []
    /// The windows for which each app was woken, and that have not ended.
    var open: [Int: Set<String>] = [:]

    /// Those with something to say, in an order that is the same in every process.
    var clients: [Client] {
        sayings.keys.sorted { ($0.place, $0.generation.rawValue) < ($1.place, $1.generation.rawValue) }
    }

    init(_ logic: any ServiceModel) { self.logic = logic }
}
