/// What lowered code believes of where it runs.
struct Profile: Sendable {
    /// What `#available(iOS …)` asks about.
    struct Version: Comparable, Sendable, CustomStringConvertible {
        var major: Int
        var minor: Int

        init(major: Int, minor: Int = 0) {
            self.major = major
            self.minor = minor
        }

        /// Reads `18` or `18.2`; what follows a second dot makes no difference to `#available`.
        init?(_ text: some StringProtocol) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard let major = parts.first.flatMap({ Int($0) }), (1...3).contains(parts.count) else { return nil }
            guard parts.count > 1 else {
                self.init(major: major)
                return
            }
            guard let minor = Int(parts[1]) else { return nil }
            self.init(major: major, minor: minor)
        }

        var description: String { "\(major).\(minor)" }

        static func < (left: Version, right: Version) -> Bool {
            (left.major, left.minor) < (right.major, right.minor)
        }
    }

    var iOS: Version
    /// Whether `targetEnvironment(simulator)` holds.
    var isSimulator: Bool

    /// Modules whose code is in the same target: importing them makes no sense.
    var mergedModules: Set<String>

    init(iOS: Version = Version(major: 18), isSimulator: Bool = false, mergedModules: Set<String> = []) {
        self.iOS = iOS
        self.isSimulator = isSimulator
        self.mergedModules = mergedModules
    }
}
