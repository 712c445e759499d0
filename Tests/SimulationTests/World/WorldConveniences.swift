import Model
import PolicyCore
import Simulation

extension World {
    /// A world in which nothing but the radios draws anything, and the network is what the test says.
    static func radioOnly(_ model: RadioModel, _ reachability: Reachability = .cellular) -> World {
        var setup = WorldSetup()
        setup.cellular = model
        setup.cellularLink = model == .lte ? .lte : .threeG
        setup.reachability = reachability
        setup.powers.idle = .zero
        setup.powers.core = .zero
        setup.powers.screen = .zero
        setup.powers.satellite = .zero
        setup.towers = .list([])
        return World(setup)
    }

    mutating func advance(by span: Span) { advance(to: now + span) }

    /// Lets everything that goes on by itself come to an end, and returns when that was.
    @discardableResult
    mutating func settleDown() -> Instant {
        while let next = nextChange { advance(to: next) }
        return now
    }
}

extension Instant {
    static func after(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }
}

extension AppIndex {
    static let a = AppIndex(0)
    static let b = AppIndex(1)
    static let c = AppIndex(2)
}

extension Energy {
    static func millijoules(_ value: Int64) -> Energy { Energy(picojoules: value * 1_000_000_000) }
    static func microjoules(_ value: Int64) -> Energy { Energy(picojoules: value * 1_000_000) }
}
