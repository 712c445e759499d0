import Foundation
import Testing
import UIKit
import UIKitNetworking

extension UIKitTests {
    @Suite("The cache of answers from the network", .serialized)
    @MainActor
    struct URLCacheTests {
        /// Unchecked: it has nothing of its own.
        private final class Own: URLCache, @unchecked Sendable {}

        private static func request(_ name: String) throws -> URLRequest {
            URLRequest(url: try #require(URL(string: "http://127.0.0.1/\(name)")))
        }

        private func fill(_ cache: URLCache) throws {
            for name in ["first", "second", "first"] {
                let request = try Self.request(name)
                let url = try #require(request.url)
                let response = try #require(
                    HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: [:]))
                cache.storeCachedResponse(
                    CachedURLResponse(response: response, data: Data(count: 50_000)), for: request)
            }
        }

        /// A shared cache of this kind, for as long as the body runs.
        private func with(_ cache: URLCache, _ body: (URLCache) throws -> Void) rethrows {
            let before = URLCache.shared
            URLCache.shared = cache
            defer { URLCache.shared = before }
            try body(cache)
        }

        private func folder() -> String {
            FileManager.default.temporaryDirectory
                .appending(path: "greenroom-answers-\(ProcessInfo.processInfo.globallyUniqueString)").path
        }

        private func free(_ occasion: String) {
            if occasion == "background" { Simulated.background() } else { Simulated.memory(occasion) }
        }

        @Test(
            "It gives up its memory and keeps its disk, also of an answer that was stored twice",
            arguments: ["background", "warning"])
        func freed(occasion: String) throws {
            let folder = folder()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try with(URLCache(memoryCapacity: 1 << 20, diskCapacity: 1 << 24, diskPath: folder)) { cache in
                for _ in 0..<3 {
                    try fill(cache)
                    let disk = cache.currentDiskUsage
                    #expect(cache.currentMemoryUsage > 100_000 && disk > 100_000)
                    free(occasion)
                    #expect(cache.currentMemoryUsage == 0 && cache.currentDiskUsage == disk)
                    #expect(try cache.cachedResponse(for: Self.request("second"))?.data.count == 50_000)
                }
                #expect(!FileManager.default.fileExists(atPath: folder + ".aside"))
            }
        }

        @Test("Without a disk it is emptied, and what a killed process left aside is removed")
        func others() throws {
            try with(URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: "/dev/null/nowhere")) { cache in
                try fill(cache)
                free("warning")
                #expect(cache.currentMemoryUsage == 0)
            }
            let folder = folder()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try with(URLCache(memoryCapacity: 1 << 20, diskCapacity: 1 << 24, diskPath: folder)) { cache in
                try FileManager.default.createDirectory(
                    atPath: folder + ".aside/left", withIntermediateDirectories: true)
                try fill(cache)
                free("background")
                #expect(cache.currentMemoryUsage == 0 && cache.currentDiskUsage > 0)
                #expect(!FileManager.default.fileExists(atPath: folder + ".aside"))
            }
        }

        @Test("A cache of the app's own class keeps what it has")
        func subclass() throws {
            let folder = folder()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try with(Own(memoryCapacity: 1 << 20, diskCapacity: 1 << 24, diskPath: folder)) { cache in
                try fill(cache)
                free("warning")
                #expect(cache.currentMemoryUsage > 100_000 && cache.currentDiskUsage > 100_000)
            }
        }
    }
}
