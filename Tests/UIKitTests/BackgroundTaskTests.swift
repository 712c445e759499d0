import AppRuntime
import Foundation
import Synchronization
import Testing
import UIKit
import Wire

private let mainQueueKey: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
}()

/// In tests no thread is the main thread; the main queue is the main actor's all the same.
private nonisolated func isOnMainQueue() -> Bool { DispatchQueue.getSpecific(key: mainQueueKey) ?? false }

extension UIKitTests {
    @Suite("Background tasks")
    @MainActor
    struct BackgroundTaskTests {
        /// What handlers and activities told, from any thread, in their order.
        private final class Heard: Sendable {
            let stream: AsyncStream<String>
            private let continuation: AsyncStream<String>.Continuation

            init() { (stream, continuation) = AsyncStream.makeStream() }

            func say(_ text: String) { continuation.yield(text) }

            func next() async -> String? {
                for await text in stream { return text }
                return nil
            }
        }

        private func start(
            _ options: JSONValue = ["expirationHandlersOnMainThread": true, "multitasking": true]
        ) async throws -> (FakeDaemon, UIApplication) {
            let (daemon, environment) = try FakeDaemon.pair()
            let application = try ApplicationLauncher.start(
                principal: UIApplication.self, delegate: Recorder.self, environment)
            try await daemon.greet(["protocol": 1, "options": options])
            // Once a callback is answered the greeting has been read.
            daemon.call(1, .didBecomeActive)
            _ = try await daemon.next()
            return (daemon, application)
        }

        private func expectRequest(
            _ daemon: FakeDaemon, _ method: String, _ params: JSONValue,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws -> RPCID {
            guard case .request(let id, let found, let given) = try await daemon.next() else {
                throw CocoaError(.featureUnsupported)
            }
            #expect(found == method, sourceLocation: sourceLocation)
            #expect(given == params, sourceLocation: sourceLocation)
            return id
        }

        private func expire(_ daemon: FakeDaemon, _ tasks: [JSONValue], round: Int64) {
            daemon.send(
                .notification(
                    method: "tasksExpire",
                    params: ["tasks": .array(tasks), "round": .int(round), "remaining": 5.0]))
        }

        @Test("A task is named at once, and the system hears of its begin and its end")
        func beginAndEnd() async throws {
            let (daemon, application) = try await start()
            defer { application.connection?.stop() }
            let first = application.beginBackgroundTask(withName: "upload")
            let second = application.beginBackgroundTask()
            #expect(first.rawValue == 1)
            #expect(second.rawValue == 2)
            let id = try await expectRequest(daemon, "beginTask", ["task": 1, "name": "upload"])
            daemon.send(.response(id: id, result: ["remaining": .null]))
            _ = try await expectRequest(daemon, "beginTask", ["task": 2])
            application.endBackgroundTask(first)
            _ = try await expectRequest(daemon, "endTask", ["task": 1])
        }

        @Test("An end of what is none is told as one")
        func stray() async throws {
            let (daemon, application) = try await start()
            defer { application.connection?.stop() }
            application.endBackgroundTask(.invalid)
            _ = try await expectRequest(daemon, "endTask", ["task": 0])
            application.endBackgroundTask(UIBackgroundTaskIdentifier(rawValue: 7))
            _ = try await expectRequest(daemon, "endTask", ["task": 0])
        }

        @Test("A handler that ends all tasks does not end the app's time before the other handlers were called")
        func endOfAll() async throws {
            let (daemon, application) = try await start()
            defer { application.connection?.stop() }
            _ = application.beginBackgroundTask {
                for task in 1...2 { application.endBackgroundTask(UIBackgroundTaskIdentifier(rawValue: task)) }
            }
            _ = application.beginBackgroundTask { application.refreshSnapshot() }
            for task in 1...2 { _ = try await expectRequest(daemon, "beginTask", ["task": .int(Int64(task))]) }
            expire(daemon, [1, 2], round: 1)
            _ = try await expectRequest(daemon, "endTask", ["task": 1])
            _ = try await expectRequest(daemon, "refreshSnapshot", [:])
            _ = try await expectRequest(daemon, "endTask", ["task": 2])
        }

        @Test("A name of more than 256 bytes is cut at a character")
        func longName() async throws {
            let (daemon, application) = try await start()
            defer { application.connection?.stop() }
            _ = application.beginBackgroundTask(withName: String(repeating: "é", count: 129))
            _ = try await expectRequest(
                daemon, "beginTask", ["task": 1, "name": .string(String(repeating: "é", count: 128))])
        }

        @Test("Handlers run on the main thread, once a round, and not for what has ended")
        func expiration() async throws {
            let (daemon, application) = try await start()
            defer { application.connection?.stop() }
            let heard = Heard()
            let tasks = ["one", "two", "three"].map { (name: String) in
                application.beginBackgroundTask(withName: name) { heard.say("\(name) \(isOnMainQueue())") }
            }
            application.endBackgroundTask(tasks[1])
            expire(daemon, [1, 2, 3], round: 1)
            expire(daemon, [1, 2, 3], round: 1)
            expire(daemon, [3], round: 2)
            var told: [String?] = []
            for _ in 0..<3 { told.append(await heard.next()) }
            #expect(told == ["one true", "three true", "three true"])
        }

        @Test("On a device of 2010 handlers run on another thread, whatever the main thread does")
        func otherThread() async throws {
            let (daemon, application) = try await start(["expirationHandlersOnMainThread": false])
            defer { application.connection?.stop() }
            let isCalled = DispatchSemaphore(value: 0)
            let task = application.beginBackgroundTask {
                if !isOnMainQueue() { isCalled.signal() }
            }
            expire(daemon, [.int(Int64(task.rawValue))], round: 1)
            // The main thread waits here.
            #expect(wait(isCalled))
        }

        private func wait(_ semaphore: DispatchSemaphore) -> Bool { semaphore.wait(timeout: .now() + 60) == .success }

        @Test("After the handlers nothing is granted before the app is back on screen")
        func invalid() async throws {
            let (daemon, application) = try await start()
            defer { application.connection?.stop() }
            let heard = Heard()
            _ = application.beginBackgroundTask { heard.say("expired") }
            expire(daemon, [1], round: 1)
            #expect(await heard.next() == "expired")
            #expect(application.beginBackgroundTask { heard.say("never") } == .invalid)
            _ = try await daemon.next()
            daemon.call(2, .willEnterForeground)
            _ = try await daemon.next()
            #expect(application.beginBackgroundTask().rawValue == 2)
        }

        @Test("A task that the system refuses expires")
        func refused() async throws {
            let (daemon, application) = try await start()
            defer { application.connection?.stop() }
            let heard = Heard()
            #expect(application.beginBackgroundTask { heard.say("expired") } != .invalid)
            let id = try await expectRequest(daemon, "beginTask", ["task": 1])
            daemon.send(.failure(id: id, RPCError(.refused, "too late")))
            #expect(await heard.next() == "expired")
            #expect(application.beginBackgroundTask() == .invalid)
        }

        @Test("Without multitasking, and without a system, no task is granted")
        func nobody() async throws {
            let (_, application) = try await start(["multitasking": false])
            defer { application.connection?.stop() }
            #expect(application.beginBackgroundTask() == .invalid)
            #expect(UIApplication().beginBackgroundTask() == .invalid)
        }

        @Test("The remaining time is the system's answer, on any thread; without a task nothing is asked")
        func remaining() async throws {
            let (daemon, application) = try await start()
            defer { application.connection?.stop() }
            #expect(application.backgroundTimeRemaining == .greatestFiniteMagnitude)
            let task = application.beginBackgroundTask()
            _ = try await daemon.next()
            let served = Task.detached {
                for answer in [12.5, JSONValue.null] {
                    guard case .request(let id, "backgroundTime", _) = try await daemon.next() else { return false }
                    daemon.send(.response(id: id, result: ["remaining": answer]))
                }
                return true
            }
            #expect(application.backgroundTimeRemaining == 12.5)
            // It blocks its thread, which must be none of the few that tasks share.
            let other = await withCheckedContinuation { continuation in
                DispatchQueue.global().async { continuation.resume(returning: application.backgroundTimeRemaining) }
            }
            #expect(other == .greatestFiniteMagnitude)
            #expect(try await served.value)
            application.endBackgroundTask(task)
        }

        @Test("An expiring activity is a task: it runs, is told when the time is nearly over, and ends")
        func activity() async throws {
            let (daemon, application) = try await start()
            defer { application.connection?.stop() }
            let heard = Heard()
            let mayEnd = DispatchSemaphore(value: 0)
            ProcessInfo.processInfo.performExpiringActivity(withReason: "sync") { isExpiring in
                heard.say("\(isExpiring) \(isOnMainQueue())")
                if isExpiring { mayEnd.signal() } else { mayEnd.wait() }
            }
            _ = try await expectRequest(daemon, "beginTask", ["task": 1, "name": "sync"])
            #expect(await heard.next() == "false false")
            expire(daemon, [1], round: 1)
            #expect(await heard.next() == "true false")
            _ = try await expectRequest(daemon, "endTask", ["task": 1])
        }

        @Test("An expiring activity that cannot be granted is only told so")
        func refusedActivity() async throws {
            let (_, application) = try await start(["multitasking": false])
            defer { application.connection?.stop() }
            let heard = Heard()
            ProcessInfo.processInfo.performExpiringActivity(withReason: "sync") { heard.say("\($0)") }
            #expect(await heard.next() == "true")
        }
    }
}
