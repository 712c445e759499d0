package import Model

/// A sentence about a device that has to be true of every host, and the code that tries it.
package struct Contract: Sendable, CustomStringConvertible {
    package enum Group: String, Sendable, CaseIterable {
        case launch, callbacks, limits, freezing, ending, adoption, commands, interruptions, urls, locks, sockets,
            priority, windows, services, gpu, scenes, conditions
    }

    package let sentence: String
    /// The device that it needs.
    package let profile: DeviceProfile
    private let body: @Sendable (any ContractDevice) throws(Breach) -> Void

    init(
        _ sentence: String, on profile: DeviceProfile = .linux,
        _ body: @escaping @Sendable (any ContractDevice) throws(Breach) -> Void
    ) {
        self.sentence = sentence
        self.profile = profile
        self.body = body
    }

    /// Tries it on a device that has just booted, on which nothing is installed; throws what is not so.
    package func hold(on device: any ContractDevice) throws(Breach) { try body(device) }

    package var description: String { sentence }

    package static func all(_ group: Group) -> [Contract] {
        switch group {
        case .launch: launching
        case .callbacks: callbacks
        case .limits: limits
        case .freezing: freezing
        case .ending: ending
        case .adoption: adoption
        case .commands: commands
        case .interruptions: interruptions
        case .urls: urls
        case .locks: locks
        case .sockets: sockets
        case .priority: priority
        case .windows: windows
        case .services: services
        case .gpu: gpu
        case .scenes: scenes
        case .conditions: conditions
        }
    }

    package static let all = Group.allCases.flatMap { all($0) }
}

/// What is not as a contract says, or could not be tried.
package struct Breach: Error, Hashable, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
