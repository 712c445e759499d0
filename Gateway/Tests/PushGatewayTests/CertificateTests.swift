import Crypto
import Foundation
import NIOSSL
import PushCore
import PushGateway
import PushLink
import SwiftASN1
import Testing
import X509

@Suite("Providers with certificates")
struct CertificateTests {
    private func connect(_ scene: Scene, _ certificate: String) async throws -> ProviderClient {
        try await ProviderClient.connect(to: scene.gateway) { $0.certificate = certificate }
    }

    @Test("A certificate of the gateway's own authority sends to its app, whose topic need not be said")
    func accepted() async throws {
        try await Scene.with { scene in
            let provider = try await connect(scene, scene.gateway.certificate())
            #expect(try await provider.push(scene.token, nil, topic: nil).status == 200)
            #expect(try await scene.device.push().topic == TestGateway.topic)
            let call = try await scene.device.register(TestGateway.topic + ".voip")
            #expect(try await provider.push(call, nil, topic: TestGateway.topic + ".voip").status == 200)
            try await provider.push(call, nil, topic: "com.example.other").expect(.topicDisallowed, id: nil)
        }
    }

    @Test("A certificate with a list of topics sends to these and no others, and has to say which")
    func topics() async throws {
        try await Scene.with { scene in
            let (app, call) = (TestGateway.topic, TestGateway.topic + ".voip")
            let token = try await scene.device.register(call)
            let both = try await connect(scene, scene.gateway.certificate(topics: [app, call]))
            #expect(try await both.push(token, nil, topic: call).status == 200)
            #expect(try await both.push(scene.token, nil, topic: app).status == 200)
            try await both.push(scene.token, nil, topic: nil).expect(.missingTopic, id: nil)
            let one = try await connect(scene, scene.gateway.certificate(topics: [call]))
            #expect(try await one.push(token, nil, topic: nil).status == 200)
            try await one.push(scene.token, nil, topic: app).expect(.topicDisallowed, id: nil)
        }
    }

    @Test("A token goes before a certificate, and is no better for it")
    func both() async throws {
        try await Scene.with { scene in
            let provider = try await connect(scene, scene.gateway.certificate())
            let other = try await scene.device.register("com.example.other")
            #expect(try await provider.push(other, scene.bearer, topic: "com.example.other").status == 200)
            try await provider.push(scene.token, "bearer x").expect(.invalidProviderToken, id: nil)
            try await provider.push(scene.token, scene.bearer, topic: nil).expect(.missingTopic, id: nil)
        }
    }

    /// Refused by its reason, and once more by the same one before the connection ends.
    private func refuses(
        _ scene: Scene, _ certificate: String, _ reason: PushReason, at location: SourceLocation = #_sourceLocation
    ) async throws {
        let provider = try await connect(scene, certificate)
        let fields = provider.fields(scene.token, nil, [("apns-id", Scene.id)])
        for stream in try await provider.open([fields, fields], body: Array(ProviderClient.alert.utf8)) {
            try await provider.answer(to: stream).expect(reason, at: location)
        }
        #expect(try await provider.goAways.next().reason == reason.rawValue, sourceLocation: location)
        try await provider.closed()
    }

    @Test("A certificate of another authority, of a server, or that has expired is a bad one, and its connection ends")
    func badCertificate() async throws {
        try await Scene.with { scene in
            try await TestGateway.with { other in try await refuses(scene, other.certificate(), .badCertificate) }
            let path = scene.gateway.folder.path
            let server = path + "/both.pem"
            let parts = try ["server.pem", "server-key.pem"].map {
                try String(contentsOfFile: "\(path)/\($0)", encoding: .utf8)
            }
            try parts.joined().write(toFile: server, atomically: true, encoding: .utf8)
            try await refuses(scene, server, .badCertificate)
            try await refuses(scene, try expired(path), .badCertificate)
            try await scene.works()
        }
    }

    /// One that the gateway's authority signed, for a day that has passed.
    private func expired(_ path: String) throws -> String {
        let authority = try Certificate(pemEncoded: String(contentsOfFile: path + "/ca.pem", encoding: .utf8))
        let signer = try P256.Signing.PrivateKey(
            pemRepresentation: String(contentsOfFile: path + "/ca-key.pem", encoding: .utf8))
        let key = P256.Signing.PrivateKey()
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(key.publicKey), notValidBefore: Date(timeIntervalSinceNow: -200_000),
            notValidAfter: Date(timeIntervalSinceNow: -100_000), issuer: authority.subject,
            subject: try DistinguishedName { CommonName("Apple Push Services: \(TestGateway.topic)") },
            signatureAlgorithm: .ecdsaWithSHA256, extensions: Certificate.Extensions(),
            issuerPrivateKey: Certificate.PrivateKey(signer))
        let file = path + "/expired.pem"
        let text = try certificate.serializeAsPEM().pemString + "\n" + key.pemRepresentation + "\n"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }

    @Test("A certificate for development is not for a gateway in production, and the other way round")
    func badCertificateEnvironment() async throws {
        try await Scene.with { scene in
            try await refuses(scene, scene.gateway.certificate(isDevelopment: true), .badCertificateEnvironment)
        }
        try await Scene.with({ $0.environment = .development }) { scene in
            try await refuses(scene, scene.gateway.certificate(), .badCertificateEnvironment)
            let provider = try await connect(scene, scene.gateway.certificate(isDevelopment: true))
            #expect(try await provider.push(scene.token, nil).status == 200)
        }
    }

    @Test("A client that speaks no TLS 1.2 is refused; one that names no protocol speaks HTTP/2")
    func protocols() async throws {
        try await Scene.with { scene in
            await #expect(throws: (any Error).self) {
                try await ProviderClient.connect(to: scene.gateway) { $0.latestTLS = .tlsv11 }
            }
            for latest in [TLSVersion.tlsv12, .tlsv13] {
                let provider = try await ProviderClient.connect(to: scene.gateway) { $0.latestTLS = latest }
                #expect(try await provider.push(scene.token, scene.bearer).status == 200)
            }
            let provider = try await ProviderClient.connect(to: scene.gateway) { $0.protocols = [] }
            #expect(try await provider.push(scene.token, scene.bearer).status == 200)
        }
    }
}
