import GreenroomTesting
import Testing
import UIKit

@testable import NukeCache

final class CacheDelegate: UIResponder, UIApplicationDelegate {
    let cache = Cache<Int, String>(costLimit: 1000, countLimit: 100)
}

@MainActor @Suite("Nuke's memory cache", .simulatedDevice)
struct NukeCacheTests {
    @Test("It gives up most of what it has when the app leaves the screen")
    func trims() async throws {
        let device = try TestDevice()
        let app = try device.install(CacheDelegate.self, identifier: "org.example.tried")
        try await device.open(app)
        try await app.perform { delegate in for i in 0..<50 { delegate.cache.set("\(i)", forKey: i, cost: 1) } }
        #expect(app.delegate?.cache.totalCount == 50)
        try await device.home()
        #expect(app.delegate?.cache.totalCount == 10)
    }
}
