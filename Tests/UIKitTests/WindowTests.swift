import AppRuntime
import BackgroundTasks
import Foundation
import Synchronization
import Testing
import UIKit
import Wire

extension UIKitTests {
    /// What the system wakes an app for, on the wire.
    @Suite("What apps are woken for")
    @MainActor
    struct WindowTests {
        final class Reader: UIResponder, UIApplicationDelegate {
            var handlers: [@Sendable (UIBackgroundFetchResult) -> Void] = []
            var sessions: [String] = []

            func application(
                _ application: UIApplication,
                performFetchWithCompletionHandler completionHandler:
                    @escaping @Sendable (UIBackgroundFetchResult)
                    -> Void
            ) { handlers.append(completionHandler) }

            func application(
                _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
                completionHandler: @escaping @Sendable () -> Void
            ) {
                sessions.append(identifier)
                completionHandler()
            }
        }

        /// Says nothing of fetches, as most apps.
        final class Silent: UIResponder, UIApplicationDelegate {}

        private func start(_ delegate: AnyClass = Reader.self) async throws -> (FakeDaemon, UIApplication) {
            let (daemon, environment) = try FakeDaemon.pair()
            let application = try ApplicationLauncher.start(
                principal: UIApplication.self, delegate: delegate, environment)
            try await daemon.greet(["protocol": 1, "options": ["multitasking": true]])
            daemon.call(1, .willEnterForeground)
            _ = try await daemon.next()
            return (daemon, application)
        }

        private func request(_ daemon: FakeDaemon) async throws -> (RPCID, String, JSONValue) {
            while true {
                if case .request(let id, let method, let params) = try await daemon.next() {
                    return (id, method, params)
                }
            }
        }

        @Test("The method returns at once; the completion handler, on any thread, is one request, however often called")
        func fetch() async throws {
            let (daemon, application) = try await start()
            defer { application.connection?.stop() }
            daemon.call(2, .performFetch, ["window": 17])
            guard case .response(.int(2), _) = try await daemon.next() else {
                Issue.record("the callback is not answered")
                return
            }
            let handler = try #require((application.delegate as? Reader)?.handlers.first)
            await Task.detached {
                handler(.noData)
                handler(.newData)
            }.value
            let (id, method, params) = try await request(daemon)
            #expect(method == "complete" && params == ["window": 17, "result": "noData"])
            daemon.send(.response(id: id, result: [:]))
            daemon.call(
                3, .handleEventsForBackgroundURLSession, ["window": 18, "session": "s", "authentication": false])
            let (_, second, done) = try await request(daemon)
            #expect(second == "complete" && done == ["window": 18, "result": "done"])
            #expect((application.delegate as? Reader)?.sessions == ["s"])
        }

        @Test("An app that implements nothing says that there was nothing new")
        func silent() async throws {
            let (daemon, application) = try await start(Silent.self)
            defer { application.connection?.stop() }
            daemon.call(2, .performFetch, ["window": 4])
            let (_, method, params) = try await request(daemon)
            #expect(method == "complete" && params == ["window": 4, "result": "noData"])
        }

        @Test("Intervals are seconds, never is null, and nothing is negative")
        func intervals() async throws {
            let (daemon, application) = try await start()
            defer { application.connection?.stop() }
            let intervals: [(TimeInterval, JSONValue)] = [
                (UIApplication.backgroundFetchIntervalMinimum, .double(0)), (3600, .double(3600)), (-5, .double(0)),
                (UIApplication.backgroundFetchIntervalNever, .null), (.infinity, .null), (.nan, .null),
            ]
            for (interval, expected) in intervals {
                application.setMinimumBackgroundFetchInterval(interval)
                let (_, method, params) = try await request(daemon)
                #expect(method == "setFetchInterval")
                #expect(params["seconds"]?.number == expected.number, "\(interval)")
            }
        }

        @Test("Only tasks that Info.plist names can be registered, and where there is none any")
        func permitted() {
            func isPermitted(_ info: [String: Any]) -> Bool { BGTaskScheduler.isPermitted("a.index", in: info) }
            let key = "BGTaskSchedulerPermittedIdentifiers"
            #expect(isPermitted([:]))
            #expect(isPermitted(["CFBundleIdentifier": "a", key: ["a.sync", "a.index"]]))
            #expect(isPermitted(["CFBundleIdentifier": "a", key: "a.index"]))
            #expect(!isPermitted(["CFBundleIdentifier": "a", key: ["a.sync"]]))
            #expect(isPermitted(["CFBundleIdentifier": "a", key: [7, "a.index"]]))
            #expect(!isPermitted(["CFBundleIdentifier": "a", key: ["": "a.index"]]))
            #expect(!isPermitted(["CFBundleIdentifier": "a"]))
        }

        @Test("A task is launched with its class, hears once that its time is nearly over, and is completed once")
        func task() async throws {
            let heard = Mutex<[String]>([])
            let (daemon, application) = try await start()
            defer { application.connection?.stop() }
            let launched = AsyncStream<BGTask>.makeStream()
            #expect(
                BGTaskScheduler.shared.register(forTaskWithIdentifier: "a.index", using: .global()) { task in
                    task.expirationHandler = { heard.withLock { $0.append("expired") } }
                    launched.continuation.yield(task)
                })
            #expect(!BGTaskScheduler.shared.register(forTaskWithIdentifier: "a.index", using: nil) { _ in })
            daemon.call(2, .launchBackgroundTask, ["window": 9, "identifier": "a.index", "kind": "processing"])
            var tasks = launched.stream.makeAsyncIterator()
            let task = try #require(await tasks.next())
            #expect(task is BGProcessingTask && task.identifier == "a.index")
            for _ in 0..<2 {
                daemon.send(.notification(method: "windowExpires", params: ["window": 9, "remaining": 5.0]))
            }
            // Behind the notifications; the handler is called on the main queue before this is answered.
            daemon.send(.request(id: .string("ping-1"), method: "ping", params: .null))
            while true {
                if case .response(.string("ping-1"), _) = try await daemon.next() { break }
            }
            #expect(heard.withLock { $0 } == ["expired"])
            task.setTaskCompleted(success: false)
            task.setTaskCompleted(success: true)
            let (_, method, params) = try await request(daemon)
            #expect(method == "complete" && params == ["window": 9, "result": "failed"])
        }

        @Test("A task for which nobody is registered is given up")
        func unregistered() async throws {
            let (daemon, application) = try await start()
            defer { application.connection?.stop() }
            daemon.call(2, .launchBackgroundTask, ["window": 9, "identifier": "nobody", "kind": "refresh"])
            let (_, method, params) = try await request(daemon)
            #expect(method == "complete" && params == ["window": 9, "result": "failed"])
        }
    }
}
