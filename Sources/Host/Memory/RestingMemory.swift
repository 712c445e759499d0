package import Model

/// What apps have that stand still: it does not change, so its sum is kept instead of being made again and again.
package struct RestingMemory: Sendable {
    /// Of all together.
    package private(set) var bytes: Int64 = 0
    private var parts: [AppIndex: Int64] = [:]

    package init() {}

    package func contains(_ app: AppIndex) -> Bool { parts[app] != nil }

    package mutating func set(_ app: AppIndex, _ bytes: Int64) {
        self.bytes += bytes - (parts.updateValue(bytes, forKey: app) ?? 0)
    }

    package mutating func remove(_ app: AppIndex) {
        if let bytes = parts.removeValue(forKey: app) { self.bytes -= bytes }
    }
}
