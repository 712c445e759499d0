// swift-tools-version: 6.2
import PackageDescription

// The push gateway with its HTTP/2, TLS and stores. It is a separate package, so a build of the device does not include
// SwiftNIO and BoringSSL. Shared has links to modules of the device: their declarations are `package`, which another
// package cannot use.

// The same as in the device's manifest; TidyTests compare them.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

let system: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let nio: [Target.Dependency] = ["NIOCore", "NIOPosix"].map { .product(name: $0, package: "swift-nio") }
let http2: [Target.Dependency] = ["NIOHTTP2", "NIOHPACK"].map { .product(name: $0, package: "swift-nio-http2") }
let ssl: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let tls: Target.Dependency = .product(name: "NIOTLS", package: "swift-nio")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let certificates: [Target.Dependency] = [
    .product(name: "X509", package: "swift-certificates"), .product(name: "SwiftASN1", package: "swift-asn1"),
]
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")

let package = Package(
    name: "greenroom-gateway",
    products: [.executable(name: "greenroom-pushgate", targets: ["greenroom-pushgate"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        .target(name: "Model", path: "Shared/Model"),
        .target(name: "Wire", path: "Shared/Wire"),
        .target(name: "CLinux", path: "Shared/CLinux"),
        .target(name: "LinuxSystem", dependencies: ["CLinux", system], path: "Shared/LinuxSystem"),
        .target(name: "PushLink", dependencies: ["Wire", "Model"], path: "Shared/PushLink"),
        .target(name: "PushPayload", dependencies: ["Wire"], path: "Shared/PushPayload"),
        .target(name: "PushCore", dependencies: ["PushLink", "PushPayload", "Wire", "Model"], path: "Shared/PushCore"),
        .target(name: "TestPace", dependencies: ["LinuxSystem"], path: "Shared/TestPace"),
        .target(name: "ServiceTesting", dependencies: ["LinuxSystem", "Wire"], path: "Shared/ServiceTesting"),

        // NATS's client for C, typed. Only the gateway of a fleet uses it.
        .systemLibrary(name: "CNATS", pkgConfig: "libnats", providers: [.apt(["libnats-dev"])]),
        .target(name: "NATSClient", dependencies: ["CNATS", "Wire", "Model"]),
        .target(
            name: "PushGateway",
            dependencies: [
                "PushCore", "PushLink", "NATSClient", "LinuxSystem", "Wire", "Model", grdb, system, argumentParser, ssl,
                tls, crypto, logging, lifecycle,
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ] + nio + http2 + certificates),
        .executableTarget(name: "greenroom-pushgate", dependencies: ["PushGateway"]),
        // Sends to a gateway, receives from it, and is the least that a server can do: what make bench-push measures with.
        .executableTarget(
            name: "greenroom-bench-push",
            dependencies: ["PushLink", "LinuxSystem", "Wire", "Model", argumentParser, ssl, tls, crypto] + nio + http2,
            path: "Benchmarks/push/Tool"),

        // A gateway in the test's process, clients over TLS, and the program itself.
        .testTarget(
            name: "PushGatewayTests",
            dependencies: [
                "PushGateway", "PushCore", "PushLink", "ServiceTesting", "TestPace", "LinuxSystem", "Wire", "Model",
                "greenroom-pushgate", grdb, ssl, crypto, logging, lifecycle,
            ] + nio + http2 + certificates),
        // With servers of NATS of their own, where that is installed.
        .testTarget(
            name: "PushGatewayNATSTests",
            dependencies: [
                "TestPace", "PushGateway", "PushCore", "PushLink", "NATSClient", "ServiceTesting", "LinuxSystem",
                "Wire",
                "Model", "greenroom-pushgate", logging,
            ] + nio),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = (target.swiftSettings ?? []) + settings
}
