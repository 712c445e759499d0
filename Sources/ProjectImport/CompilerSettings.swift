internal import Foundation

/// How a target's Swift is compiled.
package struct CompilerSettings: Sendable, Equatable {
    /// The conditions that `#if` asks about.
    package private(set) var conditions: [String] = []
    /// `SwiftLanguageMode`'s name of the language's version.
    package private(set) var mode = "v5"
    /// Features of later versions.
    package private(set) var features: [String] = []
    package private(set) var experiments: [String] = []
    /// Whether code runs on the main actor unless it says otherwise.
    package private(set) var isOnMainActor = false
    /// What is not passed on, in sentences.
    private(set) var notes: [String] = []

    init() {}

    init(_ settings: Settings) {
        for condition in settings.list("SWIFT_ACTIVE_COMPILATION_CONDITIONS") { define(condition) }
        readFlags(settings.list("OTHER_SWIFT_FLAGS"))
        readVersion(settings["SWIFT_VERSION"] ?? "")
        for (setting, names) in Self.byName where settings.isOn(setting) {
            features += names.filter { !features.contains($0) }
        }
        let actor = settings["SWIFT_DEFAULT_ACTOR_ISOLATION"] ?? ""
        isOnMainActor = isOnMainActor || actor.hasPrefix("MainActor")
        if let header = settings["SWIFT_OBJC_BRIDGING_HEADER"], !header.isEmpty {
            notes.append("the bridging header \(header) is left out: only Swift is compiled")
        }
    }

    private mutating func define(_ condition: String) {
        guard condition.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }), condition.first?.isNumber == false
        else {
            notes.append("the compilation condition \(condition) is left out: it is not a name")
            return
        }
        if !conditions.contains(condition) { conditions.append(condition) }
    }

    private mutating func readFlags(_ flags: [String]) {
        var (rest, left) = (flags[...], [String]())
        while let flag = rest.popFirst() {
            switch flag {
            case "-D": if let name = rest.popFirst() { define(name) }
            case "-enable-upcoming-feature": if let name = rest.popFirst() { features.append(name) }
            case "-enable-experimental-feature": if let name = rest.popFirst() { experiments.append(name) }
            case "-enable-bare-slash-regex": features.append("BareSlashRegexLiterals")
            case "-default-isolation": isOnMainActor = rest.popFirst() == "MainActor"
            // Frontend flags come as pairs, for one flag and for its value.
            case "-Xfrontend", "-Xcc", "-Xllvm", "-Xlinker": left.append("\(flag) \(rest.popFirst() ?? "")")
            case let flag where flag.hasPrefix("-D"): define(String(flag.dropFirst(2)))
            default: left.append(flag)
            }
        }
        if !left.isEmpty { notes.append("flags of the compiler are left out: \(left.joined(separator: " "))") }
    }

    private mutating func readVersion(_ version: String) {
        let numbers = version.split(separator: ".").map { Int($0) ?? 0 }
        switch (numbers.first ?? 5, numbers.dropFirst().first ?? 0) {
        case (6..., _): mode = "v6"
        case (5, _): mode = "v5"
        case (4, 2...): mode = "v4_2"
        case (4, _): mode = "v4"
        default: notes.append("the code is compiled as Swift 5: the compiler no longer knows Swift \(version)")
        }
    }

    /// Leaves the main actor out as the default if classes inherit from UIKit's, whose initializers belong to no actor
    /// here: the compiler refuses such classes. Swift 6 would then refuse code that relies on the default.
    mutating func check(_ sources: [URL]) -> String? {
        guard isOnMainActor else { return nil }
        let names = sources.filter { file in
            let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
            return text.contains(/\bclass\s+\w+(?:<[^>]*>)?\s*:\s*UI[A-Z]\w+/)
        }
        guard let first = names.first else { return nil }
        (isOnMainActor, mode) = (false, "v5")
        return "SWIFT_DEFAULT_ACTOR_ISOLATION is left out, and the code is compiled as Swift 5: classes of UIKit have "
            + "subclasses, such as in \(first.lastPathComponent)"
    }

    /// Adds what a library says that becomes a part of the program.
    ///
    /// - Returns: what differs, in sentences.
    mutating func merge(_ other: CompilerSettings, of library: String) -> [String] {
        var result = other.notes.map { "\(library): \($0)" }
        let more = other.conditions.filter { !conditions.contains($0) }
        if !more.isEmpty {
            conditions += more
            result.append(
                "the whole program has the compilation conditions of \(library): \(more.joined(separator: ", "))")
        }
        if other.mode != mode { result.append("\(library) is compiled as Swift \(mode.dropFirst()), as the app") }
        features += other.features.filter { !features.contains($0) }
        experiments += other.experiments.filter { !experiments.contains($0) }
        return result
    }

    private static let byName: [(String, [String])] = {
        let names = [
            "BARE_SLASH_REGEX": "BareSlashRegexLiterals", "EXISTENTIAL_ANY": "ExistentialAny",
            "MEMBER_IMPORT_VISIBILITY": "MemberImportVisibility", "CONCISE_MAGIC_FILE": "ConciseMagicFile",
            "DEPRECATE_APPLICATION_MAIN": "DeprecateApplicationMain",
            "DISABLE_OUTWARD_ACTOR_ISOLATION": "DisableOutwardActorInference",
            "FORWARD_TRAILING_CLOSURES": "ForwardTrailingClosures",
            "GLOBAL_ACTOR_ISOLATED_TYPES_USABILITY": "GlobalActorIsolatedTypesUsability",
            "GLOBAL_CONCURRENCY": "GlobalConcurrency", "IMPLICIT_OPEN_EXISTENTIALS": "ImplicitOpenExistentials",
            "IMPORT_OBJC_FORWARD_DECLS": "ImportObjcForwardDeclarations",
            "INFER_ISOLATED_CONFORMANCES": "InferIsolatedConformances",
            "INFER_SENDABLE_FROM_CAPTURES": "InferSendableFromCaptures",
            "INTERNAL_IMPORTS_BY_DEFAULT": "InternalImportsByDefault",
            "ISOLATED_DEFAULT_VALUES": "IsolatedDefaultValues",
            "NONISOLATED_NONSENDING_BY_DEFAULT": "NonisolatedNonsendingByDefault",
            "REGION_BASED_ISOLATION": "RegionBasedIsolation",
        ]
        let approachable = [
            "DisableOutwardActorInference", "GlobalActorIsolatedTypesUsability", "InferIsolatedConformances",
            "InferSendableFromCaptures", "NonisolatedNonsendingByDefault",
        ]
        return names.sorted { $0.key < $1.key }.map { ("SWIFT_UPCOMING_FEATURE_\($0.key)", [$0.value]) }
            + [("SWIFT_APPROACHABLE_CONCURRENCY", approachable)]
    }()
}
