package import AppRuntime
internal import Dispatch
internal import Foundation
internal import Glibc
internal import NotificationsWire
internal import Synchronization
internal import Wire

/// A notification service extension's end of its streams: the service asks it for what is shown in place of a push.
package final class ExtensionHost: Sendable {
    /// What is being changed, by the service's number for it.
    // Used on the main thread only.
    @MainActor private var extensions: [RPCID: UNNotificationServiceExtension] = [:]
    private let type: UNNotificationServiceExtension.Type
    private let input: OwnedDescriptor
    private let output: OwnedDescriptor
    private let writing = Mutex(())
    private let ended: @Sendable () -> Void

    /// - Parameter ended: called when the service needs it no more.
    package init(
        _ type: UNNotificationServiceExtension.Type, input: OwnedDescriptor, output: OwnedDescriptor,
        ended: @escaping @Sendable () -> Void
    ) {
        self.type = type
        self.input = input
        self.output = output
        self.ended = ended
    }

    static func serveStandardStreams(_ type: UNNotificationServiceExtension.Type) {
        let (input, output) = (OwnedDescriptor(dup(STDIN_FILENO)), OwnedDescriptor(dup(STDOUT_FILENO)))
        // What the extension prints must not get among its answers.
        dup2(STDERR_FILENO, STDOUT_FILENO)
        ExtensionHost(type, input: input, output: output) { exit(0) }.start()
    }

    package func start() { Thread.detachNewThread { self.read() } }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        var framer = LineFramer()
        while true {
            let count = unsafe Glibc.read(input.number, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            framer.append(buffer.span.extracting(0..<count))
            do throws(WireError) {
                while let line = try framer.next() { hear(line) }
            } catch {
                break
            }
        }
        ended()
    }

    private func hear(_ line: [UInt8]) {
        do throws(RPCParseError) {
            switch try RPCMessage.parse(line, limits: .answer) {
            case .request(let id, NotificationHelperMessage.mutate.rawValue, let params):
                onMain { self.mutate(id, params) }
            case .request(let id, let method, _): send(.failure(id: id, .methodNotFound(method)))
            case .notification(NotificationHelperMessage.expires.rawValue, _):
                onMain { for one in self.extensions.values { one.serviceExtensionTimeWillExpire() } }
            case .notification, .response, .failure: break
            }
        } catch {
            send(error.answer)
        }
    }

    private func onMain(_ body: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.async { MainActor.assumeIsolated(body) }
    }

    @MainActor private func mutate(_ id: RPCID, _ params: JSONValue) {
        let request: UNNotificationRequest
        do throws(RPCError) {
            request = UNNotificationRequest(try NotificationRequestParameters(json: params).request)
        } catch {
            return send(.failure(id: id, error))
        }
        let answer = Once<UNNotificationContent>(otherwise: request.content) { content in
            // What cannot be said is not shown: the original is.
            let info = (try? content.record()) ?? (try? request.content.record()) ?? NotificationContentInfo()
            self.send(.response(id: id, result: NotificationMutated(content: info).json))
            self.onMain { self.extensions[id] = nil }
        }
        let one = type.init()
        extensions[id] = one
        one.didReceive(request) { answer.give($0) }
    }

    private func send(_ message: RPCMessage) {
        let bytes = message.encoded()
        writing.withLock { _ in
            var sent = 0
            while sent < bytes.count {
                let rest = Array(bytes[sent...])
                let count = unsafe write(output.number, rest, rest.count)
                if count > 0 { sent += count } else if errno != EINTR { return }
            }
        }
    }
}
