internal import Simulation

/// Writes a story as a test.
@MainActor
struct StorySource {
    let name: String
    private let profile: String
    private let installation: String

    init(_ device: TestDevice) {
        name = device.codeScript?.name ?? "the app"
        let constant = Self.profiles.first { $0.0 == device.profile }?.1
        profile = constant ?? "init(named: \("\(device.profile)".debugDescription))"
        installation = device.codeSource
    }

    private static let profiles: [(TestDevice.Profile, String)] = [
        (.linux, "linux"), (.iOS7, "iOS7"), (.iPadAir2, "iPadAir2"), (.iPhone4, "iPhone4"), (.iPhone3GS, "iPhone3GS"),
        (.iPhoneOS3, "iPhoneOS3"),
    ]

    func finding(_ story: Explorer.Story, seed: UInt64) -> TestDevice.Finding {
        let steps = story.steps.map { step, isRefused in
            isRefused
                ? step.source.replacing("try await", with: "try? await", maxReplacements: 1) + "  // refused"
                : step.source
        }
        var lines = [
            "@Test(\(Self.title(story.failure.reason).debugDescription))",
            "func found() async throws {",
            "    // Found by explore(seed: \(seed)).",
            "    let device = try TestDevice(.\(profile), seed: \(story.seed), virtualizesTime: true)",
            "    let app = \(installation)",
        ]
        lines += steps.map { "    \($0)" }
        switch story.failure.problem {
        case .crash where story.failure.expectation == nil: lines.append("    // Here it crashes.")
        case .hang: lines.append("    // Here it hangs.")
        default: lines.append("    " + (story.failure.expectation ?? "#expect(app.reports.isEmpty)"))
        }
        lines.append("}")
        return TestDevice.Finding(
            problem: story.failure.problem, reason: story.failure.reason, steps: steps,
            test: lines.joined(separator: "\n"))
    }

    private static func title(_ reason: String) -> String {
        let line = reason.split(separator: "\n").first.map(String.init) ?? reason
        return line.count > 80 ? line.prefix(79) + "…" : line
    }

    /// The call of `install`, as far as it can be written down.
    static func installation(
        _ delegate: Any.Type, identifier: String, name: String?, lists: [(label: String, values: [String])],
        isMore: Bool
    ) -> String {
        var arguments = ["\(delegate).self", "identifier: \(identifier.debugDescription)"]
        if let name { arguments.append("name: \(name.debugDescription)") }
        for (label, values) in lists where !values.isEmpty { arguments.append("\(label): \(values)") }
        var call = "try device.install(\(arguments.joined(separator: ", ")))"
        if call.utf8.count > 90 { call = "try device.install(\n        \(arguments.joined(separator: ",\n        ")))" }
        return isMore ? call + "  // with its other arguments" : call
    }
}
