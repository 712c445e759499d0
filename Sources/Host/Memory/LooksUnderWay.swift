package import Model

/// Which apps are being looked at. A look takes a while, and what it finds may be older than the reason for the next
/// one: who is to be looked at meanwhile is looked at again afterwards.
package struct LooksUnderWay: Hashable, Sendable {
    /// Whether somebody asked for another look since the one under way began.
    private var isStale: [AppIndex: Bool] = [:]

    package init() {}

    package func contains(_ app: AppIndex) -> Bool { isStale[app] != nil }

    /// Whether a look is to begin now; otherwise one is under way, and another follows it.
    package mutating func begin(_ app: AppIndex) -> Bool {
        let isFirst = isStale[app] == nil
        isStale[app] = !isFirst
        return isFirst
    }

    /// Whether the app is to be looked at again.
    package mutating func end(_ app: AppIndex) -> Bool { isStale.removeValue(forKey: app) ?? false }
}
