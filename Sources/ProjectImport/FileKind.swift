internal import Foundation

/// The kinds of files, and what a package can do with them.
enum FileKind: Equatable {
    case swift
    /// Copied into the bundle as it is.
    case resource
    /// Left out, for a reason.
    case other(String)

    /// - Parameter type: the type that the project gives the file itself, such as `sourcecode.swift`.
    init(_ file: URL, type: String? = nil) {
        if let type, let kind = Self.ofTypes.first(where: { type.hasPrefix($0.key) })?.value {
            self = kind
            return
        }
        let suffix = file.pathExtension.lowercased()
        if suffix == "swift" {
            self = type?.hasPrefix("text") == true ? .resource : .swift
        } else if let reason = Self.reasons[suffix] {
            self = .other(reason)
        } else {
            self = .resource
        }
    }

    private static let ofTypes: [String: FileKind] = [
        "sourcecode.swift": .swift, "sourcecode.c.objc": .other(onlySwift), "sourcecode.cpp.objcpp": .other(onlySwift),
        "sourcecode.c.c": .other(c), "sourcecode.cpp.cpp": .other(c),
    ]

    /// Folders that are one file to Xcode.
    static func isBundle(_ folder: URL) -> Bool {
        bundles.contains(folder.pathExtension.lowercased())
    }

    private static let bundles: Set = [
        "xcassets", "xcdatamodeld", "xcdatamodel", "xcmappingmodel", "bundle", "framework", "xcframework", "scnassets",
        "docc", "icon", "mlpackage", "playground", "app", "appex", "rtfd", "atlas", "spriteatlas", "xcplayground",
        "arresourcegroup", "rcproject", "xcodeproj", "xcworkspace", "intentsupport", "imageset", "appiconset",
    ]

    private static let onlySwift = "Objective-C: only Swift is compiled"
    private static let c = "C or C++: put it into a target of its own"
    private static let header = "a header: only Swift is compiled"
    private static let screen = "a storyboard or nib file: nothing draws views, so make windows and controllers in code"
    private static let images = "an asset catalog: export the images that the code names as files"
    private static let model = "a model of Core Data, which does not exist on Linux"
    private static let apple = "built for Apple's systems"
    private static let shader = "a shader: nothing draws with Metal"
    private static let learning = "a model of Core ML, which does not exist on Linux"
    private static let scene = "a scene: nothing draws it"

    /// By their extensions: those that a package does not have.
    private static let reasons: [String: String] = [
        "m": onlySwift, "mm": onlySwift, "h": header, "hh": header, "hpp": header, "pch": header, "modulemap": header,
        "c": c, "cc": c, "cpp": c, "cxx": c, "s": "assembly: put it into a target of its own",
        "storyboard": screen, "xib": screen, "nib": screen, "storyboardc": screen,
        "xcassets": images, "icon": "an icon of Icon Composer: nothing draws it", "atlas": images,
        "spriteatlas": images,
        "imageset": images, "appiconset": images,
        "xcdatamodeld": model, "xcdatamodel": model, "xcmappingmodel": model,
        "metal": shader, "ci": shader, "air": shader,
        "intentdefinition": "definitions of intents: nothing uses them",
        "mlmodel": learning, "mlpackage": learning,
        "scnassets": scene, "sks": scene, "rcproject": scene, "reality": scene, "arresourcegroup": scene,
        "a": apple, "framework": apple, "xcframework": apple, "dylib": apple, "tbd": apple, "app": apple,
        "appex": apple, "o": apple,
        "xcconfig": "settings that no app's configuration reads",
        "entitlements": "entitlements: an Info.plist says what an app may do here",
        "docc": "documentation", "playground": "a playground", "xctestplan": "a plan of tests",
        "xcodeproj": "a project of its own: import it by itself", "xcworkspace": "a workspace of Xcode",
        "y": "Xcode makes C of it: put that into a target of its own",
        "l": "Xcode makes C of it: put that into a target of its own",
        "iconset": images, "applescript": "only macOS runs AppleScript", "d": "only Apple's systems have DTrace",
        "gyb": "a template: only its result is compiled",
    ]

    /// The reason for which a file without a target has none, as far as its name or its folder shows it.
    static func reason(ofUnused path: String) -> String {
        let names = path.split(separator: "/").map(String.init)
        let file = names.last ?? path
        for (folder, reason) in unusedFolders where names.dropLast().contains(folder) { return reason }
        if names.contains(where: { $0.hasPrefix(".") }) { return "a hidden file, as tools have them" }
        if names.contains(where: { $0.hasSuffix(".xcworkspace") }) {
            return "a workspace: only the project is imported"
        }
        if file == "Package.swift" || file == "Package.resolved" { return "it belongs to a Swift package" }
        return unused
    }

    static let unused = "no target of the project has it"

    private static let unusedFolders = [
        ("Pods", "CocoaPods fetched it: add the library to Package.swift, if it builds on Linux"),
        ("Carthage", "Carthage fetched it: add the library to Package.swift, if it builds on Linux"),
        ("node_modules", "npm fetched it: no target of the project has it"),
        ("build", "a build made it: no target of the project has it"),
    ]
}
