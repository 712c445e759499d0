/// What lowered code believes of where it runs.
package struct Profile: Sendable {
    /// What `#available(iOS …)` asks about.
    package struct Version: Comparable, Sendable, CustomStringConvertible {
        package var major: Int
        package var minor: Int

        package init(major: Int, minor: Int = 0) {
            self.major = major
            self.minor = minor
        }

        /// Reads `18` or `18.2`; what follows a second dot makes no difference to `#available`.
        package init?(_ text: some StringProtocol) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard let major = parts.first.flatMap({ Int($0) }), (1...3).contains(parts.count) else { return nil }
            guard parts.count > 1 else {
                self.init(major: major)
                return
            }
            guard let minor = Int(parts[1]) else { return nil }
            self.init(major: major, minor: minor)
        }

        package var description: String { "\(major).\(minor)" }

        package static func < (left: Version, right: Version) -> Bool {
            (left.major, left.minor) < (right.major, right.minor)
        }
    }

    package var iOS: Version
    /// Whether `targetEnvironment(simulator)` holds.
    package var isSimulator: Bool

    /// Modules whose code is in the same target: importing them makes no sense.
    package var mergedModules: Set<String>

    package init(iOS: Version = Version(major: 18), isSimulator: Bool = false, mergedModules: Set<String> = []) {
        self.iOS = iOS
        self.isSimulator = isSimulator
        self.mergedModules = mergedModules
    }
}
