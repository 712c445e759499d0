import AppRuntime
import Dispatch
import Glibc
import Synchronization
import Testing
import UIKit
import UIKitNetworking
import Wire

extension UIKitTests {
    @Suite("Background transfers in an app")
    struct TransferTests {
        @Test("A file that imports UIKit alone has background sessions, and a delegate protocol like Apple's")
        func importing() {
            let delegate = Downloads()
            let configuration = URLSessionConfiguration.background(withIdentifier: "io.objc.backgroundTransferExample")
            configuration.client = TransferClient()
            let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: .main)
            #expect(session.configuration.identifier == "io.objc.backgroundTransferExample")
            #expect(String(describing: type(of: session)) == "BackgroundURLSession")
            (delegate as AnyObject as? any URLSessionBackgroundDelegate)?.urlSessionDidFinishEvents(
                forBackgroundURLSession: session)
            #expect(delegate.calls.withLock { $0 } == 1)
        }

        @Test("A descriptor that comes with an answer reaches who asked, whatever else comes between")
        func descriptor() async throws {
            let (daemon, environment) = try FakeDaemon.pair()
            let connection = AppConnection(environment, client: "test/1") { _ in [:] }
            connection.start()
            defer { connection.stop() }
            try await daemon.greet()
            var ends: [CInt] = [-1, -1]
            try #require(unsafe pipe(&ends) == 0)
            defer { for end in ends { close(end) } }

            async let refused = ask(connection)
            guard case .request(let first, "connect", _) = try await daemon.next() else {
                Issue.record("the app did not ask")
                return
            }
            daemon.send(.failure(id: first, RPCError(.refused, "not now")))
            #expect(await refused == nil)

            async let given = ask(connection)
            guard case .request(let second, "connect", _) = try await daemon.next() else {
                Issue.record("the app did not ask again")
                return
            }
            daemon.send(.response(id: second, result: [:]), with: ends[1])
            let number = try #require(await given)
            defer { close(number) }
            #expect(unsafe write(number, "x", 1) == 1)
            var byte: UInt8 = 0
            #expect(unsafe read(ends[0], &byte, 1) == 1)
            #expect(byte == UInt8(ascii: "x"))
        }

        private func ask(_ connection: AppConnection) async -> CInt? {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    let answer = connection.requestDescriptor(.connect, ["service": "transfers"], seconds: 20)
                    continuation.resume(returning: answer.flatMap { try? $0.get() })
                }
            }
        }
    }
}

private final class Downloads: NSObject, URLSessionDownloadDelegate {
    let calls = Mutex(0)

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {}

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { calls.withLock { $0 += 1 } }
}
