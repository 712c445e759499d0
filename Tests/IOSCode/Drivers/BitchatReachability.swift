import GreenroomTesting
import Testing
import UIKit

@testable import BitchatReachability

final class ChatDelegate: UIResponder, UIApplicationDelegate {
    let monitor = NWPathReachabilityMonitor(debounceInterval: 0.05)

    func application(
        _ application: UIApplication, didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        monitor.start()
        return true
    }
}

@MainActor @Suite("Bitchat's reachability", .simulatedDevice)
struct BitchatReachabilityTests {
    @Test("It tells of a lost network once that has lasted")
    func loses() async throws {
        let device = try TestDevice()
        let app = try device.install(ChatDelegate.self, identifier: "org.example.tried")
        try await device.open(app)
        #expect(app.delegate?.monitor.isReachable == true)
        try await device.setNetwork(.none)
        for _ in 0..<1000 where app.delegate?.monitor.isReachable == true {
            // Nothing tells when what is tried has noticed.
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(app.delegate?.monitor.isReachable == false)
    }
}
