import AppRuntime
import Foundation
import Glibc
import NotificationsWire
import Testing
import UserNotifications
import Wire

@Suite("A notification service extension", .timeLimit(.minutes(1)))
struct ExtensionTests {
    private final class Loud: UNNotificationServiceExtension {
        // As Apple's template has it.
        var contentHandler: ((UNNotificationContent) -> Void)?
        var best: UNMutableNotificationContent?

        override func didReceive(
            _ request: UNNotificationRequest,
            withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
        ) {
            self.contentHandler = contentHandler
            best = request.content.mutableCopy() as? UNMutableNotificationContent
            best?.title += "!"
            if request.identifier != "slow", let best { contentHandler(best) }
        }

        override func serviceExtensionTimeWillExpire() {
            if let contentHandler, let best { contentHandler(best) }
        }
    }

    /// The service's ends.
    private struct Streams {
        let input: OwnedDescriptor
        let output: OwnedDescriptor
        let ended = Bell<Bool>()

        init(_ type: UNNotificationServiceExtension.Type) throws {
            var (to, from): ([CInt], [CInt]) = ([-1, -1], [-1, -1])
            try #require(unsafe pipe(&to) == 0 && pipe(&from) == 0)
            input = OwnedDescriptor(to[1])
            output = OwnedDescriptor(from[0])
            let bell = ended
            ExtensionHost(type, input: OwnedDescriptor(to[0]), output: OwnedDescriptor(from[1])) { bell.ring(true) }
                .start()
        }

        func say(_ message: RPCMessage) {
            let bytes = message.encoded()
            _ = unsafe write(input.number, bytes, bytes.count)
        }

        func ask(_ id: Int64, _ identifier: String) {
            let request = NotificationRequestInfo(
                identifier: identifier, content: NotificationContentInfo(title: "News", userInfo: "{\"aps\":{}}"),
                trigger: .push)
            say(.request(id: .int(id), method: "mutate", params: NotificationRequestParameters(request: request).json))
        }

        func hear() async throws -> RPCMessage {
            let number = output.number
            let line = await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    var line: [UInt8] = []
                    var byte: UInt8 = 0
                    while unsafe read(number, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
                    continuation.resume(returning: line)
                }
            }
            return try RPCMessage.parse(line)
        }

        func title() async throws -> (RPCID, String) {
            guard case .response(let id, let result) = try await hear() else { return (.int(0), "") }
            return (id, try NotificationMutated(json: result).content.title)
        }
    }

    @Test("It changes what is shown, and gives the best that it has when its time is almost over")
    func changes() async throws {
        let streams = try Streams(Loud.self)
        streams.ask(1, "slow")
        streams.ask(2, "quick")
        #expect(try await streams.title() == (.int(2), "News!"))
        streams.say(.notification(method: "expires", params: .null))
        #expect(try await streams.title() == (.int(1), "News!"))
        // One answer is enough, however often it is called.
        streams.say(.notification(method: "expires", params: .null))
        streams.ask(3, "quick")
        #expect(try await streams.title() == (.int(3), "News!"))
    }

    @Test("One that changes nothing shows the original, and other requests are refused")
    func original() async throws {
        let streams = try Streams(UNNotificationServiceExtension.self)
        streams.ask(1, "a")
        #expect(try await streams.title() == (.int(1), "News"))
        streams.say(.request(id: .int(2), method: "sing", params: .null))
        #expect(try await streams.hear() == .failure(id: .int(2), .methodNotFound("sing")))
        streams.say(.request(id: .int(3), method: "mutate", params: [:]))
        guard case .failure(.int(3), _) = try await streams.hear() else {
            Issue.record("a request without a request is answered")
            return
        }
    }

    @Test("It ends when the service does")
    func ends() async throws {
        var streams: Streams? = try Streams(Loud.self)
        let ended = try #require(streams).ended
        streams = nil
        #expect(await ended.first(1) == [true])
    }
}
