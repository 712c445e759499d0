// swift-tools-version: 6.2
import PackageDescription

// Every target is built with these settings; see the loop at the foot.
let settings: [SwiftSetting] = [
    // Existentials cost; `any` makes that visible.
    .enableUpcomingFeature("ExistentialAny"),
    // What a file imports stays its own business unless it says `public import`.
    .enableUpcomingFeature("InternalImportsByDefault"),
    // A member is usable only where its module is imported: TidyTests can trust import lines.
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    // Async functions run where their caller runs unless they say otherwise.
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    // Every use of a pointer is marked `unsafe`.
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

let collections = "swift-collections"
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let system: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")
let yams: Target.Dependency = .product(name: "Yams", package: "Yams")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let real: Target.Dependency = .product(name: "RealModule", package: "swift-numerics")

let package = Package(
    name: "greenroom",
    products: [
        .library(name: "UIKit", targets: ["UIKit", "_Testing_UIKit"]),
        .library(name: "AVFAudio", targets: ["AVFAudio"]),
        .library(name: "AVFoundation", targets: ["AVFoundation"]),
        .library(name: "MediaPlayer", targets: ["MediaPlayer"]),
        .library(name: "CoreMedia", targets: ["CoreMedia"]),
        .library(name: "CoreLocation", targets: ["CoreLocation"]),
        .library(name: "UIKitNetworking", targets: ["UIKitNetworking"]),
        .library(name: "BackgroundTasks", targets: ["BackgroundTasks"]),
        .library(name: "UserNotifications", targets: ["UserNotifications"]),
        .library(name: "GreenroomTesting", targets: ["GreenroomTesting"]),
        .library(name: "BackgroundTransfer", targets: ["BackgroundTransfer"]),
        .library(name: "IOSFoundation", targets: ["IOSFoundation"]),
        .library(name: "GreenroomCombine", targets: ["GreenroomCombine"]),
        .library(name: "GreenroomNetwork", targets: ["GreenroomNetwork"]),
        .library(name: "GreenroomSwiftUI", targets: ["GreenroomSwiftUI"]),
        .library(name: "GreenroomSystemConfiguration", targets: ["GreenroomSystemConfiguration"]),
        .library(name: "GreenroomOS", targets: ["GreenroomOS"]),
        .plugin(name: "IOSSources", targets: ["IOSSources"]),
        .executable(name: "greenroom", targets: ["greenroom"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/apple/swift-numerics", from: "1.1.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    ],
    targets: [
        // Pure: no I/O, no clock, no randomness, no threads, no Foundation.
        .target(name: "Model"),
        .target(
            name: "PolicyCore",
            dependencies: ["Model", .product(name: "HeapModule", package: collections)]),
        .target(name: "Wire"),
        .target(name: "Timeline", dependencies: ["Wire", "Model"]),

        // What apps may say and hear, read and written once for the daemon and for tests of apps.
        .target(name: "AppProtocol", dependencies: ["PolicyCore", "Model", "Wire"]),

        // The kernel, typed.
        .target(name: "CLinux"),
        .target(name: "LinuxSystem", dependencies: ["CLinux", system]),

        // A message bus, typed. libsystemd is its client's library; systemd need not run.
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .target(name: "DBus", dependencies: ["CSystemd", "LinuxSystem", system]),
        // Buses of a test's own, for the tests of everything that speaks on one.
        .target(name: "TestBus", dependencies: ["DBus", "LinuxSystem"], path: "Tests/TestBus"),

        // HTTP, and what is encrypted: Debian keeps both patched.
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .target(name: "Curl", dependencies: ["CCurl", "COpenSSL", "LinuxSystem"]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .target(name: "OpenSSL", dependencies: ["COpenSSL"]),

        // How long tests wait.
        .target(name: "TestPace", dependencies: ["LinuxSystem"], path: "Tests/TestPace"),

        // Replaces malloc by one that counts: the kill path has to show that it allocates nothing.
        .target(name: "CAllocations"),

        // Reads what the daemon recorded, and replays it.
        .target(name: "Recording", dependencies: ["PolicyCore", "Model"]),

        // What acts.
        .target(name: "Keeper", dependencies: ["LinuxSystem", system]),
        .target(name: "Bundles", dependencies: ["Model"]),
        .target(name: "Storage", dependencies: ["Model", grdb]),
        .target(
            name: "Host",
            dependencies: [
                "AppProtocol", "PolicyCore", "LinuxSystem", "Wire", "Storage", "Bundles", "Keeper", "Model",
                "CAllocations", "Timeline", system,
            ]),

        // What programs of services have in common.
        .target(name: "ServiceCore", dependencies: ["Model"]),
        .target(name: "ServiceWire", dependencies: ["ServiceCore", "Wire", "Model"]),
        .target(name: "ServiceSimulation", dependencies: ["ServiceCore", "Simulation", "Model"]),
        .target(name: "ServiceKit", dependencies: ["ServiceCore", "ServiceWire", "LinuxSystem", "Wire", "Model"]),

        // Transfers that outlive the apps: a service, and what it is for apps.
        .target(
            name: "TransferCore",
            dependencies: [
                "Model", .product(name: "HeapModule", package: collections),
                .product(name: "DequeModule", package: collections),
            ], path: "Sources/Services/Transfers/Core"),
        .target(name: "TransferWire", dependencies: ["Wire"], path: "Sources/Services/Transfers/Wire"),
        .target(
            name: "TransferService",
            dependencies: [
                "TransferCore", "TransferWire", "ServiceKit", "Curl", "OpenSSL", "LinuxSystem", "Wire", "Model", grdb,
                system,
            ], path: "Sources/Services/Transfers/Service"),
        .target(
            name: "TransferSimulation", dependencies: ["TransferCore", "Simulation", "Model"],
            path: "Sources/Services/Transfers/Simulation"),
        .target(name: "CBackgroundTransfer", path: "Sources/Services/Transfers/CFramework"),
        .target(
            name: "BackgroundTransfer",
            dependencies: ["CBackgroundTransfer", "AppRuntime", "LinuxSystem", "TransferWire", "Wire"],
            path: "Sources/Services/Transfers/Framework"),

        // Notifications at a set time and by push.
        .target(
            name: "NotificationsWire", dependencies: ["Wire"], path: "Sources/Services/Notifications/Wire"),
        // Notifications and push: a service, too.
        .target(
            name: "NotificationsCore",
            dependencies: ["PushPayload", "Model", .product(name: "HeapModule", package: collections)],
            path: "Sources/Services/Notifications/Core"),
        // The Core's words and those of the wire.
        .target(
            name: "NotificationsTranslation",
            dependencies: ["NotificationsCore", "NotificationsWire", "PushLink", "Wire", "Model"],
            path: "Sources/Services/Notifications/Translation"),
        // Reads a provider's payload for the gateway, the device and the tool.
        .target(name: "PushPayload", dependencies: ["Wire"], path: "Sources/Services/Notifications/Payload"),
        // What a device's push agent and a gateway say to each other.
        .target(name: "PushLink", dependencies: ["Wire", "Model"], path: "Sources/Services/Notifications/Link"),
        .target(
            name: "PushCore", dependencies: ["PushLink", "PushPayload", "Wire", "Model"],
            path: "Sources/Services/Notifications/GatewayCore"),
        .target(
            name: "NotificationsSimulation",
            dependencies: [
                "NotificationsCore", "NotificationsTranslation", "NotificationsWire", "PushCore", "PushLink",
                "Simulation", "Wire", "Model",
            ], path: "Sources/Services/Notifications/Simulation"),
        .target(
            name: "NotificationsService",
            dependencies: [
                "NotificationsCore", "NotificationsTranslation", "NotificationsWire", "PushLink", "PushPayload", "DBus",
                "ServiceKit", "LinuxSystem", "Wire", "Model", "OpenSSL", grdb, system,
            ], path: "Sources/Services/Notifications/Service"),
        .target(
            name: "UserNotifications", dependencies: ["AppRuntime", "NotificationsWire", "Wire"],
            path: "Sources/Services/Notifications/Framework"),

        // Location: a service, too.
        .target(name: "LocationModel", dependencies: [real], path: "Sources/Services/Location/Model"),
        .target(
            name: "LocationWire", dependencies: ["LocationModel", "Wire"], path: "Sources/Services/Location/Wire"),
        .target(
            name: "LocationCore", dependencies: ["LocationModel", "ServiceCore", "Model", real],
            path: "Sources/Services/Location/Core"),
        .target(
            name: "LocationTranslation",
            dependencies: [
                "LocationCore", "LocationWire", "LocationModel", "ServiceCore", "ServiceWire", "Wire", "Model",
            ],
            path: "Sources/Services/Location/Translation"),
        .target(
            name: "LocationSources", dependencies: ["LocationModel", "DBus", "Wire", "LinuxSystem", system],
            path: "Sources/Services/Location/Sources"),
        .target(
            name: "LocationService",
            dependencies: [
                "LocationTranslation", "LocationSources", "LocationCore", "LocationWire", "LocationModel",
                "ServiceCore",
                "ServiceKit", "DBus", "LinuxSystem", "Wire", "Model",
            ], path: "Sources/Services/Location/Service"),
        .target(
            name: "LocationClient", dependencies: ["AppRuntime", "LocationWire", "LocationModel", "Wire"],
            path: "Sources/Services/Location/Client"),
        .target(
            name: "CoreLocation",
            dependencies: [
                "LocationClient", "LocationWire", "LocationModel", "NotificationsWire", "UserNotifications", "Wire",
            ],
            path: "Sources/Services/Location/Framework/CoreLocation"),
        .target(
            name: "LocationSimulation",
            dependencies: [
                "LocationTranslation", "LocationCore", "LocationWire", "LocationModel", "ServiceCore",
                "ServiceSimulation",
                "ServiceWire", "Simulation", "Wire", "Model",
            ], path: "Sources/Services/Location/Simulation"),

        // Audio: a service, too. What both ends of its wire and its Core call things.
        .target(name: "AudioModel", path: "Sources/Services/Audio/Model"),
        .target(name: "AudioWire", dependencies: ["AudioModel", "Wire"], path: "Sources/Services/Audio/Wire"),
        // What plays and records for an app, and a device of virtual time.
        .target(name: "AudioDevices", path: "Sources/Services/Audio/Devices"),
        .target(
            name: "AudioCore", dependencies: ["AudioModel", "ServiceCore", "Model"], path: "Sources/Services/Audio/Core"
        ),
        .target(
            name: "AudioTranslation",
            dependencies: ["AudioCore", "AudioWire", "AudioModel", "ServiceCore", "ServiceWire", "Wire", "Model"],
            path: "Sources/Services/Audio/Translation"),
        .target(
            name: "AudioSimulation",
            dependencies: [
                "AudioTranslation", "AudioCore", "AudioWire", "AudioModel", "ServiceCore", "ServiceSimulation",
                "Simulation", "Wire", "Model",
            ], path: "Sources/Services/Audio/Simulation"),
        // The sound server, typed.
        .systemLibrary(
            name: "CPipeWireLibrary", pkgConfig: "libpipewire-0.3", providers: [.apt(["libpipewire-0.3-dev"])]),
        .target(name: "CPipeWire", dependencies: ["CPipeWireLibrary"]),
        .target(name: "PipeWire", dependencies: ["CPipeWire", "LinuxSystem", system]),
        .target(
            name: "AudioControls", dependencies: ["AudioModel", "DBus", "LinuxSystem"],
            path: "Sources/Services/Audio/Controls"),
        .target(
            name: "AudioService",
            dependencies: [
                "AudioTranslation", "AudioControls", "AudioCore", "AudioWire", "AudioModel", "PipeWire", "ServiceCore",
                "ServiceKit", "ServiceWire", "LinuxSystem", "Wire", "Model", system,
            ], path: "Sources/Services/Audio/Service"),
        .target(
            name: "AudioClient", dependencies: ["AppRuntime", "AudioWire", "AudioModel", "Wire"],
            path: "Sources/Services/Audio/Client"),

        // An app's side.
        .target(name: "AppRuntime", dependencies: ["Wire"]),
        // What Apple's Foundation has and Linux's lacks.
        .target(name: "CIOSFoundation", path: "Sources/Frameworks/CIOSFoundation"),
        // Libraries of iOS that Linux has. All iOS code can import them, so IOSFoundation brings them along.
        .systemLibrary(
            name: "GreenroomSQLite3", path: "Sources/Frameworks/SQLite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "GreenroomZlib", path: "Sources/Frameworks/Zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(
            name: "IOSFoundation", dependencies: ["CIOSFoundation", "GreenroomSQLite3", "GreenroomZlib"],
            path: "Sources/Frameworks/IOSFoundation"),
        // Apple's modules that other packages look for with `canImport`, under names that they do not know.
        .target(name: "CUnfairLock", path: "Sources/Frameworks/CUnfairLock"),
        .target(
            name: "GreenroomOS", dependencies: ["CUnfairLock", .product(name: "Logging", package: "swift-log")],
            path: "Sources/Frameworks/OS"),
        .target(
            name: "GreenroomCombine",
            dependencies: [
                "IOSFoundation",
                .product(name: "OpenCombine", package: "OpenCombine"),
                .product(name: "OpenCombineDispatch", package: "OpenCombine"),
                .product(name: "OpenCombineFoundation", package: "OpenCombine"),
            ], path: "Sources/Frameworks/Combine"),
        .target(
            name: "GreenroomSwiftUI",
            dependencies: [
                "AppRuntime", "GreenroomCombine", "UIKit", .product(name: "OpenCombine", package: "OpenCombine"),
            ],
            path: "Sources/Frameworks/SwiftUI"),
        .target(
            name: "GreenroomSystemConfiguration", dependencies: ["UIKit"],
            path: "Sources/Frameworks/SystemConfiguration"),
        .target(name: "GreenroomNetwork", dependencies: ["UIKit"], path: "Sources/Frameworks/Network"),
        .target(name: "CUIKit", path: "Sources/Frameworks/CUIKit"),
        .target(
            name: "UIKit",
            dependencies: [
                "IOSFoundation",
                "UserNotifications", "AudioClient", "AudioModel", "AppRuntime", "CUIKit", "NotificationsWire", "Wire",
            ], path: "Sources/Frameworks/UIKit"),
        // Audio for apps. What reads sound files, speaks and fetches is loaded when it is first used, or linked here alone.
        .systemLibrary(name: "CAudioCodecs", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"])]),
        .target(name: "CSpeech"),
        // Built with the heads of libavformat (Debian: libavformat-dev), and not linked with it.
        .target(name: "CMedia"),
        .target(name: "CFetching"),
        .target(
            name: "AVFAudio",
            dependencies: [
                "AudioClient", "AudioDevices", "AudioWire", "AudioModel", "PipeWire", "CAudioCodecs", "CSpeech",
                "CMedia",
                "IOSFoundation",
                "Wire",
            ],
            path: "Sources/Services/Audio/Framework/AVFAudio"),
        .target(
            name: "CoreMedia", dependencies: ["IOSFoundation"], path: "Sources/Services/Audio/Framework/CoreMedia"),
        .target(
            name: "AVFoundation",
            dependencies: ["AVFAudio", "CoreMedia", "AudioClient", "AudioDevices", "CFetching", "IOSFoundation"],
            path: "Sources/Services/Audio/Framework/AVFoundation"),
        .target(
            name: "MediaPlayer", dependencies: ["IOSFoundation", "UIKit", "AudioClient", "AudioModel"],
            path: "Sources/Services/Audio/Framework/MediaPlayer"),
        // URLSession for apps, apart from UIKit: its libraries take as long to load as all others of an app.
        .target(
            name: "UIKitNetworking", dependencies: ["BackgroundTransfer"], path: "Sources/Frameworks/UIKitNetworking"),
        .target(
            name: "BackgroundTasks", dependencies: ["AppRuntime", "Wire"], path: "Sources/Frameworks/BackgroundTasks"),
        // Swift Testing looks for this overlay wherever a file imports both.
        .target(name: "_Testing_UIKit", path: "Sources/Frameworks/TestingOverlay"),

        // The second host of the Core, in virtual time. Pure as well.
        .target(
            name: "Simulation",
            dependencies: ["PolicyCore", "Model", .product(name: "HeapModule", package: collections)]),

        // What both hosts have to keep: tests that any of them runs.
        .target(name: "ContractSuite", dependencies: ["Model"], path: "Tests/ContractSuite"),

        // What tests of services have in common: a daemon's and an app's side of their connections.
        .target(name: "ServiceTesting", dependencies: ["LinuxSystem", "Wire"], path: "Tests/ServiceTesting"),

        // A sound server of a test's own, and apps' players without one.
        .target(
            name: "TestAudio", dependencies: ["PipeWire", "TestBus", "DBus", "LinuxSystem"], path: "Tests/TestAudio"),
        .target(
            name: "AudioTesting",
            dependencies: [
                "AVFAudio", "AudioClient", "AudioDevices", "AudioWire", "AudioModel", "AppRuntime", "Wire",
            ],
            path: "Tests/AudioTesting"),

        // Makes packages of Xcode's projects.
        .target(name: "ProjectImport"),
        .executableTarget(name: "greenroom-import", dependencies: ["ProjectImport", argumentParser]),
        // Makes Swift for Linux of the iOS code of a target, with the program in Plugins/Lowering.
        .plugin(name: "IOSSources", capability: .buildTool()),

        // Scenarios as files.
        .target(name: "ScenarioText", dependencies: ["Simulation", "PolicyCore", "Model", yams, system]),

        // For tests of apps: a simulated device and an app's code in one process.
        .target(name: "CQuiescence"),
        .target(
            name: "GreenroomTesting",
            dependencies: [
                "AudioClient", "AudioDevices", "AudioSimulation", "LocationClient", "LocationModel",
                "LocationSimulation",
                "NotificationsSimulation", "NotificationsWire", "Simulation", "AppProtocol", "PolicyCore", "Model",
                "UserNotifications", "UIKit", "_Testing_UIKit",
                "AppRuntime", "Wire", "CQuiescence",
            ]),

        // The tools' side.
        .target(
            name: "Commands",
            dependencies: [
                "AudioWire", "AudioModel", "LocationSources", "LocationWire", "LocationModel", "NotificationsWire",
                "PushPayload", "TransferWire", "Timeline", "Wire", "Model", "LinuxSystem", argumentParser, system,
            ]),

        .target(
            name: "ReplayCommands",
            dependencies: ["Recording", "Commands", "PolicyCore", "Model", "Wire", argumentParser]),

        .target(
            name: "SimulationCommands",
            dependencies: [
                "AudioSimulation", "LocationSimulation", "NotificationsSimulation", "TransferSimulation", "Simulation",
                "ScenarioText",
                "ReplayCommands",
                "Recording", "Commands", "PolicyCore", "Model", "Wire", argumentParser,
            ]),

        .executableTarget(name: "greenroomd", dependencies: ["Host", "Model"]),
        .executableTarget(
            name: "greenroom-transferd", dependencies: ["TransferService"],
            path: "Sources/Services/Transfers/Program"),
        .executableTarget(
            name: "greenroom-locationd", dependencies: ["LocationService"],
            path: "Sources/Services/Location/Program"),
        .executableTarget(
            name: "greenroom-audiod", dependencies: ["AudioService"], path: "Sources/Services/Audio/Program"),
        .executableTarget(
            name: "greenroom-pushd", dependencies: ["NotificationsService"],
            path: "Sources/Services/Notifications/Program"),
        .executableTarget(
            name: "greenroom-sound", dependencies: ["AVFAudio", "NotificationsWire", "LinuxSystem"],
            path: "Sources/Services/Notifications/Sound"),
        .executableTarget(name: "greenroom", dependencies: ["Commands"]),
        .executableTarget(name: "greenroom-replay", dependencies: ["ReplayCommands", "Commands"]),
        .executableTarget(name: "greenroom-simulator", dependencies: ["SimulationCommands", "Commands"]),
        .executableTarget(name: "greenroom-keeper", dependencies: ["Keeper"]),
        .executableTarget(name: "greenroom-bundle", dependencies: ["Bundles"]),

        // Everything that `make demo` needs and nothing else, so that one build makes it with all processors.
        .target(
            name: "DemoPrograms",
            dependencies: [
                "greenroomd", "greenroom-keeper", "greenroom-bundle", "greenroom", "greenroom-replay", "Journal",
            ], path: "Scripts/demo/Programs"),

        .executableTarget(
            name: "Journal", dependencies: ["UIKit"], path: "Examples/Journal/Sources",
            packageAccess: false),
        .executableTarget(
            name: "IconReel", dependencies: ["UIKit"], path: "Examples/IconReel/Sources", packageAccess: false),
        .executableTarget(
            name: "Podcasts", dependencies: ["UIKit", "UIKitNetworking", "UserNotifications"],
            path: "Examples/Podcasts/Sources", packageAccess: false),
        .executableTarget(
            name: "Reminder", dependencies: ["UIKit", "UserNotifications"], path: "Examples/Reminder/Sources",
            packageAccess: false),
        // As an iOS project has it, compiled by the plugin.
        .executableTarget(
            name: "Classic",
            dependencies: [
                "BackgroundTasks", "GreenroomCombine", "GreenroomNetwork", "GreenroomOS", "MediaPlayer", "UIKit",
                "UserNotifications",
            ], path: "Examples/Classic/Sources", exclude: ["ios.json"], packageAccess: false,
            swiftSettings: [.swiftLanguageMode(.v5)], plugins: ["IOSSources"]),
        .executableTarget(
            name: "Uploader", dependencies: ["UIKit"], path: "Examples/Uploader/Sources", packageAccess: false),
        .executableTarget(
            name: "Radio", dependencies: ["AVFoundation", "MediaPlayer", "UIKit"], path: "Examples/Radio/Sources",
            packageAccess: false),
        .executableTarget(
            name: "Navigator", dependencies: ["AVFoundation", "CoreLocation", "UIKit"],
            path: "Examples/Navigator/Sources", packageAccess: false),
        .executableTarget(
            name: "CaptureTheFlag", dependencies: ["CoreLocation", "UIKit", "UserNotifications"],
            path: "Examples/CaptureTheFlag/Sources", packageAccess: false),
        .executableTarget(
            name: "Article", dependencies: ["UIKit", "UIKitNetworking"], path: "Fixtures/Article/Sources"),
        .executableTarget(
            name: "Beacon", dependencies: ["UIKit", "UserNotifications"], path: "Fixtures/Beacon/Sources"),
        .executableTarget(
            name: "Tone", dependencies: ["AVFoundation", "MediaPlayer", "UIKit"], path: "Fixtures/Tone/Sources"),
        .executableTarget(
            name: "Wanderer", dependencies: ["CoreLocation", "UIKit", "UserNotifications"],
            path: "Fixtures/Wanderer/Sources"),
        .executableTarget(name: "Reader", dependencies: ["UIKit"], path: "Fixtures/Reader/Sources"),
        .executableTarget(name: "Hoard", dependencies: ["UIKit"], path: "Fixtures/Hoard/Sources"),
        .executableTarget(name: "Headline", dependencies: ["UserNotifications"], path: "Fixtures/Headline/Sources"),
        .executableTarget(
            name: "Misbehaver", dependencies: ["UIKit", "BackgroundTasks", "AppRuntime", "Wire"],
            path: "Fixtures/Misbehaver/Sources"),
        .executableTarget(
            name: "greenroom-bench", dependencies: ["PolicyCore", "Simulation", "LinuxSystem", "Wire", "Model"],
            path: "Benchmarks/greenroom-bench"),

        // Carries a device along tracks: what make bench-location measures with.
        .executableTarget(
            name: "greenroom-bench-location",
            dependencies: [
                "LocationSimulation", "LocationSources", "LocationCore", "LocationModel", "PolicyCore", "LinuxSystem",
                "Model", argumentParser,
            ], path: "Benchmarks/location/Tool"),
        // Hears what a sink plays and presses controls, and an app that plays: what make bench-audio measures with.
        .executableTarget(
            name: "greenroom-bench-audio", dependencies: ["PipeWire", "DBus", "LinuxSystem", "Wire", argumentParser],
            path: "Benchmarks/audio/Tool"),
        .executableTarget(
            name: "Recital", dependencies: ["AVFoundation", "MediaPlayer", "UIKit"],
            path: "Benchmarks/audio/Recital/Sources"),

        .executableTarget(
            name: "greenroom-bench-fetch",
            dependencies: [
                "NotificationsSimulation", "TransferSimulation", "Simulation", "PolicyCore", "LinuxSystem", "Model",
            ], path: "Benchmarks/fetch"),

        // Reads what strangers write, with inputs that nobody wrote: docs/FUZZING.md.
        .executableTarget(
            name: "greenroom-fuzz",
            dependencies: [
                "AppProtocol", "Host", "LocationSources", "LocationCore", "LocationModel", "TransferService", "Curl",
                "TransferCore",
                "TransferWire", "ScenarioText", "Simulation", "Recording",
                "PolicyCore", "PushCore", "PushLink", "Bundles", "Timeline", "LinuxSystem", "Wire", "Model",
                "CAllocations", argumentParser, system,
            ],
            path: "Fuzzing", exclude: ["Corpus", "Dictionaries"]),

        .testTarget(name: "ModelTests", dependencies: ["Model"]),
        .testTarget(
            name: "PolicyCoreTests", dependencies: ["PolicyCore", "Model"], exclude: ["Tags/samples.txt"]),
        .testTarget(
            name: "SimulationTests", dependencies: ["Simulation", "ContractSuite", "PolicyCore", "Model"],
            exclude: ["Storm/traces.txt"]),
        .testTarget(
            name: "ScenarioTextTests",
            dependencies: [
                "ScenarioText", "AudioSimulation", "LocationSimulation", "NotificationsSimulation",
                "TransferSimulation", "Simulation",
                "PolicyCore", "Model",
            ]),
        .testTarget(
            name: "NotificationsSimulationTests",
            dependencies: ["NotificationsSimulation", "NotificationsCore", "Simulation", "PolicyCore", "Model"]),
        .testTarget(
            name: "RecordingTests",
            dependencies: ["Recording", "Simulation", "Host", "PolicyCore", "LinuxSystem", "Model"],
            exclude: ["Golden"]),
        // Also runs the programs themselves.
        .testTarget(
            name: "SimulationCommandsTests",
            dependencies: [
                "SimulationCommands", "Commands", "Recording", "ScenarioText", "Simulation", "PolicyCore", "Wire",
                "Model",
                "greenroom", "greenroom-replay", "greenroom-simulator",
            ]),
        .testTarget(
            name: "TransferCoreTests", dependencies: ["TransferCore", "TransferSimulation", "Simulation", "Model"]),
        .testTarget(name: "PushLinkTests", dependencies: ["PushLink", "Wire"]),
        .testTarget(name: "PushCoreTests", dependencies: ["PushCore", "PushLink", "PushPayload", "Wire", "Model"]),
        .testTarget(
            name: "NotificationsCoreTests",
            dependencies: ["NotificationsCore", "Simulation", "Model"]),
        .testTarget(name: "WireTests", dependencies: ["NotificationsWire", "TransferWire", "Wire", "Model"]),
        .testTarget(name: "TimelineTests", dependencies: ["Timeline", "Wire", "Model"]),
        .testTarget(name: "LinuxSystemTests", dependencies: ["TestPace", "LinuxSystem", "CLinux", system]),
        .testTarget(name: "DBusTests", dependencies: ["DBus", "TestBus", "LinuxSystem"]),
        // Also runs the program itself, from where the build puts it.
        .testTarget(name: "KeeperTests", dependencies: ["Keeper", "LinuxSystem", "greenroom-keeper"]),
        .testTarget(name: "BundlesTests", dependencies: ["TestPace", "Bundles", "Model"]),
        .testTarget(name: "StorageTests", dependencies: ["Storage", "Model"]),
        .testTarget(
            name: "BackgroundTransferTests",
            dependencies: ["BackgroundTransfer", "AppRuntime", "TransferWire", "LinuxSystem", "Wire"]),
        .testTarget(
            name: "UserNotificationsTests",
            dependencies: ["UserNotifications", "AppRuntime", "NotificationsWire", "Wire"]),
        .testTarget(
            name: "UIKitTests",
            dependencies: [
                "UIKit", "UIKitNetworking", "BackgroundTasks", "_Testing_UIKit", "AppRuntime", "BackgroundTransfer",
                "UserNotifications", "NotificationsWire", "AudioClient", "AudioWire", "AudioModel", "Wire",
                "GreenroomTesting", "Misbehaver",
                "Hoard", "Article", grdb, .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "GreenroomTestingTests",
            dependencies: [
                "TestPace",
                "GreenroomTesting", "BackgroundTasks", "UserNotifications", "AVFoundation", "CoreLocation",
                "MediaPlayer", "UIKit", "UIKitNetworking", "GreenroomSwiftUI", "GreenroomSystemConfiguration",
                "_Testing_UIKit",
            ]),
        .testTarget(
            name: "JournalTests", dependencies: ["Journal", "GreenroomTesting", "UIKit", "_Testing_UIKit"],
            path: "Examples/Journal/Tests"),
        .testTarget(
            name: "IconReelTests", dependencies: ["IconReel", "GreenroomTesting", "UIKit", "_Testing_UIKit"],
            path: "Examples/IconReel/Tests"),
        .testTarget(
            name: "CommandsTests",
            dependencies: ["Commands", "NotificationsWire", "TransferWire", "Timeline", "Wire", "Model"]),
        .testTarget(
            name: "HostTests",
            dependencies: ["Host", "PolicyCore", "Storage", "Timeline", "Wire", "LinuxSystem", "Model", system]),
        .testTarget(
            name: "SystemTests",
            dependencies: [
                "TestPace",
                "ContractSuite", "ScenarioText", "Simulation", "Storage", "DBus", "TestAudio", "TestBus", "Wire",
                "Model",
                "LinuxSystem",
            ]),
        // Also runs the program itself, against the servers of Fixtures/servers.
        .testTarget(
            name: "TransferServiceTests",
            dependencies: [
                "TestPace",
                "ServiceTesting", "TransferService", "TransferCore", "TransferWire", "Wire", "LinuxSystem", "Model",
                "greenroom", "greenroom-transferd",
            ]),
        .testTarget(name: "OpenSSLTests", dependencies: ["OpenSSL"]),
        .testTarget(
            name: "ServiceKitTests",
            dependencies: [
                "ServiceTesting", "ServiceKit", "ServiceWire", "ServiceCore", "LinuxSystem", "Wire", "Model",
            ]),
        // Reads the programs, from where the build puts them.
        .testTarget(name: "ProductTests", dependencies: ["ServiceTesting", "LinuxSystem"]),
        // Also runs the program itself, against the gateway's double of Fixtures/servers.
        .testTarget(
            name: "AudioServiceTests",
            dependencies: [
                "AudioService", "AudioCore", "AudioModel", "ServiceKit", "ServiceCore", "LinuxSystem", "Model",
            ]),
        .testTarget(
            name: "NotificationsServiceTests",
            dependencies: [
                "ServiceTesting", "TestBus", "NotificationsService", "NotificationsCore", "NotificationsWire",
                "PushLink",
                "DBus", "Wire", "LinuxSystem", "Model", "Headline", "greenroom-pushd", "greenroom-sound", grdb,
            ]),
        // With a daemon of their own, and with real ones where they are installed.
        .testTarget(
            name: "LocationSimulationTests",
            dependencies: [
                "LocationSimulation", "LocationCore", "LocationModel", "Simulation", "PolicyCore", "Model",
            ]),
        .testTarget(
            name: "LocationSourcesTests",
            dependencies: ["LocationSources", "LocationModel", "DBus", "TestBus", "LinuxSystem"]),
        .testTarget(
            name: "LocationServiceTests",
            dependencies: ["LocationService", "LocationSources", "LocationModel", "DBus"]),
        .testTarget(
            name: "CoreLocationTests",
            dependencies: [
                "CoreLocation", "LocationClient", "AppRuntime", "LocationWire", "LocationModel", "UserNotifications",
                "Wire",
            ]),
        .testTarget(name: "LocationCoreTests", dependencies: ["LocationCore", "LocationModel", "Model"]),
        .testTarget(name: "AudioCoreTests", dependencies: ["AudioCore", "AudioModel", "Model"]),
        .testTarget(
            name: "AudioSimulationTests", dependencies: ["AudioSimulation", "AudioCore", "Simulation", "Model"]),
        .testTarget(
            name: "PipeWireTests", dependencies: ["PipeWire", "TestAudio", "TestBus", "LinuxSystem"]),
        .testTarget(
            name: "AVFAudioTests",
            dependencies: [
                "AVFAudio", "AudioDevices", "AudioTesting", "CAudioCodecs", "PipeWire", "TestAudio", "TestBus",
                "AudioClient",
                "AudioWire",
                "AudioModel", "Wire",
            ]),
        .testTarget(
            name: "AVFoundationTests",
            dependencies: [
                "AVFoundation", "AVFAudio", "AudioDevices", "CoreMedia", "IOSFoundation", "AudioTesting", "AudioWire",
                "AudioModel",
            ]),
        .testTarget(
            name: "MediaPlayerTests",
            dependencies: [
                "MediaPlayer", "AudioDevices", "AudioTesting", "AudioClient", "AudioModel", "_Testing_UIKit",
            ]),
        // Also with the real playerctl and mpv, where they are installed.
        .testTarget(
            name: "AudioControlsTests",
            dependencies: ["AudioControls", "AudioModel", "DBus", "TestBus", "LinuxSystem"]),
        .testTarget(
            name: "PresenterTests",
            dependencies: ["NotificationsService", "DBus", "TestBus", "TestPace", "LinuxSystem"]),
        // Runs the program, as the plugin does.
        .testTarget(name: "LoweringTests"),
        .testTarget(
            name: "ClassicTests",
            dependencies: ["Classic", "GreenroomTesting", "MediaPlayer", "UIKit", "_Testing_UIKit"],
            path: "Examples/Classic/Tests"),
        .testTarget(name: "ProjectImportTests", dependencies: ["ProjectImport"]),
        .testTarget(name: "CombineTests", dependencies: ["GreenroomCombine", "IOSFoundation"]),
        .testTarget(name: "IOSFoundationTests", dependencies: ["IOSFoundation", "CIOSFoundation"]),
        .testTarget(name: "OSTests", dependencies: ["GreenroomOS", .product(name: "Logging", package: "swift-log")]),
        .testTarget(name: "TidyTests"),
    ],
    swiftLanguageModes: [.v6]
)

// These tests contain models, oracles and crowds of clients, so they are optimized. The other tests mostly wait, and
// optimizing them took more than half of the build time (six minutes of one processor for PolicyCoreTests alone).
let busyTests: Set = [
    "AudioCoreTests", "LocationCoreTests", "ModelTests", "NotificationsCoreTests", "TidyTests", "TransferCoreTests",
    "TransferServiceTests",
]

// Those whose tests import them as tests do: there is one build configuration.
let tested: Set = ["Classic", "IconReel", "Journal"]

// Packages that use this one by version may not be given flags that the package manager does not know. These are for
// the tests here alone.
let isUsedByOthers = Context.packageDirectory.contains("/checkouts/")

for target in package.targets where ![.plugin, .system, .binary].contains(target.type) {
    var own = target.name == "Classic" ? [] : settings
    if !isUsedByOthers, target.type == .test {
        // No target imports a test's module, so the process that compiles the code writes the module as well. A second
        // process would expand each macro again, which took a fifth of the build of PolicyCoreTests.
        own.append(.unsafeFlags(["-no-emit-module-separately-wmo"]))
        if !busyTests.contains(target.name) { own.append(.unsafeFlags(["-Onone"])) }
    }
    if !isUsedByOthers, tested.contains(target.name) { own.append(.unsafeFlags(["-enable-testing"])) }
    target.swiftSettings = (target.swiftSettings ?? []) + own
}

// Tests that CI builds and runs before it builds the rest: the package has only these tests and what they depend on if
// GREENROOM_PARTS names them. Scripts/run-tests.py reads these names as well.
let parts: [String: Set<String>] = [
    // Reads source text only.
    "tidy": ["TidyTests"],
    // Starts no process and opens no socket.
    "pure": [
        "AudioCoreTests", "AudioSimulationTests", "LocationCoreTests", "LocationSimulationTests", "ModelTests",
        "NotificationsCoreTests", "NotificationsSimulationTests", "PolicyCoreTests", "PushCoreTests", "PushLinkTests",
        "ScenarioTextTests", "SimulationTests", "TimelineTests", "TransferCoreTests", "WireTests",
    ],
]

if let part = Context.environment["GREENROOM_PARTS"] {
    // SwiftPM prints this sentence. A manifest cannot throw.
    guard var needed = parts[part] else { fatalError("GREENROOM_PARTS is not one of \(parts.keys.sorted())") }
    var left = Array(needed)
    while let name = left.popLast() {
        for dependency in package.targets.first(where: { $0.name == name })?.dependencies ?? [] {
            if case .byNameItem(let name, _) = dependency, needed.insert(name).inserted { left.append(name) }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}
