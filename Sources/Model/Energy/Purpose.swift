/// What an app does with energy, as far as the account tells apart (E1).
package enum Purpose: UInt8, Sendable, Codable, CaseIterable {
    /// What it does by itself, seen or unseen.
    case use
    case transfer, streaming, browsing, keepAlive, push, fetch, location

    /// What a provider sends, and the user is told of.
    package static let notification = Purpose.push

    /// What satellites are received for.
    package static let positioning = Purpose.location

    package var name: String { "\(self)" }

    /// What a service may say that an app, or the service itself, moves. The policy finds out the others.
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
