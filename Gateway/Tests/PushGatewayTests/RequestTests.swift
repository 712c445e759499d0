import Model
import PushCore
import PushGateway
import PushLink
import Testing
import Wire

@Suite("What is wrong with a request")
struct RequestTests {
    @Test("A collapse identifier of 65 bytes, or of none, is a bad one")
    func badCollapseId() async throws {
        try await Scene.with { scene in
            try await scene.refused(.badCollapseId, [("apns-collapse-id", String(repeating: "c", count: 65))])
            try await scene.refused(.badCollapseId, [("apns-collapse-id", "")])
            #expect(try await scene.push([("apns-collapse-id", String(repeating: "c", count: 64))]).status == 200)
        }
    }

    @Test("A token that is not hexadecimal, too short or made up is a bad one, and so is another gateway's")
    func badDeviceToken() async throws {
        try await Scene.with { scene in
            var forged = Array(scene.token)
            forged[0] = forged[0] == "0" ? "1" : "0"
            for token in ["x", "00", String(repeating: "a", count: 64), String(forged), scene.token + "00"] {
                try await scene.refused(.badDeviceToken, token: token)
            }
            try await Scene.with { other in try await scene.refused(.badDeviceToken, token: other.token) }
            try await scene.works()
        }
    }

    @Test("An expiration that is no whole number of seconds is a bad one")
    func badExpirationDate() async throws {
        try await Scene.with { scene in
            for text in ["soon", "-1", "1.5", "", "99999999999999999999"] {
                try await scene.refused(.badExpirationDate, [("apns-expiration", text)])
            }
        }
    }

    @Test("An apns-id that is no UUID is a bad one, and is repeated all the same")
    func badMessageId() async throws {
        try await Scene.with { scene in
            for id in ["1", "123e4567-e89b-12d3-a456-42661417400", "123e4567_e89b_12d3_a456_426614174000"] {
                try await scene.push([("apns-id", id)]).expect(.badMessageId, id: id)
            }
            // One that cannot stand in a header is not.
            let answer = try await scene.push([("apns-id", "a b")])
            answer.expect(.badMessageId, id: nil)
            #expect(answer.id?.utf8.count == 36)
        }
    }

    @Test("A priority other than 10, 5 and 1 is a bad one")
    func badPriority() async throws {
        try await Scene.with { scene in
            for priority in ["0", "2", "11", "high", ""] {
                try await scene.refused(.badPriority, [("apns-priority", priority)])
            }
            for priority in ["10", "5", "1"] {
                #expect(try await scene.push([("apns-priority", priority)]).status == 200)
            }
            // Only a push that the user notices may be urgent.
            let silent = [("apns-push-type", "background"), ("apns-priority", "10")]
            try await scene.refused(.badPriority, silent, payload: #"{"aps":{"content-available":1}}"#)
        }
    }

    @Test("A topic with other characters than identifiers have, or without the suffix of its type, is a bad one")
    func badTopic() async throws {
        try await Scene.with { scene in
            for topic in ["com example", "", "com/example", String(repeating: "a", count: 256)] {
                try await scene.refused(.badTopic, topic: topic)
            }
            for type in ["voip", "location", "complication", "fileprovider", "liveactivity", "pushtotalk", "widgets"] {
                try await scene.refused(.badTopic, [("apns-push-type", type)])
            }
        }
    }

    @Test("A token of one app is not for another app's topic")
    func deviceTokenNotForTopic() async throws {
        try await Scene.with { scene in
            _ = try await scene.device.register("com.example.other")
            try await scene.refused(.deviceTokenNotForTopic, topic: "com.example.other")
            // Also not for a topic that no device has.
            try await scene.refused(.deviceTokenNotForTopic, topic: "com.example.unknown")
            try await scene.works()
        }
    }

    @Test("A header of Apple's that comes twice is refused")
    func duplicateHeaders() async throws {
        try await Scene.with { scene in
            for name in ["apns-topic", "apns-push-type", "apns-priority", "apns-expiration", "apns-collapse-id"] {
                try await scene.refused(.duplicateHeaders, [(name, "10"), (name, "10")])
            }
            try await scene.refused(.duplicateHeaders, [("authorization", "bearer x")])
        }
    }

    @Test("A request whose body does not come in time is answered, and its connection goes on")
    func idleTimeout() async throws {
        try await Scene.with({ $0.connection.slowRequest = .milliseconds(200) }) { scene in
            let fields = scene.provider.fields(scene.token, scene.bearer, [("apns-id", Scene.id)])
            let stream = try await scene.provider.open(fields)
            scene.provider.send(Array("{".utf8), on: stream, end: false)
            try await scene.provider.answer(to: stream).expect(.idleTimeout)
            #expect(try await scene.push().status == 200)
        }
    }

    @Test("A push type that Apple does not have is refused")
    func invalidPushType() async throws {
        try await Scene.with { scene in
            for type in ["silent", "Alert", ""] {
                try await scene.refused(.invalidPushType, [("apns-push-type", type)])
            }
        }
    }

    @Test("A path without a token misses it")
    func missingDeviceToken() async throws {
        try await Scene.with { scene in try await scene.refused(.missingDeviceToken, token: "") }
    }

    @Test("A provider that signs with a key has to name the topic")
    func missingTopic() async throws {
        try await Scene.with { scene in try await scene.refused(.missingTopic, topic: nil) }
    }

    static let unusable = [
        "", "x", "[]", "{}", "{\"aps\":1}", #"{"aps":{"alert":[7]}}"#, #"{"aps":{"alert":true}}"#, #"{"aps":{}"#,
        #"{"mdm":"a","aps":[]}"#, String(repeating: "[", count: 4096),
    ]

    /// Payloads with an odd optional field, and a payload of device management.
    static let odd = [
        #"{"aps":{"alert":"a","badge":"1","thread-id":42}}"#, #"{"aps":{"content-available":"1"}}"#,
        #"{"aps":{"alert":7,"sound":{}}}"#, #"{"mdm":"3F2504E0"}"#,
    ]

    @Test("What is odd in a payload does not lose it")
    func oddPayloads() async throws {
        try await Scene.with { scene in
            for payload in Self.odd {
                let answer = try await scene.push(payload: payload)
                #expect(answer.status == 200, "\(payload)")
            }
        }
    }

    @Test("A payload that is empty, not JSON or without a proper aps is refused, and a detail says what is wrong")
    func payloadEmpty() async throws {
        try await Scene.with { scene in
            for payload in Self.unusable {
                let answer = try await scene.push([("apns-id", Scene.id)], payload: payload)
                answer.expect(.payloadEmpty)
                #expect((answer.json["detail"] == nil) == payload.isEmpty, "\(payload.prefix(40))")
            }
            try await scene.works()
        }
    }

    @Test("A key that is for one app sends to no other one")
    func topicDisallowed() async throws {
        let path = TestGateway.makeFolder()
        defer { TestGateway.remove(path) }
        var key: SigningKey?
        try await TestGateway.with(path) { key = try $0.anotherKey(apps: ["com.example.other"]) }
        // A gateway knows the keys that there are when it starts.
        let limited = try #require(key)
        try await TestGateway.with(path) { gateway in
            let device = try await LinkDevice().connect(gateway)
            let (token, other) = (try await device.register(), try await device.register("com.example.other"))
            let provider = try await ProviderClient.connect(to: gateway)
            let bearer = try limited.bearer()
            try await provider.push(token, bearer, [("apns-id", Scene.id)]).expect(.topicDisallowed)
            #expect(try await provider.push(other, bearer, topic: "com.example.other").status == 200)
            #expect(try await provider.push(token, gateway.key.bearer()).status == 200)
        }
    }

    @Test("A path that is not /3/device/TOKEN is a bad one")
    func badPath() async throws {
        try await Scene.with { scene in
            for path in ["/", "/3/devices/\(scene.token)", "/2/device/\(scene.token)", "/3/device/\(scene.token)/x"] {
                var fields = scene.provider.fields(scene.token, scene.bearer, [("apns-id", Scene.id)])
                fields[2].1 = path
                let stream = try await scene.provider.open(fields)
                scene.provider.send(Array(ProviderClient.alert.utf8), on: stream)
                try await scene.provider.answer(to: stream).expect(.badPath)
            }
        }
    }

    @Test("Only POST is allowed")
    func methodNotAllowed() async throws {
        try await Scene.with { scene in
            for method in ["GET", "PUT", "DELETE", "PATCH"] {
                var fields = scene.provider.fields(scene.token, scene.bearer, [("apns-id", Scene.id)])
                fields[0].1 = method
                let stream = try await scene.provider.open(fields, end: true)
                try await scene.provider.answer(to: stream).expect(.methodNotAllowed)
            }
        }
    }

    @Test("Every type with a topic of its own arrives as that type, said or told by the topic")
    func types() async throws {
        try await Scene.with { scene in
            for type in LinkPushType.allCases {
                let topic = TestGateway.topic + (type.topicSuffix ?? "")
                let token = try await scene.device.register(topic)
                for more in [[("apns-push-type", type.rawValue)], []] where type.topicSuffix != nil || !more.isEmpty {
                    let answer = try await scene.provider.push(token, scene.bearer, topic: topic, more)
                    #expect(answer.status == 200, "\(type)")
                    #expect(try await scene.device.push().type == type)
                }
            }
        }
    }

    @Test("An answer without an identifier of the provider's has one of the gateway's, which the device hears too")
    func identifier() async throws {
        try await Scene.with { scene in
            let answer = try await scene.push()
            let push = try await scene.device.push()
            #expect(answer.status == 200 && answer.id == push.id && push.id.utf8.count == 36)
            #expect(try await scene.push().id != answer.id)
        }
    }
}
