import Testing

@Suite("The layers")
struct DependencyTests {
    /// What a folder's files may import; the compiler sees to the rest.
    static let allowed: [(folder: String, modules: Set<String>)] = [
        ("Sources/Model", []),
        ("Sources/PolicyCore", ["Model", "HeapModule", "DequeModule", "OrderedCollections", "BitCollections"]),
        ("Sources/Services/Transfers/Core", ["Model", "HeapModule", "DequeModule"]),
        ("Sources/AppProtocol", ["Model", "PolicyCore", "Wire"]),
        ("Sources/Simulation", ["Model", "PolicyCore", "HeapModule"]),
        ("Sources/ScenarioText", ["Model", "PolicyCore", "Simulation", "SystemPackage", "Yams"]),
        ("Sources/Recording", ["Model", "PolicyCore", "FoundationEssentials"]),
        ("Sources/Wire", ["FoundationEssentials", "Model"]),
        ("Sources/Timeline", ["Model", "Wire"]),
        ("Sources/LinuxSystem", ["CLinux", "Dispatch", "Glibc", "SystemPackage", "Synchronization"]),
        ("Sources/Curl", ["CCurl", "COpenSSL", "Glibc", "LinuxSystem"]),
        ("Sources/OpenSSL", ["COpenSSL", "Synchronization"]),
        ("Sources/DBus", ["CSystemd", "Dispatch", "Glibc", "LinuxSystem", "SystemPackage"]),
        ("Sources/ServiceKit", ["Dispatch", "Glibc", "LinuxSystem", "Model", "ServiceCore", "ServiceWire", "Wire"]),
        ("Sources/Services/Transfers/Wire", ["Wire"]),
        ("Sources/Services/Notifications/Link", ["Model", "Wire"]),
        ("Sources/Services/Notifications/Wire", ["Wire"]),
        ("Sources/Services/Notifications/Payload", ["Wire"]),
        ("Sources/Services/Notifications/Core", ["HeapModule", "Model", "PushPayload"]),
        (
            "Sources/Services/Notifications/Service",
            [
                "DBus", "Dispatch", "Foundation", "FoundationEssentials", "GRDB", "Glibc", "LinuxSystem", "Model",
                "NotificationsCore", "NotificationsTranslation", "NotificationsWire", "OpenSSL", "PushLink",
                "PushPayload", "ServiceKit", "Synchronization", "SystemPackage", "Wire",
            ]
        ),
        (
            "Sources/Services/Notifications/Simulation",
            [
                "Model", "NotificationsCore", "NotificationsTranslation", "NotificationsWire", "PushCore", "PushLink",
                "Simulation", "Wire",
            ]
        ),
        (
            "Sources/Services/Notifications/Translation",
            ["Model", "NotificationsCore", "NotificationsWire", "PushLink", "Wire"]
        ),
        ("Sources/Services/Notifications/Program", ["NotificationsService"]),
        (
            "Sources/Services/Notifications/Sound",
            ["AVFAudio", "Foundation", "Glibc", "LinuxSystem", "NotificationsWire"]
        ),
        ("Sources/Services/Notifications/GatewayCore", ["Model", "PushLink", "PushPayload", "Wire"]),
        (
            "Gateway/Sources/PushGateway",
            [
                "ArgumentParser", "CoreMetrics", "Crypto", "Dispatch", "Foundation", "FoundationEssentials", "GRDB",
                "Glibc", "JWTKit", "LinuxSystem", "Logging", "Metrics", "Model", "NIOConcurrencyHelpers", "NIOCore",
                "NIOHPACK", "NATSClient", "NIOHTTP1", "NIOHTTP2", "NIOPosix", "NIOSSL", "NIOTLS", "PushCore",
                "PushLink", "ServiceLifecycle", "SwiftASN1", "Synchronization", "SystemPackage", "UnixSignals", "Wire",
                "X509",
            ]
        ),
        ("Gateway/Sources/greenroom-pushgate", ["PushGateway"]),
        (
            "Gateway/Sources/NATSClient",
            ["CNATS", "Dispatch", "FoundationEssentials", "Glibc", "Model", "Synchronization", "Wire"]
        ),
        (
            "Sources/Services/Notifications/Framework",
            ["AppRuntime", "Dispatch", "Foundation", "Glibc", "NotificationsWire", "Synchronization", "Wire"]
        ),
        ("Sources/PipeWire", ["CPipeWire", "Dispatch", "Glibc", "LinuxSystem", "Synchronization", "SystemPackage"]),
        ("Sources/Services/Location/Model", ["RealModule"]),
        ("Sources/Services/Location/Wire", ["LocationModel", "Wire"]),
        ("Sources/ServiceCore", ["Model"]),
        ("Sources/ServiceSimulation", ["Model", "ServiceCore", "Simulation"]),
        ("Sources/ServiceWire", ["Model", "ServiceCore", "Wire"]),
        ("Sources/Services/Location/Core", ["LocationModel", "Model", "RealModule", "ServiceCore"]),
        (
            "Sources/Services/Location/Translation",
            ["LocationCore", "LocationModel", "LocationWire", "Model", "ServiceCore", "ServiceWire", "Wire"]
        ),
        (
            "Sources/Services/Location/Sources",
            ["DBus", "Dispatch", "Glibc", "LinuxSystem", "LocationModel", "Synchronization", "SystemPackage", "Wire"]
        ),
        (
            "Sources/Services/Location/Service",
            [
                "DBus", "Dispatch", "FoundationEssentials", "LinuxSystem", "LocationCore", "LocationModel",
                "LocationSources", "LocationTranslation", "LocationWire", "Model", "ServiceCore", "ServiceKit", "Wire",
            ]
        ),
        ("Sources/Services/Location/Program", ["LocationService"]),
        (
            "Sources/Services/Location/Client",
            ["AppRuntime", "Dispatch", "LocationModel", "LocationWire", "Synchronization", "Wire"]
        ),
        (
            "Sources/Services/Location/Framework",
            [
                "Dispatch", "Foundation", "LocationClient", "LocationModel", "LocationWire", "NotificationsWire",
                "Synchronization", "UserNotifications", "Wire",
            ]
        ),
        (
            "Sources/Services/Location/Simulation",
            [
                "LocationCore", "LocationModel", "LocationTranslation", "LocationWire", "Model", "ServiceCore",
                "ServiceSimulation", "ServiceWire", "Simulation", "Wire",
            ]
        ),
        ("Sources/Services/Audio/Model", []),
        ("Sources/Services/Audio/Wire", ["AudioModel", "Wire"]),
        ("Sources/Services/Audio/Devices", ["Synchronization"]),
        ("Sources/Services/Audio/Core", ["AudioModel", "Model", "ServiceCore"]),
        (
            "Sources/Services/Audio/Translation",
            ["AudioCore", "AudioModel", "AudioWire", "Model", "ServiceCore", "ServiceWire", "Wire"]
        ),
        (
            "Sources/Services/Audio/Simulation",
            [
                "AudioCore", "AudioModel", "AudioTranslation", "AudioWire", "Model", "ServiceCore",
                "ServiceSimulation", "Simulation", "Wire",
            ]
        ),
        ("Sources/Services/Audio/Controls", ["AudioModel", "DBus", "Dispatch", "LinuxSystem"]),
        (
            "Sources/Services/Audio/Service",
            [
                "AudioControls", "AudioCore", "AudioModel", "AudioTranslation", "AudioWire", "Dispatch",
                "FoundationEssentials", "Glibc", "LinuxSystem", "Model", "PipeWire", "ServiceCore", "ServiceKit",
                "ServiceWire", "Wire",
            ]
        ),
        ("Sources/Services/Audio/Program", ["AudioService"]),
        (
            "Sources/Services/Audio/Client",
            ["AppRuntime", "AudioModel", "AudioWire", "Dispatch", "Synchronization", "Wire"]
        ),
        // Four modules, as Apple has them.
        (
            "Sources/Services/Audio/Framework",
            [
                "AVFAudio", "AudioClient", "AudioDevices", "AudioModel", "AudioWire", "CMedia", "CAudioCodecs",
                "CFetching", "CSpeech",
                "CoreMedia",
                "Dispatch", "Foundation", "Glibc", "IOSFoundation", "PipeWire", "Synchronization", "UIKit", "Wire",
            ]
        ),
        ("Sources/Keeper", ["LinuxSystem", "SystemPackage"]),
        ("Sources/Bundles", ["Glibc", "Model"]),
        ("Sources/Storage", ["Foundation", "GRDB", "Model"]),
        (
            "Sources/Services/Transfers/Service",
            [
                "Curl", "Dispatch", "Foundation", "FoundationEssentials", "Glibc", "GRDB", "LinuxSystem", "Model",
                "OpenSSL", "ServiceKit", "Synchronization", "SystemPackage", "TransferCore", "TransferWire", "Wire",
            ]
        ),
        (
            "Sources/Services/Transfers/Framework",
            [
                "AppRuntime", "CBackgroundTransfer", "Dispatch", "Foundation", "FoundationNetworking", "Glibc",
                "LinuxSystem", "Synchronization", "TransferWire", "Wire",
            ]
        ),
        ("Sources/Frameworks/BackgroundTasks", ["AppRuntime", "Dispatch", "Foundation", "Synchronization", "Wire"]),
        ("Sources/AppRuntime", ["Dispatch", "Glibc", "Synchronization", "Wire"]),
        (
            "Sources/Host",
            [
                "AppProtocol", "CAllocations", "Dispatch", "FoundationEssentials", "LinuxSystem", "Model",
                "PolicyCore", "Storage", "Synchronization", "SystemPackage", "Timeline", "Wire",
            ]
        ),
        (
            "Sources/Commands",
            [
                "ArgumentParser", "AudioModel", "AudioWire", "Glibc", "LinuxSystem", "LocationModel", "LocationSources",
                "LocationWire", "Model", "NotificationsWire", "PushPayload", "Synchronization", "SystemPackage",
                "Timeline", "TransferWire", "Wire",
            ]
        ),
        (
            "Sources/Frameworks/UIKit",
            [
                "AppRuntime", "AudioClient", "AudioModel", "CUIKit", "Dispatch", "Foundation", "Glibc", "IOSFoundation",
                "NotificationsWire", "Synchronization", "UserNotifications", "Wire",
            ]
        ),
        ("Sources/Frameworks/IOSFoundation", ["CIOSFoundation", "Dispatch", "Foundation", "Glibc", "Synchronization"]),
        ("Sources/Frameworks/OS", ["CUnfairLock", "Foundation", "Logging", "Synchronization"]),
        (
            "Sources/Frameworks/Combine",
            [
                "Foundation", "IOSFoundation", "OpenCombine", "OpenCombineDispatch", "OpenCombineFoundation",
                "Synchronization",
            ]
        ),
        ("Sources/Frameworks/Network", ["Dispatch", "Foundation", "Synchronization", "UIKit"]),
        ("Sources/Frameworks/SwiftUI", ["AppRuntime", "GreenroomCombine", "OpenCombine", "UIKit"]),
        ("Sources/Frameworks/SystemConfiguration", ["Foundation", "Glibc", "Synchronization", "UIKit"]),
        // It writes a manifest, which imports PackageDescription.
        ("Sources/ProjectImport", ["Foundation", "PackageDescription"]),
        ("Sources/greenroom-import", ["ArgumentParser", "Foundation", "ProjectImport"]),
        ("Sources/Frameworks/UIKitNetworking", ["BackgroundTransfer", "FoundationNetworking"]),
        (
            "Sources/GreenroomTesting",
            [
                "AppProtocol", "AppRuntime", "AudioClient", "AudioDevices", "AudioSimulation", "CQuiescence",
                "Dispatch",
                "Foundation", "Glibc", "LocationClient", "LocationModel", "LocationSimulation", "Model",
                "NotificationsSimulation", "NotificationsWire", "PolicyCore",
                "Simulation", "Synchronization", "Testing", "UIKit", "UserNotifications", "Wire",
            ]
        ),
        (
            "Sources/SimulationCommands",
            [
                "ArgumentParser", "AudioSimulation", "Commands", "Dispatch", "Foundation", "LocationSimulation",
                "Model", "NotificationsSimulation", "PolicyCore", "Recording", "ReplayCommands", "ScenarioText",
                "Simulation", "Synchronization", "TransferSimulation", "Wire",
            ]
        ),
        (
            "Sources/ReplayCommands",
            ["ArgumentParser", "Commands", "Foundation", "Model", "PolicyCore", "Recording", "Wire"]
        ),
        ("Sources/Frameworks/TestingOverlay", []),
        ("Sources/greenroom", ["Commands", "Glibc"]),
        ("Sources/greenroom-bundle", ["Bundles", "Glibc"]),
        ("Sources/greenroom-keeper", ["Glibc", "Keeper"]),
        ("Sources/greenroom-replay", ["Commands", "Glibc", "ReplayCommands"]),
        ("Sources/greenroom-simulator", ["Commands", "Glibc", "SimulationCommands"]),
        ("Sources/Services/Transfers/Program", ["TransferService"]),
        ("Sources/Services/Transfers/Simulation", ["Model", "Simulation", "TransferCore"]),
        ("Sources/greenroomd", ["Glibc", "Host"]),
        ("Tests/ContractSuite", ["Model"]),
        ("Fuzzing/Driver", ["ArgumentParser", "CAllocations", "Foundation", "Glibc", "Simulation"]),
        (
            "Fuzzing/Targets",
            [
                "AppProtocol", "Bundles", "Curl", "Foundation", "Glibc", "Host", "LinuxSystem", "LocationCore",
                "LocationModel", "LocationSources", "Model", "PolicyCore", "PushCore", "PushLink", "ScenarioText",
                "ServiceCore", "Simulation", "SystemPackage", "Timeline", "TransferCore", "TransferService",
                "TransferWire", "Wire",
            ]
        ),
        ("Examples/Journal/Sources", ["Foundation", "UIKit"]),
        ("Examples/StandaloneTransfer/Sources", ["BackgroundTransfer", "Foundation", "FoundationNetworking"]),
        ("Examples/IconReel/Sources", ["Foundation", "Glibc", "Synchronization", "UIKit"]),
        (
            "Examples/Podcasts/Sources",
            ["FoundationXML", "Synchronization", "UIKit", "UIKitNetworking", "UserNotifications"]
        ),
        ("Examples/Radio/Sources", ["AVFoundation", "MediaPlayer", "UIKit"]),
        ("Examples/CaptureTheFlag/Sources", ["CoreLocation", "FoundationNetworking", "UIKit", "UserNotifications"]),
        ("Examples/Navigator/Sources", ["AVFoundation", "CoreLocation", "UIKit"]),
        ("Examples/Reminder/Sources", ["Synchronization", "UIKit", "UserNotifications"]),
        ("Examples/Uploader/Sources", ["Foundation", "FoundationNetworking", "Synchronization", "UIKit"]),
    ]

    @Test("A folder imports only what its layer allows", arguments: allowed.map(\.folder))
    func imports(_ folder: String) throws {
        let modules = try #require(Self.allowed.first { $0.folder == folder }).modules
        let files = Repository.files(folder)
        #expect(!files.isEmpty, "\(folder) holds no Swift file: the rule guards nothing")
        for file in files {
            let foreign = Set(file.imports).subtracting(modules)
            #expect(foreign.isEmpty, "\(file.path) imports \(foreign.sorted().joined(separator: ", "))")
        }
    }

    @Test("Every folder with Swift code has such a list")
    func complete() {
        let listed = Set(Self.allowed.map(\.folder))
        for file in Repository.files("Sources", "Gateway/Sources") {
            let names = file.path.split(separator: "/")
            let depth = names[0] == "Gateway" || names[1] == "Frameworks" ? 3 : names[1] == "Services" ? 4 : 2
            let folder = names.prefix(depth).joined(separator: "/")
            #expect(listed.contains(folder), "\(file.path) may import anything")
        }
    }

    /// Policy stays in the Core, and nobody but the host has both the Core and the machine.
    static let forbidden: [(folders: [String], modules: Set<String>)] = [
        (
            ["Sources/AppRuntime", "Sources/Frameworks", "Sources/Commands", "Sources/Storage", "Sources/Keeper"],
            ["PolicyCore", "Host", "Simulation"]
        ),
        (["Sources/GreenroomTesting"], ["Host", "Storage", "LinuxSystem", "Commands"]),
        (["Sources/Host"], ["Simulation", "ScenarioText", "Foundation", "ArgumentParser", "Bundles", "Keeper"]),
        (
            ["Sources/SimulationCommands", "Sources/ReplayCommands", "Sources/Recording"],
            ["Host", "Storage", "LinuxSystem", "AppRuntime"]
        ),
        // The demo builds it and must not wait for the simulator.
        (["Sources/ReplayCommands"], ["Simulation", "ScenarioText", "NotificationsSimulation", "TransferSimulation"]),
        (
            ["Sources/Model", "Sources/PolicyCore", "Sources/ServiceCore", "Sources/Services/Transfers/Core"],
            ["Foundation", "FoundationEssentials", "Glibc", "Dispatch"]
        ),
    ]

    @Test("Nothing of the device imports SwiftNIO or a library of BoringSSL's")
    func deviceLibraries() {
        for file in Repository.all where !file.path.hasPrefix("Gateway/") {
            let foreign = file.imports.filter { $0.hasPrefix("NIO") || ["Crypto", "AsyncHTTPClient"].contains($0) }
            #expect(foreign.isEmpty, "\(file.path) imports \(foreign.joined(separator: ", "))")
        }
    }

    @Test("No folder imports what its layer forbids", arguments: forbidden.indices)
    func forbids(_ rule: Int) {
        let (folders, modules) = Self.forbidden[rule]
        for folder in folders {
            let files = Repository.files(folder)
            #expect(!files.isEmpty, "\(folder) holds no Swift file: the rule guards nothing")
            for file in files {
                let foreign = Set(file.imports).intersection(modules)
                #expect(foreign.isEmpty, "\(file.path) imports \(foreign.sorted().joined(separator: ", "))")
            }
        }
    }

    /// What is a value in a folder of its own; the names of its type and of its case.
    static let mechanisms = ["Sockets", "GPU", "Disk", "Locks", "Snapshots", "Descriptors", "Inversions"]

    /// Where they may be named beside their folders: the list of what an app's state consists of.
    private static let registrations: Set<String> = ["Sources/PolicyCore/Lifecycle/App.swift"]

    @Test("The Core and the host name a mechanism in its folder and where it is registered, and nowhere else")
    func mechanismsAreFolders() throws {
        let types = Self.mechanisms.joined(separator: "|")
        let name = try Regex("\\b(\(types))\\b|\\.(\(types.lowercased()))\\(")
        for folder in ["Sources/PolicyCore/Mechanisms", "Sources/Host/Mechanisms"] {
            for mechanism in Self.mechanisms {
                let files = Repository.files("\(folder)/\(mechanism)")
                #expect(!files.isEmpty, "\(folder) has no \(mechanism): the rule guards nothing")
            }
        }
        for file in Repository.files("Sources/PolicyCore", "Sources/Host")
        where !file.path.contains("/Mechanisms/") && !Self.registrations.contains(file.path) {
            for (number, line) in file.code.enumerated() {
                if line.contains(name) { Issue.record("\(file.path):\(number + 1) names a mechanism: \(line)") }
            }
        }
    }

    @Test("Core and simulator know no clock, no randomness and no threads")
    func purity() {
        let words = [
            "ContinuousClock", "SuspendingClock", "SystemRandomNumberGenerator", ".random(", " Task {", "(Task {",
            "await ",
            " print(",
        ]
        for file in Repository.files(
            "Sources/Model", "Sources/PolicyCore", "Sources/Services/Transfers/Core", "Sources/Simulation",
            "Sources/ServiceCore")
        {
            for (number, line) in file.code.enumerated() {
                for word in words where line.contains(word) {
                    Issue.record("\(file.path):\(number + 1) uses \(word)")
                }
            }
        }
    }
}
