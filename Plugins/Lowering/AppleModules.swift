/// What becomes of a module that iOS code imports.
enum AppleModule: Equatable {
    /// It is there under its own name.
    case same
    /// It is there under a name that other packages do not take for Apple's: they ask with `canImport`.
    case renamed(String)
    /// What it has is in a module that is imported anyway.
    case implied
    /// It is not there, for a reason.
    case absent(String)

    static func named(_ name: String) -> AppleModule? { table[name] }

    private static let table: [String: AppleModule] = {
        var table: [String: AppleModule] = [
            "Combine": .renamed("GreenroomCombine"),
            "Network": .renamed("GreenroomNetwork"),
            "OSLog": .renamed("GreenroomOS"),
            "os": .renamed("GreenroomOS"),
            "SwiftUI": .renamed("GreenroomSwiftUI"),
            "SystemConfiguration": .renamed("GreenroomSystemConfiguration"),
            // For what they bring with them.
            "AVKit": .renamed("AVFoundation"),
            "MapKit": .renamed("CoreLocation"),
            "CryptoKit": .renamed("Crypto"),
            "CommonCrypto": .absent("use CryptoKit: swift-crypto has its API on Linux"),
            "CoreData": .absent("move the code that needs it to files of its own, or keep data with GRDB or in files"),
            "SwiftData": .absent("move the code that needs it to files of its own, or keep data with GRDB or in files"),
            "WidgetKit": .absent(
                "there are no widgets; put what needs them between #if canImport(WidgetKit) and #endif"),
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
        let reason = "put what needs it between #if canImport(…) and #endif, or leave the file out"
        for name in [
            "ARKit", "Accelerate", "AdSupport", "AppIntents", "AppTrackingTransparency",
            "AuthenticationServices", "CFNetwork", "CloudKit", "Contacts", "ContactsUI", "CoreBluetooth", "CoreImage",
            "CoreMotion", "CoreServices", "CoreSpotlight", "CoreTelephony", "CoreText", "CoreVideo", "EventKit",
            "GameKit", "HealthKit", "HomeKit", "ImageIO", "Intents", "LocalAuthentication", "MessageUI",
            "Metal", "MetricKit", "MultipeerConnectivity", "NetworkExtension", "PDFKit", "Photos", "PhotosUI",
            "QuickLook", "SafariServices", "SceneKit", "Security", "Social", "Speech", "SpriteKit", "StoreKit",
            "UniformTypeIdentifiers", "Vision", "WatchConnectivity", "WebKit", "CallKit", "PushKit",
        ] where table[name] == nil {
            table[name] = .absent(reason)
        }
        // What `canImport` is asked for on other systems.
        for name in [
            "AppKit", "Cocoa", "WatchKit", "TVUIKit", "FoundationNetworking", "FoundationXML", "Glibc", "Musl",
        ] {
            table[name] = .absent("it is not on iOS")
        }
        return table
    }()

    /// Whether code that asks `canImport` is told yes; `nil` where the compiler knows.
    var isImportable: Bool? {
        switch self {
        case .same: nil
        case .renamed: true
        case .implied: nil
        case .absent: false
        }
    }
}
