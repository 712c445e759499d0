import AppRuntime
import Glibc
import Synchronization
import UIKit
import Wire

/// What a scenario has the app ask of a service: `use probe.playing`, `leave probe.playing`. Each thing is one line to
/// the service and one back, on a thread of its own.
final class Services: Sendable {
    static let shared = Services()
    private let queue = DispatchQueue(label: "services")
    private let streams = Mutex<[String: CInt]>([:])
    /// What it was woken for, and has yet to complete.
    @MainActor private static var events: [@Sendable () -> Void] = []

    /// Everything that the probe of the tests has for the app.
    static func register(_ told: @escaping @MainActor @Sendable () -> Void) {
        // It answers the probe nothing.
        ServiceEvents.shared.register("probe", through: { nil }) { _, done in
            MainActor.assumeIsolated {
                events.append { done(.done) }
                told()
            }
        }
    }

    @MainActor static func complete() { if !events.isEmpty { events.removeFirst()() } }

    func perform(_ verb: String, _ part: String) {
        let words = part.split(separator: ".").map(String.init)
        guard words.count == 2 else { return say("cannot \(verb) \(part)") }
        queue.async { [self] in
            let line = "{\"\(verb)\":\"\(words[1])\"}\n"
            // The service may have died since: then once more.
            let answer = exchange(line, with: words[0]) ?? exchange(line, with: words[0])
            say("service \(verb) \(part) \(answer ?? "nobody")")
        }
    }

    private func exchange(_ line: String, with service: String) -> String? {
        let known = streams.withLock { $0[service] }
        guard let stream = known ?? connect(service) else { return nil }
        var answer: [UInt8] = []
        if unsafe send(stream, line, line.utf8.count, Int32(MSG_NOSIGNAL)) == line.utf8.count {
            var byte: UInt8 = 0
            while unsafe recv(stream, &byte, 1, 0) == 1 {
                if byte == 10 { return String(decoding: answer, as: UTF8.self) }
                answer.append(byte)
            }
        }
        close(stream)
        streams.withLock { $0[service] = nil }
        return nil
    }

    private func connect(_ service: String) -> CInt? {
        guard case .success(let stream)? = ServiceConnections.shared.connect(service) else { return nil }
        streams.withLock { $0[service] = stream }
        return stream
    }
}
