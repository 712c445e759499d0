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
        case hold(Held)
        case wake(place: Int, window: UInt8)
    }

    package let script: ServiceScript
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
    /// It answers no `stop`.
    var isStalled = false
    /// What it held when the daemon last lost it, or it the daemon, and since when the grace runs.
    var lost: (held: [Held], since: Instant)?
    /// What it was told to stop, and when.
    var stopping: [Held: Instant] = [:]
    /// When it last had to do with an app.
    var touched: [Int: Instant] = [:]

    init(_ script: ServiceScript) { self.script = script }
}

/// What happens next to a service.
enum ServiceStep: Hashable {
    case asked(SimulatedService.Wish)
    case left(SimulatedService.Held)
    case starts
    case connects
    case stopped(SimulatedService.Held)
}
