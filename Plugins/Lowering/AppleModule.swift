/// The result of importing a module of Apple's.
enum AppleModule: Equatable {
    /// The module exists under its own name.
    case same
    /// The module exists under a name that other packages do not take for Apple's: they ask with `canImport`.
    case renamed(String)
    /// Part of the module exists in another one. The rest does not exist.
    case partial(String)
    /// UIKit exports the part of the module that exists, and every lowered file imports UIKit.
    case implied
    /// The module does not exist, with advice.
    case absent(String)
    /// The module is not part of iOS.
    case foreign

    /// - Parameter modules: the modules that the target depends on; `nil` if they are not known.
    static func named(_ name: String, among modules: Set<String>?) -> AppleModule? {
        guard let module = table[name] else { return nil }
        guard let modules else { return module }
        // The package has a module of this name itself.
        if modules.contains(name), module != .same { return nil }
        if case .renamed(let ours) = module, let package = fromOtherPackages[ours], !modules.contains(ours) {
            return .absent("add \(ours) of \(package) to the target's dependencies")
        }
        return module
    }

    /// Modules that a target can import only if it depends on the product of the same name.
    static let products: Set = [
        "AVFAudio", "AVFoundation", "BackgroundTasks", "CoreLocation", "CoreMedia", "GreenroomCombine",
        "GreenroomNetwork", "GreenroomOS", "GreenroomSwiftUI", "GreenroomSystemConfiguration", "MediaPlayer", "UIKit",
        "UIKitNetworking", "UserNotifications",
    ]

    /// Modules with Apple's API, and the packages that a target can get them from.
    private static let fromOtherPackages = ["Crypto": "swift-crypto", "SystemPackage": "swift-system"]

    private static let table: [String: AppleModule] = {
        var table: [String: AppleModule] = [
            "Combine": .renamed("GreenroomCombine"),
            "Network": .renamed("GreenroomNetwork"),
            "OSLog": .renamed("GreenroomOS"),
            "os": .renamed("GreenroomOS"),
            "SQLite3": .renamed("GreenroomSQLite3"),
            "SwiftUI": .renamed("GreenroomSwiftUI"),
            "SystemConfiguration": .renamed("GreenroomSystemConfiguration"),
            "zlib": .renamed("GreenroomZlib"),
            "CryptoKit": .renamed("Crypto"),
            "System": .renamed("SystemPackage"),
            // Files use them for Foundation's and Core Location's names as well.
            "AVKit": .partial("AVFoundation"),
            "MapKit": .partial("CoreLocation"),
        ]
        for name in [
            "AVFAudio", "AVFoundation", "BackgroundTasks", "CoreLocation", "CoreMedia", "Dispatch", "Foundation",
            "MediaPlayer", "Swift", "UIKit", "UserNotifications", "XCTest", "Testing",
        ] {
            table[name] = .same
        }
        for name in [
            "CoreFoundation", "CoreGraphics", "Darwin", "MachO", "MobileCoreServices", "ObjectiveC", "QuartzCore",
            "UIKitCore",
        ] {
            table[name] = .implied
        }
        for name in AbsentModules.names where table[name] == nil { table[name] = .absent(advice(name)) }
        for name in [
            "AppKit", "ApplicationServices", "AudioVideoBridging", "Carbon", "Cocoa", "CoreWLAN", "ExecutionPolicy",
            "FSKit", "FinderSync", "Hypervisor", "IOBluetooth", "IOBluetoothUI", "ImageKit", "MailKit", "MediaLibrary",
            "OpenGL", "Quartz", "QuickLookUI", "ScreenSaver", "ScriptingBridge", "SecurityInterface",
            "ServiceManagement", "TVMLKit", "TVServices", "TVUIKit", "Virtualization", "WatchKit", "iTunesLibrary",
            "Android", "Bionic", "CRT", "FoundationEssentials", "FoundationInternationalization",
            "FoundationNetworking", "FoundationXML", "Glibc", "Musl", "WASILibc", "WinSDK", "ucrt",
        ] {
            table[name] = .foreign
        }
        return table
    }()

    private static func advice(_ name: String) -> String {
        switch name {
        case "AudioToolbox": "play sounds with AVAudioPlayer, or \(exclusion(name))"
        case "CommonCrypto": "use CryptoKit: swift-crypto has its API on Linux"
        case "CoreData", "SwiftData":
            "move the code that needs it to separate files, or store data with GRDB or in files"
        case "CoreTelephony": "use NWPathMonitor to tell cellular from Wi-Fi, or \(exclusion(name))"
        default: exclusion(name)
        }
    }

    static func exclusion(_ name: String) -> String {
        "put the code that needs it between #if canImport(\(name)) and #endif, or exclude the file"
    }

    /// The answer to `canImport`; `nil` if the compiler knows.
    var isImportable: Bool? {
        switch self {
        case .same: nil
        case .renamed, .implied: true
        case .partial, .absent, .foreign: false
        }
    }
}
