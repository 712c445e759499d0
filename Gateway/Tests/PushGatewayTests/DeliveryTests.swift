import PushLink
import Testing
import Wire

@Suite("From a provider to a device")
struct DeliveryTests {
    @Test("A push comes to its device as the provider wrote it, and the answer repeats its identifier")
    func push() async throws {
        try await TestGateway.with { gateway in
            let device = try await LinkDevice().connect(gateway)
            let token = try await device.register()
            let provider = try await ProviderClient.connect(to: gateway)
            let id = "123E4567-e89b-12d3-a456-426614174000"
            let payload = "{ \"aps\" : {\"alert\":\"Grüße\"}, \"n\": 1.0 }"
            let answer = try await provider.push(
                token, gateway.key.bearer(), [("apns-id", id), ("apns-priority", "5"), ("apns-collapse-id", "c")],
                payload)
            #expect(answer.status == 200 && answer.body.isEmpty && answer.id == id)
            let push = try await device.push()
            #expect(push.id == id && push.topic == TestGateway.topic && push.payload == payload)
            #expect(push.type == .alert && push.priority == 5 && push.collapse == "c")
        }
    }

    @Test("A background push that is to wait comes with the next keep-alive, and the newest one of its app alone")
    func waits() async throws {
        try await TestGateway.with { gateway in
            let device = try await LinkDevice().connect(gateway)
            let token = try await device.register()
            let provider = try await ProviderClient.connect(to: gateway)
            device.send(.hold(topic: TestGateway.topic, .until(86_400)))
            try await device.ping()
            let fields = [("apns-push-type", "background"), ("apns-priority", "5")]
            for number in 1...3 {
                let payload = #"{"aps":{"content-available":1},"n":\#(number)}"#
                #expect(try await provider.push(token, gateway.key.bearer(), fields, payload).status == 200)
            }
            // The one that comes is the third: neither of the others was sent before it.
            try await device.ping()
            let push = try await device.push()
            #expect(push.payload.hasSuffix(#""n":3}"#) && push.type == .background)
            device.send(.ack(number: push.number))
            device.send(.hold(topic: TestGateway.topic, .never))
            let payload = #"{"aps":{"content-available":1},"n":4}"#
            #expect(try await provider.push(token, gateway.key.bearer(), fields, payload).status == 200)
            #expect(try await device.push().payload == payload)
        }
    }
}
