/// What lowered code believes of where it runs.
struct Profile: Sendable {
    /// What `#available(iOS …)` asks about.
    struct Version: Comparable, Sendable, CustomStringConvertible {
        var major: Int
        var minor: Int
        var patch: Int

        init(major: Int, minor: Int = 0, patch: Int = 0) {
            self.major = major
            self.minor = minor
            self.patch = patch
        }

        /// Reads `18`, `18.2` or `18.2.1`.
        init?(_ text: some StringProtocol) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            let numbers = parts.compactMap { Int($0) }
            guard numbers.count == parts.count, (1...3).contains(numbers.count) else { return nil }
            self.init(
                major: numbers[0], minor: numbers.count > 1 ? numbers[1] : 0, patch: numbers.count > 2 ? numbers[2] : 0)
        }

        var description: String { patch == 0 ? "\(major).\(minor)" : "\(major).\(minor).\(patch)" }

        static func < (left: Version, right: Version) -> Bool {
            (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
        }
    }

    var iOS: Version
    /// Whether `targetEnvironment(simulator)` holds.
    var isSimulator: Bool

    /// Modules whose code is in the same target: importing them makes no sense.
    var mergedModules: Set<String>

    /// Modules that the target depends on, directly or not; `nil` if they are not known.
    var modules: Set<String>?

    init(
        iOS: Version = Version(major: 18), isSimulator: Bool = false, mergedModules: Set<String> = [],
        modules: Set<String>? = nil
    ) {
        self.iOS = iOS
        self.isSimulator = isSimulator
        self.mergedModules = mergedModules
        self.modules = modules
    }

    /// The result of importing a module; `nil`: the compiler knows it, or it does not exist anywhere.
    func module(_ name: String) -> AppleModule? { AppleModule.named(name, among: modules) }
}
