import GreenroomTesting
import TestPace
import Testing
import UIKit
import UIKitNetworking

extension TestingTests {
    /// Real servers, whose answers come while the device's time stands still.
    @Suite("What is loaded from a server")
    @MainActor
    struct NetworkTests {
        enum Way: CaseIterable { case handler, delegate, task }

        @Test("A fetch has loaded before the device's time goes on", arguments: Way.allCases)
        func loads(_ way: Way) async throws {
            let url = try LoopbackServer().url("news")
            let device = try TestDevice(.linux, virtualizesTime: true)
            let app = try install(device) { app, done in app.load(url, way) { done(.newData) } }
            try await device.open(app)
            try await device.home()
            for count in 1...20 {
                let before = device.date
                try await device.fetch(app)
                #expect(app.delegate?.loaded == Array(repeating: "news", count: count))
                #expect(device.date.timeIntervalSince(before) < 5)
            }
            #expect(app.reports.isEmpty)
        }

        @Test("A server that does not answer is given up: the device goes on, and asking it again takes no time")
        func silent() async throws {
            let url = try LoopbackServer().url("silent")
            let device = try TestDevice(.linux, virtualizesTime: true)
            let app = try install(device) { app, done in app.load(url, .handler) { done(.noData) } }
            try await device.open(app)
            let clock = ContinuousClock()
            let began = clock.now
            for _ in 0..<50 { try await app.perform { $0.load(url, .handler) {} } }
            #expect(clock.now - began < Pace.duration(seconds: 5))
            try await device.home()
            try await device.fetch(app)
            #expect(app.reports.count == 1 && app.delegate == nil)
        }

        @Test("A story waits for what is loaded, and finds a fetch that is not completed for want of an answer")
        func stories() async throws {
            let server = try LoopbackServer()
            func explore(_ words: String, line: Int = #line) async throws -> TestDevice.Finding? {
                let url = try server.url(words)
                let device = try TestDevice(.linux)
                try install(device) { app, done in app.load(url, .handler) { done(.newData) } }
                var exploration = TestDevice.Exploration()
                exploration.stories = 30
                exploration.shrinking = .seconds(5)
                // No hang is looked for, and a busy machine takes its time.
                exploration.patience = .seconds(60)
                return try await device.explore(seed: 7, exploration, line: line)
            }
            let found = try await explore("news")
            #expect(found == nil)
            #expect(try await explore("silent")?.problem == .termination)
        }

        @discardableResult
        private func install(
            _ device: TestDevice,
            onFetch: @escaping (NewsReader, @escaping @Sendable (UIBackgroundFetchResult) -> Void) -> Void
        ) throws -> TestedApp<NewsReader> {
            try device.install(NewsReader.self, identifier: "org.example.News", backgroundModes: ["fetch"]) { app in
                app.onFetch = { [unowned app] done in onFetch(app, done) }
            }
        }
    }

    /// Loads words from a server.
    final class NewsReader: UIResponder, UIApplicationDelegate {
        var loaded: [String] = []
        var onFetch: (@escaping @Sendable (UIBackgroundFetchResult) -> Void) -> Void = { $0(.noData) }

        func load(_ url: URL, _ way: NetworkTests.Way, _ done: @escaping @Sendable () -> Void) {
            let note: @MainActor @Sendable (Data?) -> Void = { [weak self] data in
                if let data { self?.loaded.append(String(decoding: data, as: UTF8.self)) }
                done()
            }
            switch way {
            case .handler:
                URLSession.shared.dataTask(with: url) { data, _, _ in DispatchQueue.main.async { note(data) } }.resume()
            case .delegate:
                URLSession(configuration: .ephemeral, delegate: Listener(note), delegateQueue: .main)
                    .dataTask(with: url).resume()
            case .task: Task { note(try? await URLSession.shared.data(from: url).0) }
            }
        }

        func application(
            _ application: UIApplication,
            performFetchWithCompletionHandler completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void
        ) { onFetch(completionHandler) }
    }

    /// Gives what was loaded. `@unchecked`, since it is called on the main queue alone.
    private final class Listener: NSObject, URLSessionDataDelegate, @unchecked Sendable {
        private let done: @MainActor @Sendable (Data?) -> Void
        private var data = Data()

        init(_ done: @escaping @MainActor @Sendable (Data?) -> Void) { self.done = done }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            self.data += data
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            MainActor.assumeIsolated { done(error == nil ? data : nil) }
            session.finishTasksAndInvalidate()
        }
    }
}
