import NIOHPACK
import PushCore
import PushGateway
import PushLink
import Testing
import Wire

/// A gateway, a device with a registered app, and a provider that sends to it.
struct Scene: Sendable {
    static let id = "123e4567-e89b-12d3-a456-426614174000"

    let gateway: TestGateway
    let device: LinkClient
    let token: String
    let provider: ProviderClient
    let bearer: String

    static func with(
        _ configure: (inout GatewaySettings) -> Void = { _ in }, _ body: (Scene) async throws -> Void
    ) async throws {
        try await TestGateway.with(configure) { gateway in
            let device = try await LinkDevice().connect(gateway)
            try await body(
                Scene(
                    gateway: gateway, device: device, token: try await device.register(),
                    provider: try await ProviderClient.connect(to: gateway), bearer: try gateway.key.bearer()))
        }
    }

    /// Sends a push of the usual kind, with other fields or another payload.
    func push(
        _ more: [(String, String)] = [], payload: String = ProviderClient.alert, topic: String? = TestGateway.topic
    ) async throws -> Answer {
        try await provider.push(token, bearer, topic: topic, more, payload)
    }

    /// Sends one that must be refused.
    func refused(
        _ reason: PushReason, _ more: [(String, String)] = [], payload: String = ProviderClient.alert,
        topic: String? = TestGateway.topic, token: String? = nil, at location: SourceLocation = #_sourceLocation
    ) async throws {
        let answer = try await provider.push(
            token ?? self.token, bearer, topic: topic, [("apns-id", Self.id)] + more, payload)
        answer.expect(reason, at: location)
    }

    /// The device can be reached as before, and was sent nothing else.
    func works(at location: SourceLocation = #_sourceLocation) async throws {
        let provider = try await ProviderClient.connect(to: gateway)
        let answer = try await provider.push(token, bearer, [], #"{"aps":{"alert":"works"}}"#)
        #expect(answer.status == 200, sourceLocation: location)
        #expect(try await device.push().payload == #"{"aps":{"alert":"works"}}"#, sourceLocation: location)
        provider.close()
    }
}

extension Answer {
    /// The status, Apple's JSON, and the identifier of the request.
    func expect(
        _ reason: PushReason, id: String? = Scene.id, timestamp: Int? = nil,
        at location: SourceLocation = #_sourceLocation
    ) {
        #expect(status == reason.status, sourceLocation: location)
        #expect(self.reason == reason.rawValue, sourceLocation: location)
        #expect(headers.first(name: "content-type") == "application/json", sourceLocation: location)
        let members = Set(json.object?.members.map(\.key) ?? [])
        let isUnregistered = reason == .unregistered || reason == .expiredToken
        #expect(
            members.subtracting(["detail"]) == (isUnregistered ? ["reason", "timestamp"] : ["reason"]),
            sourceLocation: location)
        if let id { #expect(self.id == id, sourceLocation: location) }
        if let timestamp { #expect(self.timestamp == timestamp, sourceLocation: location) }
    }
}
