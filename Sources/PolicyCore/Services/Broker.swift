package import Model

/// What the policy knows of services: what each declared, whether it is there, and what it holds for whom.
package struct Broker: Hashable, Codable, Sendable {
    package struct Service: Hashable, Codable, Sendable {
        package internal(set) var declaration: ServiceDeclaration
        /// It is not declared any more; its place stays taken.
        package internal(set) var isDeclared = true
        package internal(set) var presence = Presence.away(until: nil)
        package internal(set) var holds: [Hold] = []
        /// Processes that have connected to it, and apps that ever did: it may speak of these alone.
        var attached: [Incarnation] = []
        package internal(set) var known: [AppIndex] = []
    }

    package enum Presence: Hashable, Codable, Sendable {
        /// Nobody answers for it. What it held counts until that moment; none: it holds nothing. Valid transitions are
        /// to: here; away for good, when the moment has come.
        case away(until: Instant?)
        /// Valid transitions are to: away.
        case here
    }

    package struct Hold: Hashable, Codable, Sendable {
        package let incarnation: Incarnation
        /// Its place among the holds that the service declared.
        package let kind: UInt8
        package internal(set) var phase: Phase

        package var assertion: AssertionID? {
            switch phase {
            case .onScreen: nil
            case .held(let id), .stopping(let id): id
            }
        }
    }

    package enum Phase: Hashable, Codable, Sendable {
        /// The app lacks the key, and uses the service on screen. Valid transitions are to: stopping.
        case onScreen
        /// It lets the app run in the background.
        case held(AssertionID)
        /// The app has left the screen without the key: it is not suspended until the service has stopped, or until the
        /// time for that is over. A service that is there again is told again.
        case stopping(AssertionID)
    }

    /// An app that is launched again when it ends.
    struct Relaunch: Hashable, Codable, Sendable {
        let app: AppIndex
        /// `nil`: it runs, or nothing launches it.
        var due: Instant?
        /// How long it was waited for last: an app that ends soon after each launch is launched ever more rarely.
        var pause = Span.zero
    }

    package internal(set) var services: [Service] = []
    /// `nil`: no app has ended. Checkpoints did not always say.
    var relaunches: [Relaunch]?

    /// For a service to be there again after its death, or the daemon's.
    static let grace = Span.seconds(10)
    /// For a service to end what it does for an app.
    static let stopLimit = Span.seconds(1)

    package func index(of name: String) -> ServiceIndex? {
        services.firstIndex { $0.declaration.name == name && $0.isDeclared }.map { ServiceIndex(UInt32($0)) }
    }

    package subscript(service: ServiceIndex) -> Service? {
        service.rawValue < services.count ? services[Int(service.rawValue)] : nil
    }

    /// When something happens by itself.
    var nextLook: Instant? {
        var next = relaunches?.lazy.compactMap(\.due).min()
        for place in services.indices {
            guard case .away(let until?) = services[place].presence else { continue }
            next = next.map { min($0, until) } ?? until
        }
        return next
    }

    func place(_ incarnation: Incarnation, _ kind: UInt8, in service: Int) -> Int? {
        services[service].holds.firstIndex { $0.incarnation == incarnation && $0.kind == kind }
    }

    /// What a file may say and no policy would.
    func isSound(apps: Int) -> Bool {
        services.count <= ServiceDeclaration.mostServices
            && services.allSatisfy { service in
                service.known.allSatisfy { $0.rawValue < apps }
                    && service.attached.allSatisfy { $0.app.rawValue < apps }
                    && service.holds.allSatisfy {
                        $0.incarnation.app.rawValue < apps && Int($0.kind) < service.declaration.holds.count
                    }
            } && relaunches?.allSatisfy { $0.app.rawValue < apps } ?? true
    }
}
