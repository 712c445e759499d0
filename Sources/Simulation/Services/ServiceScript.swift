package import Model
internal import PolicyCore

/// A service as a scenario describes it: what it declares, and how long things take it. It does for apps what they ask.
package struct ServiceScript: Hashable, Sendable {
    package var declaration: ServiceDeclaration
    /// From the birth of its process to its hello.
    package var startup = ServiceScript.standardStartup
    /// From `stop` to the answer.
    package var stopTime = ServiceScript.standardStop
    /// It keeps nothing: after its death it states nothing.
    package var forgets = false
    /// It runs by the logic of a real service of this name (`ServiceModels`), which declares itself.
    package var model: String?

    package init(_ declaration: ServiceDeclaration) { self.declaration = declaration }

    package static let standardStartup = Span.milliseconds(60)
    package static let standardStop = Span.milliseconds(5)
}

/// What of which service: `steps.counting`.
package struct ServicePart: Hashable, Sendable {
    package var service: String
    /// The name of a hold, or of a window.
    package var part: String

    package init(_ service: String, _ part: String) {
        self.service = service
        self.part = part
    }
}

/// A service of the simulated device: its process, what it does for apps, and what it waits for.
package struct SimulatedService {
    enum Presence: Hashable {
        case idle, starting
        /// It has said hello to the daemon that there is.
        case here
        /// It runs, and has no daemon.
        case alone
    }

    struct Held: Hashable {
        var place: Int
        var generation: Generation
        /// Its place among the holds that were declared.
        var kind: UInt8
    }

    enum Wish: Hashable {
        /// A number where its logic waits for the answer.
        case hold(Held, because: String = "", number: UInt64? = nil)
        /// A number where its logic waits for the answer.
        case wake(place: Int, window: UInt8, because: String = "", payload: String = "", number: UInt64? = nil)
    }

    package let script: ServiceScript
    /// Around the logic of a real service.
    var shell: ModelShell?
    /// An app wants to connect, or it left something undone.
    var isWanted = false
    /// Its number in the present system.
    var index: ServiceIndex?
    var presence = Presence.idle
    /// Counts its processes, and its connections to the daemon.
    var life: UInt32 = 0
    /// What the daemon allowed, and it does.
    var held: [Held] = []
    var attached: [Held] = []
    /// Places of apps that ever connected.
    var known: [Int] = []
    var asked: [ServiceRequestID: Wish] = [:]
    /// What it will ask for when it is there.
    var wishes: [Wish] = []
    /// Whether it was allowed to wake an app, each time that it wanted to.
    package internal(set) var wakes: [Bool] = []
    /// It answers no `stop`.
    var isStalled = false
    /// What it held when the daemon last lost it, or it the daemon, and since when the grace runs.
    var lost: (held: [Held], since: Instant)?
    /// What the Core ended, whether or not the daemon lived to say so.
    var decidedOver: Set<Held> = []
    /// What it was told to stop, and when.
    var stopping: [Held: Instant] = [:]
    /// When it last had to do with an app.
    var touched: [Int: Instant] = [:]

    init(_ script: ServiceScript) { self.script = script }

    /// Its process runs, with or without a daemon.
    var isAlive: Bool { presence == .here || presence == .alone }
}

/// What happens next to a service.
enum ServiceStep: Hashable {
    case asked(SimulatedService.Wish)
    case left(SimulatedService.Held)
    case starts
    case connects
    case stopped(SimulatedService.Held)
    // Of one that runs by the logic of a real service.
    case says(ModelShell.Client)
    case tells(ServiceWords, Int, Generation)
    case heard(ServiceWords)
    /// What it asks of another one comes to the daemon.
    case asks(ModelShell.Asking)
    case replied(UInt64, ServiceModelReply)
    /// The daemon reads the first of `ModelShell.orders`.
    case orders
    case timer
    case looks
    /// The radio may be doing something else by itself.
    case cools
}
