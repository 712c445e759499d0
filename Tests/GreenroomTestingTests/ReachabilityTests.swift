import BackgroundTasks
import GreenroomSwiftUI
import GreenroomSystemConfiguration
import GreenroomTesting
import Synchronization
import Testing
import UIKit

extension TestingTests {
    /// As code of iOS before iOS 12 has it.
    @MainActor
    private final class Reachability {
        private let reachability: SCNetworkReachability
        var heard: [SCNetworkReachabilityFlags] = []
        static let holds = Mutex(0)

        init?() {
            var address = sockaddr_in()
            address.sin_len = UInt8(MemoryLayout.size(ofValue: address))
            address.sin_family = sa_family_t(AF_INET)
            let made = unsafe withUnsafePointer(to: &address) {
                unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe SCNetworkReachabilityCreateWithAddress(nil, $0)
                }
            }
            guard let made else { return nil }
            reachability = made
        }

        var flags: SCNetworkReachabilityFlags {
            var flags = SCNetworkReachabilityFlags()
            #expect(unsafe SCNetworkReachabilityGetFlags(reachability, &flags))
            return flags
        }

        func start() {
            var context = unsafe SCNetworkReachabilityContext(
                version: 0, info: Unmanaged.passUnretained(self).toOpaque(),
                retain: { info in
                    Reachability.holds.withLock { $0 += 1 }
                    return unsafe info
                },
                release: { _ in Reachability.holds.withLock { $0 -= 1 } },
                copyDescription: { _ in unsafe Unmanaged.passRetained(CFString(string: "reachability")) })
            let callback: SCNetworkReachabilityCallBack = { _, flags, info in
                guard let info = unsafe info else { return }
                let me = unsafe Unmanaged<Reachability>.fromOpaque(info).takeUnretainedValue()
                MainActor.assumeIsolated { me.heard.append(flags) }
            }
            #expect(unsafe SCNetworkReachabilitySetCallback(reachability, callback, &context))
            #expect(
                SCNetworkReachabilityScheduleWithRunLoop(
                    reachability, CFRunLoopGetMain(), CFRunLoopMode.commonModes.rawValue))
        }

        func stop() {
            SCNetworkReachabilityUnscheduleFromRunLoop(
                reachability, CFRunLoopGetMain(), CFRunLoopMode.commonModes.rawValue)
            SCNetworkReachabilitySetCallback(reachability, nil, nil)
        }
    }

    @Suite("Reachability")
    @MainActor
    struct ReachabilityTests {
        @Test("The flags follow the device's network, and the callback hears of each change on the main thread")
        func flags() async throws {
            let device = try TestDevice()
            let probe = try device.installProbe()
            try await device.setNetwork(.wifi)
            try await device.open(probe)
            let reachability = try #require(Reachability())
            #expect(reachability.flags == .reachable)
            reachability.start()
            #expect(Reachability.holds.withLock { $0 } == 1)
            try await device.setNetwork(.cellular)
            #expect(reachability.flags == [.reachable, .transientConnection, .isWWAN])
            try await device.setNetwork(.none)
            try await device.setNetwork(.none)
            #expect(reachability.heard == [[.reachable, .transientConnection, .isWWAN], []])
            reachability.stop()
            #expect(Reachability.holds.withLock { $0 } == 0)
            try await device.setNetwork(.wifi)
            #expect(reachability.heard.count == 2)
        }

        @Test("This device is always reached, and what is no address is nothing", arguments: ["localhost", "::1"])
        func local(name: String) throws {
            let here = try #require(unsafe SCNetworkReachabilityCreateWithName(nil, name))
            var flags = SCNetworkReachabilityFlags()
            _ = unsafe SCNetworkReachabilityGetFlags(here, &flags)
            #expect(flags == [.reachable, .isLocalAddress, .isDirect])
            Thread.current.threadDictionary.removeAllObjects()
            #expect(SCError() == kSCStatusOK)
            #expect(unsafe SCNetworkReachabilityCreateWithName(nil, "") == nil)
            #expect(SCError() == kSCStatusInvalidArgument)
            var address = sockaddr()
            address.sa_len = UInt8(MemoryLayout<sockaddr>.size)
            address.sa_family = sa_family_t(AF_UNIX)
            #expect(address.sa_len == 16)
            #expect(unsafe SCNetworkReachabilityCreateWithAddress(nil, &address) == nil)
        }
    }

    /// What the actions did.
    private enum FeedLog {
        static let heard = Mutex<[String]>([])

        static func note(_ word: String) { heard.withLock { $0.append(word) } }
    }

    /// An app of SwiftUI, as far as its scenes say what is done in the background.
    private struct Feed: GreenroomSwiftUI.App {
        var body: some GreenroomSwiftUI.Scene {
            WindowGroup { EmptyView() }
                .backgroundTask(.appRefresh("feed.refresh")) { FeedLog.note("refresh") }
                .backgroundTask(.urlSession("feed.pictures")) { FeedLog.note("pictures") }
                .backgroundTask(.urlSession) { name in FeedLog.note("session \(name)") }
        }
    }

    /// Asks for the scenes when the app has launched, as `App.main()` does.
    private final class FeedDelegate: UIResponder, UIApplicationDelegate {
        private var launch: (any NSObjectProtocol)?

        func application(
            _ application: UIApplication,
            willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            launch = NotificationCenter.default.addObserver(
                forName: UIApplication.didFinishLaunchingNotification, object: nil, queue: nil
            ) { _ in MainActor.assumeIsolated { _ = Feed().body } }
            return true
        }

        isolated deinit { if let launch { NotificationCenter.default.removeObserver(launch) } }
    }

    @Suite("Background tasks of SwiftUI's scenes")
    @MainActor
    struct SceneTaskTests {
        @Test(
            "A scene's action is registered before the launch has ended, runs in the background, and completes the task"
        )
        func tasks() async throws {
            FeedLog.heard.withLock { $0 = [] }
            let device = try TestDevice()
            let feed = try device.install(
                FeedDelegate.self, identifier: "org.example.Feed", backgroundModes: ["fetch"],
                backgroundTasks: ["feed.refresh"])
            try await device.setNetwork(.wifi)
            try await device.open(feed)
            let request = BGAppRefreshTaskRequest(identifier: "feed.refresh")
            try BGTaskScheduler.shared.submit(request)
            try await device.home()
            #expect(feed.state == .suspended)
            try await device.advance(by: .seconds(1800))
            #expect(FeedLog.heard.withLock { $0 } == ["refresh"])
            #expect(feed.state == .suspended && feed.reports.isEmpty)
            try await device.endTransfers(of: feed, session: "feed.pictures")
            try await device.endTransfers(of: feed, session: "feed.films")
            #expect(FeedLog.heard.withLock { $0 } == ["refresh", "pictures", "session feed.films"])
            #expect(feed.reports.isEmpty)
        }
    }
}
