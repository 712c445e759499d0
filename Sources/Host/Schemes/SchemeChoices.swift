/// Which of the apps that claim a scheme opens its URLs.
///
/// The schemes of the web and of mail belong to nobody until the user has chosen: no app can take them silently. Any
/// other scheme has the app that was installed last, unless the user chose another. The Core is told of each app the
/// schemes that it has.
package struct SchemeChoices: Sendable {
    /// What many apps claim, and the user has to choose for.
    package static let shared: Set<String> = ["http", "https", "mailto"]

    private var chosen: [String: String]
    /// The schemes of each app, in small letters.
    private var claims: [String: [String]] = [:]

    /// - Parameter chosen: the app of each scheme.
    package init(chosen: [String: String] = [:]) { self.chosen = chosen }

    package mutating func learn(_ app: String, claims schemes: [String]) {
        claims[app] = schemes.isEmpty ? nil : schemes.map { $0.lowercased() }
    }

    package mutating func forget(_ app: String) { claims[app] = nil }

    package mutating func choose(_ app: String?, for scheme: String) { chosen[scheme] = app }

    package func schemes(claimedBy app: String) -> [String] { claims[app] ?? [] }

    /// In the order of their names.
    package func claimants(of scheme: String) -> [String] {
        claims.filter { $0.value.contains(scheme) }.keys.sorted()
    }

    /// The one that the user chose, if it still claims the scheme.
    package func choice(for scheme: String) -> String? {
        chosen[scheme].flatMap { claims[$0]?.contains(scheme) == true ? $0 : nil }
    }

    /// All that are claimed, or were chosen for.
    package var schemes: [String] { Set(claims.values.joined()).union(chosen.keys).sorted() }

    /// Those that an app has.
    package func schemes(of app: String) -> [String] {
        (claims[app] ?? []).filter { scheme in
            if let choice = choice(for: scheme) { return choice == app }
            return !Self.shared.contains(scheme)
        }
    }
}
