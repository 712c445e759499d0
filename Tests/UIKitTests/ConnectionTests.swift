import AppRuntime
import Testing
import UIKit
import Wire

extension UIKitTests {
    @Suite("Connection")
    @MainActor
    struct ConnectionTests {
        private func start(
            _ environment: LaunchEnvironment, delegate: AnyClass = Recorder.self
        ) throws -> (UIApplication, Recorder?) {
            let application = try ApplicationLauncher.start(
                principal: UIApplication.self, delegate: delegate, environment)
            return (application, application.delegate as? Recorder)
        }

        @Test("The app greets first, and answers callbacks one after another in their order")
        func order() async throws {
            let (daemon, environment) = try FakeDaemon.pair()
            let (application, recorder) = try start(environment)
            defer { application.connection?.stop() }
            guard case .request(.int(1), "hello", let params) = try await daemon.next() else {
                Issue.record("no hello")
                return
            }
            #expect(params["protocol"] == 1)
            #expect(params.object?["executed"] == JSONValue.null)
            #expect(try params.string("client").contains("/"))
            // Callbacks may come before the answer to hello has been read.
            daemon.send(
                .response(id: .int(1), result: ["options": ["multitasking": false]]),
                FakeDaemon.callback(1, .willFinishLaunching, ["state": "inactive"]),
                FakeDaemon.callback(2, .didFinishLaunching, ["state": "inactive"]),
                FakeDaemon.callback(3, .didBecomeActive))
            for seq in 1...3 { #expect(try await daemon.next() == .response(id: .int(Int64(seq)), result: [:])) }
            #expect(
                recorder?.events == [
                    "willFinishLaunching inactive", "didFinishLaunching inactive", "didBecomeActive active",
                ])
            #expect(!UIDevice.current.isMultitaskingSupported)
            daemon.call(4, .openURL, ["url": "test://x", "sourceApplication": "a.b"])
            #expect(try await daemon.next() == .response(id: .int(4), result: ["handled": true]))
        }

        @Test("A message in single bytes is a message")
        func singleBytes() async throws {
            let (daemon, environment) = try FakeDaemon.pair()
            let (application, _) = try start(environment)
            defer { application.connection?.stop() }
            try await daemon.greet()
            for byte in FakeDaemon.callback(1, .didBecomeActive).encoded() { daemon.send([byte]) }
            #expect(try await daemon.next() == .response(id: .int(1), result: [:]))
        }

        @Test("A repetition is answered with the same result and does not reach the delegate")
        func repetition() async throws {
            let (daemon, environment) = try FakeDaemon.pair()
            let (application, recorder) = try start(environment)
            defer { application.connection?.stop() }
            try await daemon.greet()
            daemon.call(1, .openURL, ["url": "test://x"])
            #expect(try await daemon.next() == .response(id: .int(1), result: ["handled": true]))
            for seq in 2...16 {
                daemon.call(Int64(seq), .didBecomeActive)
                #expect(try await daemon.next() == .response(id: .int(Int64(seq)), result: [:]))
            }
            daemon.call(1, .openURL, ["url": "test://x"])
            #expect(try await daemon.next() == .response(id: .int(1), result: ["handled": true]))
            #expect(recorder?.openedURLs.count == 1)
            #expect(recorder?.events.count == 16)
        }

        @Test("A ping is answered from the main thread, behind what runs there")
        func ping() async throws {
            let (daemon, environment) = try FakeDaemon.pair()
            let (application, _) = try start(environment)
            defer { application.connection?.stop() }
            try await daemon.greet()
            daemon.send(
                FakeDaemon.callback(1, .didBecomeActive),
                .request(id: .string("ping-7"), method: "ping", params: .null))
            #expect(try await daemon.next() == .response(id: .int(1), result: [:]))
            #expect(try await daemon.next() == .response(id: .string("ping-7"), result: [:]))
        }

        @Test("What is no callback is answered with an error, and the next callback still works")
        func nonsense() async throws {
            let (daemon, environment) = try FakeDaemon.pair()
            let (application, recorder) = try start(environment)
            defer { application.connection?.stop() }
            try await daemon.greet()
            let cases: [(RPCMessage, RPCError.Code)] = [
                (.request(id: .int(1), method: "didExplode", params: ["seq": 1]), .methodNotFound),
                (.request(id: .int(1), method: "didBecomeActive", params: [:]), .invalidParams),
                (.request(id: .int(1), method: "didBecomeActive", params: ["seq": 2]), .invalidParams),
            ]
            for (message, code) in cases {
                daemon.send(message)
                guard case .failure(.int(1), let error) = try await daemon.next() else {
                    Issue.record("no error for \(message)")
                    return
                }
                #expect(error.code == code)
            }
            daemon.send(Array("rubbish\n".utf8))
            guard case .failure(nil, let error) = try await daemon.next() else {
                Issue.record("no error for rubbish")
                return
            }
            #expect(error.code == .parseError)
            daemon.send(.notification(method: "whatever", params: .null), FakeDaemon.callback(1, .didBecomeActive))
            #expect(try await daemon.next() == .response(id: .int(1), result: [:]))
            #expect(recorder?.events == ["didBecomeActive active"])
        }

        @Test("After a restart of the daemon the app says what it has executed and takes repetitions")
        func reconnection() async throws {
            let listener = try FakeListener()
            let (first, environment) = try FakeDaemon.pair(socketPath: listener.path)
            let (application, recorder) = try start(environment)
            defer { application.connection?.stop() }
            #expect(try await first.greet() == nil)
            first.call(1, .openURL, ["url": "test://x"])
            #expect(try await first.next() == .response(id: .int(1), result: ["handled": true]))
            first.call(2, .didBecomeActive)
            #expect(try await first.next() == .response(id: .int(2), result: [:]))
            first.hangUp()

            let second = try await listener.accept()
            #expect(try await second.greet() == ["seq": 2, "result": [:]])
            second.call(1, .openURL, ["url": "test://x"])
            second.call(3, .willResignActive)
            #expect(try await second.next() == .response(id: .int(1), result: ["handled": true]))
            #expect(try await second.next() == .response(id: .int(3), result: [:]))
            second.hangUp()

            let third = try await listener.accept()
            #expect(try await third.greet() == ["seq": 3, "result": [:]])
            #expect(recorder?.events == ["open inactive", "didBecomeActive active", "willResignActive active"])
        }

        @Test("A callback that is running when the daemon dies is not called again, and is answered to the new daemon")
        func runningCallback() async throws {
            let listener = try FakeListener()
            let (first, environment) = try FakeDaemon.pair(socketPath: listener.path)
            let reached = AsyncStream<Void>.makeStream()
            let gate = DispatchSemaphore(value: 0)
            let calls = Counter()
            // The main thread is needed by the test: this delegate stands on it only until the gate opens.
            let connection = AppConnection(environment, client: "test/1") { _ in
                calls.value += 1
                reached.continuation.yield()
                gate.wait()
                return ["handled": true]
            }
            connection.start()
            defer { connection.stop() }
            let answer = Task.detached {
                try await first.greet()
                first.call(1, .openURL, ["url": "test://x"])
                for await _ in reached.stream { break }
                first.hangUp()
                let second = try await listener.accept()
                let executed = try await second.greet()
                second.call(1, .openURL, ["url": "test://x"])
                gate.signal()
                return (executed, try await second.next())
            }
            let (executed, message) = try await answer.value
            #expect(executed == nil)
            #expect(message == .response(id: .int(1), result: ["handled": true]))
            #expect(calls.value == 1)
        }

        @Test("A request that was not answered is made again to the new daemon")
        func requests() async throws {
            let listener = try FakeListener()
            let (first, environment) = try FakeDaemon.pair(socketPath: listener.path)
            let (application, _) = try start(environment)
            defer { application.connection?.stop() }
            let url = try #require(URL(string: "other://x"))
            let opened = Task { await application.open(url) }
            try await first.greet()
            guard case .request(let id, "openURL", let params) = try await first.next() else {
                Issue.record("no request")
                return
            }
            #expect(params == ["url": "other://x"])
            first.hangUp()
            let second = try await listener.accept()
            try await second.greet()
            #expect(try await second.next() == .request(id: id, method: "openURL", params: params))
            second.send(.response(id: id, result: ["opened": true]))
            #expect(await opened.value)
        }

        @Test("A URL that no app opens is reported to the completion handler")
        func refusedURL() async throws {
            let (daemon, environment) = try FakeDaemon.pair()
            let (application, _) = try start(environment)
            defer { application.connection?.stop() }
            try await daemon.greet()
            let url = try #require(URL(string: "other://x"))
            let opened = Task { await application.open(url) }
            guard case .request(let id, _, _) = try await daemon.next() else {
                Issue.record("no request")
                return
            }
            daemon.send(.failure(id: id, RPCError(.unknown, "nobody")))
            #expect(await !opened.value)
        }

        @Test("canOpenURL waits for the answer on the main thread")
        func canOpenURL() async throws {
            let (daemon, environment) = try FakeDaemon.pair()
            let (application, _) = try start(environment)
            defer { application.connection?.stop() }
            let url = try #require(URL(string: "other://x"))
            let served = Task.detached {
                try await daemon.greet()
                guard case .request(let id, "canOpenURL", _) = try await daemon.next() else { return false }
                daemon.send(.response(id: id, result: ["canOpen": true]))
                return true
            }
            #expect(application.canOpenURL(url))
            #expect(try await served.value)
        }

        @Test("An app that Greenroom did not start can open nothing")
        func unconnected() async throws {
            let application = UIApplication()
            let url = try #require(URL(string: "other://x"))
            #expect(!application.canOpenURL(url))
            #expect(await !application.open(url))
        }

        @Test("A refusal is told with its reason")
        func refused() async throws {
            let (daemon, environment) = try FakeDaemon.pair()
            let refusals = AsyncStream<(RPCError, Bool)>.makeStream()
            let connection = AppConnection(
                environment, client: "test/1", refused: { refusals.continuation.yield(($0, $1)) },
                handler: { _ in [:] })
            connection.start()
            defer { connection.stop() }
            guard case .request(let id, _, _) = try await daemon.next() else {
                Issue.record("no hello")
                return
            }
            daemon.send(.failure(id: id, RPCError(.invalidRequest, "protocol", data: ["supported": [2]])))
            for await (error, isFirst) in refusals.stream {
                #expect(error.data["supported"] == [2])
                #expect(isFirst)
                break
            }
        }
    }
}

@MainActor
private final class Counter {
    var value = 0
}
