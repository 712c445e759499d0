/// Ways to find out where the device is, and what each draws while it is used (FACTS, "Radio energy").
package enum Positioning: UInt8, Sendable, Codable, CaseIterable {
    case satellite
    /// Towers are known to the radio, which listens to them anyway.
    case cell

    package var name: String { "\(self)" }

    package var power: Power {
        switch self {
        case .satellite: .milliwatts(280)
        case .cell: .zero
        }
    }
}

extension ServiceDeclaration {
    /// It may say for whom satellites are received.
    package var mayPosition: Bool { holds.contains { $0.activity == .positioning } }
}

extension Consumer {
    /// An app for which satellites are received.
    package static func positioned(_ app: AppIndex) -> Consumer { Consumer(app: app, .positioning) }
}

extension Power {
    /// A core at work, beyond what it draws idle: of the order that was measured on phones of 2010. It is not a
    /// measurement of ours.
    package static let core = Power.milliwatts(500)
}
