internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import X509

/// A certificate with its key.
struct Credential {
    var certificate: Certificate
    var key: P256.Signing.PrivateKey

    func certificateText() throws -> String { try certificate.serializeAsPEM().pemString + "\n" }
    var keyText: String { key.pemRepresentation + "\n" }
}

/// The gateway's own certificate authority: it signs the server's certificate, and those of providers that want one.
struct Authority {
    private let credential: Credential

    private static let day = 86_400.0

    /// A new one, for ten years.
    init(name: String) throws {
        let key = P256.Signing.PrivateKey()
        let subject = try DistinguishedName { CommonName("Greenroom push authority of \(name)") }
        let certificate = try Self.sign(
            subject: subject, key: key.publicKey, days: 3650, issuer: subject, issuerKey: key
        ) {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
            Critical(KeyUsage(keyCertSign: true, cRLSign: true))
            SubjectKeyIdentifier(hash: Certificate.PublicKey(key.publicKey))
        }
        credential = Credential(certificate: certificate, key: key)
    }

    init(certificate: String, key: String) throws {
        credential = Credential(
            certificate: try Certificate(pemEncoded: certificate),
            key: try P256.Signing.PrivateKey(pemRepresentation: key))
    }

    func certificateText() throws -> String { try credential.certificateText() }
    var keyText: String { credential.keyText }

    /// - Parameter names: host names and addresses.
    func server(names: [String]) throws -> Credential {
        let key = P256.Signing.PrivateKey()
        let subject = try DistinguishedName { CommonName(names.first ?? "localhost") }
        let certificate = try sign(subject: subject, key: key.publicKey, days: 397) {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: true))
            try ExtendedKeyUsage([.serverAuth])
            SubjectAlternativeNames(names.map(Self.generalName))
            SubjectKeyIdentifier(hash: Certificate.PublicKey(key.publicKey))
            AuthorityKeyIdentifier(keyIdentifier: issuerIdentifier)
        }
        return Credential(certificate: certificate, key: key)
    }

    /// What a provider authenticates itself with instead of tokens, as Apple's certificates have it.
    func provider(app: String, topics: [String], isDevelopment: Bool) throws -> Credential {
        let key = P256.Signing.PrivateKey()
        let subject = DistinguishedName([
            RelativeDistinguishedName(.init(type: AppleNames.user, utf8String: app)),
            try CommonName("Apple Push Services: \(app)").makeRDN(),
        ])
        let certificate = try sign(subject: subject, key: key.publicKey, days: 397) {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: true))
            try ExtendedKeyUsage([.clientAuth])
            SubjectKeyIdentifier(hash: Certificate.PublicKey(key.publicKey))
            AuthorityKeyIdentifier(keyIdentifier: issuerIdentifier)
            try AppleNames.empty(isDevelopment ? AppleNames.development : AppleNames.production)
            if !topics.isEmpty { try AppleNames.topics(topics) }
        }
        return Credential(certificate: certificate, key: key)
    }

    private var issuerIdentifier: ArraySlice<UInt8> {
        SubjectKeyIdentifier(hash: Certificate.PublicKey(credential.key.publicKey)).keyIdentifier
    }

    private static func generalName(_ name: String) -> GeneralName {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).compactMap { UInt8($0) }
        if parts.count == 4, name.split(separator: ".").count == 4 {
            return .ipAddress(ASN1OctetString(contentBytes: parts[...]))
        }
        return .dnsName(name)
    }

    private func sign(
        subject: DistinguishedName, key: P256.Signing.PublicKey, days: Double,
        @ExtensionsBuilder extensions: () throws -> Result<Certificate.Extensions, any Error>
    ) throws -> Certificate {
        try Self.sign(
            subject: subject, key: key, days: days, issuer: credential.certificate.subject, issuerKey: credential.key,
            extensions: extensions)
    }

    private static func sign(
        subject: DistinguishedName, key: P256.Signing.PublicKey, days: Double, issuer: DistinguishedName,
        issuerKey: P256.Signing.PrivateKey,
        @ExtensionsBuilder extensions: () throws -> Result<Certificate.Extensions, any Error>
    ) throws -> Certificate {
        let now = Date()
        return try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: Certificate.PublicKey(key),
            // Clocks differ.
            notValidBefore: now.addingTimeInterval(-day), notValidAfter: now.addingTimeInterval(days * day),
            issuer: issuer, subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions(builder: extensions),
            issuerPrivateKey: Certificate.PrivateKey(issuerKey))
    }
}

/// What Apple's push certificates have that others have not.
enum AppleNames {
    /// `UID` of a subject.
    static let user: ASN1ObjectIdentifier = [0, 9, 2342, 19_200_300, 100, 1, 1]
    static let development: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 3, 1]
    static let production: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 3, 2]
    /// A sequence of topics, each followed by a sequence of what it is for.
    static let topics: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 3, 6]

    static func empty(_ identifier: ASN1ObjectIdentifier) throws -> Certificate.Extension {
        var serializer = DER.Serializer()
        try serializer.serialize(ASN1Null())
        return Certificate.Extension(oid: identifier, critical: false, value: serializer.serializedBytes[...])
    }

    static func topics(_ topics: [String]) throws -> Certificate.Extension {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { coder in
            for topic in topics {
                try coder.serialize(ASN1UTF8String(topic))
                try coder.appendConstructedNode(identifier: .sequence) { inner in
                    try inner.serialize(ASN1UTF8String(topic.hasSuffix(".voip") ? "voip" : "app"))
                }
            }
        }
        return Certificate.Extension(oid: self.topics, critical: false, value: serializer.serializedBytes[...])
    }

    /// The texts of such a sequence, without those of the sequences in it.
    static func topics(in value: ArraySlice<UInt8>) -> [String] {
        guard let root = try? DER.parse(Array(value)), case .constructed(let nodes) = root.content else { return [] }
        return nodes.compactMap { node in
            (try? ASN1UTF8String(derEncoded: node)).map { String(decoding: $0.bytes, as: UTF8.self) }
        }
    }
}
