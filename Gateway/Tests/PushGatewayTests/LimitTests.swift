import Foundation
import GRDB
import LinuxSystem
import Model
import PushCore
import PushGateway
import PushLink
import Testing
import Wire

@Suite("Limits, and what goes wrong in the gateway")
struct LimitTests {
    private func payload(_ bytes: Int) -> String {
        let (start, end) = (#"{"aps":{"alert":""#, #""}}"#)
        return start + String(repeating: "a", count: bytes - start.utf8.count - end.utf8.count) + end
    }

    @Test("A payload has 4,096 bytes at most, and 5,120 for a call")
    func payloadTooLarge() async throws {
        try await Scene.with { scene in
            #expect(try await scene.push(payload: payload(4096)).status == 200)
            #expect(try await scene.device.push().payload == payload(4096))
            for bytes in [4097, 5120, 5121, 20_000, 65_535, 65_536, 400_000] {
                try await scene.refused(.payloadTooLarge, payload: payload(bytes))
            }
            let topic = TestGateway.topic + ".voip"
            let token = try await scene.device.register(topic)
            for more in [[("apns-push-type", "voip")], []] {
                let answer = try await scene.provider.push(token, scene.bearer, topic: topic, more, payload(5120))
                #expect(answer.status == 200)
                #expect(try await scene.device.push().payload == payload(5120))
                try await scene.provider.push(token, scene.bearer, topic: topic, more, payload(5121))
                    .expect(.payloadTooLarge, id: nil)
            }
        }
    }

    @Test("A payload that comes in pieces, padded or not, is one payload")
    func pieces() async throws {
        try await Scene.with { scene in
            let client = try await FrameClient.connect(to: scene.gateway)
            let bytes = Array(payload(4096).utf8)
            // What the client may send, on each stream and (0) on all together.
            var windows = [0: 65_535]
            for (index, (size, padding)) in ([(1, nil), (7, 255), (100, 0)] as [(Int, UInt8?)]).enumerated() {
                let stream = 2 * index + 1
                try client.headers(scene.provider.fields(scene.token, scene.bearer), on: stream)
                windows[stream] = 65_535
                for start in stride(from: 0, to: bytes.count, by: size) {
                    let end = min(start + size, bytes.count)
                    let cost = end - start + (padding.map { Int($0) + 1 } ?? 0)
                    // Padding needs leave as well, so the gateway has to give more for it.
                    for window in [0, stream] {
                        while windows[window, default: 0] < cost {
                            let frame = try await client.frame(.windowUpdate)
                            windows[frame.stream, default: 0] += frame.word
                        }
                        windows[window, default: 0] -= cost
                    }
                    client.data(Array(bytes[start..<end]), on: stream, end: end == bytes.count, padding: padding)
                }
                #expect(try await client.answer(to: stream).status == 200)
                #expect(try await scene.device.push().payload == payload(4096))
            }
        }
    }

    @Test("A body without an end is answered after a megabyte, and the connection goes on")
    func endless() async throws {
        try await Scene.with { scene in
            let stream = try await scene.provider.open(
                scene.provider.fields(scene.token, scene.bearer, [("apns-id", Scene.id)]))
            let part = [UInt8](repeating: 97, count: 16_384)
            for _ in 0..<80 { scene.provider.send(part, on: stream, end: false) }
            try await scene.provider.answer(to: stream).expect(.payloadTooLarge)
            #expect(try await scene.push().status == 200)
        }
    }

    @Test("Requests for one token beyond its budget are too many; for other tokens they are not")
    func tooManyRequests() async throws {
        try await Scene.with({ settings in
            settings.rules.requestBurst = 3
            settings.rules.requestsPerSecond = 0
        }) { scene in
            for _ in 0..<3 { #expect(try await scene.push().status == 200) }
            try await scene.refused(.tooManyRequests)
            // Not by another connection either.
            let another = try await ProviderClient.connect(to: scene.gateway)
            try await another.push(scene.token, scene.bearer).expect(.tooManyRequests, id: nil)
            let other = try await scene.device.register("com.example.other")
            #expect(try await another.push(other, scene.bearer, topic: "com.example.other").status == 200)
        }
    }

    private func sql(_ scene: Scene, _ sql: String) throws {
        let queue = try DatabaseQueue(path: scene.gateway.folder.database)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    @Test("A message that cannot be written is an internal error, and /healthz says so until it can")
    func internalServerError() async throws {
        try await Scene.with { scene in
            try await scene.device.close()
            try sql(scene, "ALTER TABLE messages RENAME TO elsewhere")
            try await scene.refused(.internalServerError)
            let sick = try await scene.gateway.get("/healthz")
            #expect(sick.status == 503 && sick.text.contains("cannot be written"))
            #expect(try await health(scene.provider).status == 503)
            try sql(scene, "ALTER TABLE elsewhere RENAME TO messages")
            #expect(try await scene.push().status == 200)
            #expect(try await scene.gateway.get("/healthz").status == 200)
            #expect(try await health(scene.provider).status == 200)
        }
    }

    private func health(_ provider: ProviderClient) async throws -> Answer {
        let stream = try await provider.open(
            [(":method", "GET"), (":scheme", "https"), (":path", "/healthz"), (":authority", "localhost")], end: true)
        return try await provider.answer(to: stream)
    }

    @Test("A store that is full makes the service unavailable; what is delivered now or never needs none")
    func serviceUnavailable() async throws {
        try await Scene.with({ $0.storeLimit = 1 }) { scene in
            try await scene.device.close()
            try await scene.refused(.serviceUnavailable)
            #expect(try await scene.push([("apns-expiration", "0")]).status == 200)
        }
    }

    @Test("A request that comes while the gateway ends is told so, and one that is under way is answered")
    func shutdown() async throws {
        try await Scene.with { scene in
            let client = try await FrameClient.connect(to: scene.gateway)
            let (fields, bytes) = (scene.provider.fields(scene.token, scene.bearer), Array(ProviderClient.alert.utf8))
            try client.headers(fields, on: 1)
            client.data(Array(bytes.prefix(5)), on: 1, end: false)
            var last = 1
            func push() async throws -> Answer {
                last += 2
                try client.headers(fields + [("apns-id", Scene.id)], on: last)
                client.data(bytes, on: last)
                return try await client.answer(to: last)
            }
            // Answered, so the one before is known to have come.
            #expect(try await push().status == 200)
            let end = Task { try await scene.gateway.end() }
            var answer = try await push()
            while answer.status == 200 { answer = try await push() }
            answer.expect(.shutdown)
            client.data(Array(bytes.dropFirst(5)), on: 1)
            #expect(try await client.answer(to: 1).status == 200)
            let away = try await client.goAway()
            #expect(away.last == last && away.code == 0 && away.text == #"{"reason":"Shutdown"}"#)
            try await client.closed()
            try await end.value
        }
    }

    // MARK: Registrations that ended

    @Test("A token whose app has gone is unregistered, with the time since when")
    func unregistered() async throws {
        try await Scene.with { scene in
            let before = Int(Clock.wall() / 1_000_000)
            try await scene.device.unregister()
            let answer = try await scene.push([("apns-id", Scene.id)])
            answer.expect(.unregistered)
            let timestamp = try #require(answer.timestamp)
            #expect(timestamp >= before && timestamp <= Int(Clock.wall() / 1_000_000))
            // Registered again, it has another token; the old one stays what it is.
            let token = try await scene.device.register()
            #expect(token != scene.token)
            try await scene.push().expect(.unregistered, id: nil, timestamp: timestamp)
            #expect(try await scene.provider.push(token, scene.bearer).status == 200)
        }
    }

    @Test("A device that has not been seen for too long has no token any more, and the answer says since when")
    func expiredToken() async throws {
        try await Scene.with({ $0.rules.deviceLifetime = .zero }) { scene in
            let seen = Int(Clock.wall() / 1_000_000)
            try await scene.device.close()
            let answer = try await until(scene) { $0.status == 410 }
            answer.expect(.expiredToken, id: nil)
            let timestamp = try #require(answer.timestamp)
            #expect(abs(timestamp - seen) < 60_000)
        }
    }

    /// The gateway hears of a closed connection after the device has closed it.
    private func until(_ scene: Scene, _ isEnough: (Answer) -> Bool) async throws -> Answer {
        let end = Clock.monotonic() + 30_000_000_000
        while true {
            let answer = try await scene.push()
            if isEnough(answer) || Clock.monotonic() > end { return answer }
        }
    }
}
