/// The modules of the iOS SDK that Greenroom does not have, with the names that belong to them.
///
/// The names are patterns: `Sec*` stands for each name that begins with `Sec`, and `CX#` for `CX` before a capitalized
/// word. They need not be complete: the compiler complains about a name that is missing here.
enum AbsentModules {
    static var names: some Collection<String> { patterns.keys }

    /// The module of some that a name belongs to; `nil`: none.
    static func owner(of name: String, among modules: some Sequence<String>) -> String? {
        modules.first { patterns[$0]?.contains { $0.matches(name) } ?? false }
    }

    /// Modules whose names a file can use without importing them, since an import of another module brings them.
    static func brought(by module: String) -> [String] {
        switch module {
        case "Foundation": ["Security"]
        case "UIKit", "SwiftUI": ["Security", "CoreImage", "CoreText", "CoreVideo", "ImageIO"]
        case "AVFoundation", "AVKit": ["Security", "AudioToolbox", "CoreImage", "CoreVideo", "MediaToolbox"]
        case "AVFAudio": ["AudioToolbox"]
        case "CoreMedia": ["CoreVideo"]
        default: []
        }
    }

    private struct Pattern {
        private enum Rest {
            case none, any, capitalizedWord
        }

        private var prefix: Substring
        private var rest: Rest

        init(_ text: Substring) {
            switch text.last {
            case "*": (prefix, rest) = (text.dropLast(), .any)
            case "#": (prefix, rest) = (text.dropLast(), .capitalizedWord)
            default: (prefix, rest) = (text, .none)
            }
        }

        func matches(_ name: String) -> Bool {
            guard name.hasPrefix(prefix) else { return false }
            let end = name.dropFirst(prefix.count)
            switch rest {
            case .none: return end.isEmpty
            case .any: return true
            case .capitalizedWord:
                guard let first = end.first, let second = end.dropFirst().first else { return false }
                return first.isUppercase && second.isLowercase
            }
        }
    }

    private static let patterns: [String: [Pattern]] = {
        var result: [String: [Pattern]] = [:]
        for line in table.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard let module = words.first else { continue }
            result[String(module), default: []] += words.dropFirst().map(Pattern.init)
        }
        return result
    }()
}
