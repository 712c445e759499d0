/// The purposes for which apps spend energy, as the account lists them (E1).
package enum Purpose: UInt8, Sendable, Codable, CaseIterable {
    /// The app's own work, on the screen or not.
    case use
    case transfer, streaming, browsing, keepAlive, push, fetch, location

    /// Notifications that a provider sends.
    package static let notification = Purpose.push

    /// The purpose of receiving satellites.
    package static let positioning = Purpose.location

    package var name: String { "\(self)" }

    /// The purposes that a service may state for traffic. The policy determines the others itself.
    package static let ofServices: [Purpose] = [.transfer, .streaming, .push, .location, .keepAlive]

    package var phrase: String {
        switch self {
        case .use: "its own use"
        case .transfer: "transfers"
        case .streaming: "streaming"
        case .browsing: "browsing"
        case .keepAlive: "keep-alives"
        case .push: "push"
        case .fetch: "background fetch"
        case .location: "location"
        }
    }
}
