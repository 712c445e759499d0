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
}
