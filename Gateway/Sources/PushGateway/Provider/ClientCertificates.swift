internal import Foundation
internal import NIOSSL
internal import PushCore
internal import SwiftASN1
internal import X509

/// Reads and verifies the certificates of providers.
struct ClientCertificates: Sendable {
    private let roots: CertificateStore
    /// The same for TLS, which tells clients whose certificates are wanted.
    let trustRoots: [NIOSSLCertificate]

    /// - Parameter authorities: PEM, each of one or more certificates.
    init(authorities: [String]) throws {
        var roots: [Certificate] = []
        for text in authorities {
            for document in try PEMDocument.parseMultiple(pemString: text) {
                roots.append(try Certificate(pemDocument: document))
            }
        }
        self.roots = CertificateStore(roots)
        trustRoots = try authorities.flatMap { try NIOSSLCertificate.fromPEMBytes(Array($0.utf8)) }
    }

    /// - Parameter chain: as the client sent it, its own first.
    func facts(_ chain: [NIOSSLCertificate]) async -> CertificateFacts {
        // More than anyone has would only cost time.
        guard let certificates = try? chain.prefix(8).map({ try Certificate(derEncoded: $0.toDERBytes()) }),
            let leaf = certificates.first
        else { return CertificateFacts(isTrusted: false) }
        var verifier = Verifier(rootCertificates: roots) { RFC5280Policy() }
        let result = await verifier.validate(
            leaf: leaf, intermediates: CertificateStore(certificates.dropFirst()))
        let isTrusted =
            switch result {
            case .validCertificate: Self.isForClients(leaf)
            case .couldNotValidate: false
            }
        return CertificateFacts(
            isTrusted: isTrusted, user: Self.text(AppleNames.user, of: leaf),
            commonName: Self.text(.RDNAttributeType.commonName, of: leaf),
            topics: leaf.extensions[oid: AppleNames.topics].map { AppleNames.topics(in: $0.value) } ?? [],
            isForDevelopment: leaf.extensions[oid: AppleNames.development] != nil,
            isForProduction: leaf.extensions[oid: AppleNames.production] != nil)
    }

    /// The certificate of a server, stolen or its own, is no provider's.
    private static func isForClients(_ certificate: Certificate) -> Bool {
        guard let usage = try? certificate.extensions.extendedKeyUsage else { return true }
        return usage.contains(.clientAuth) || usage.contains(.any)
    }

    private static func text(_ type: ASN1ObjectIdentifier, of certificate: Certificate) -> String? {
        for name in certificate.subject {
            for attribute in name where attribute.type == type { return String(attribute.value) }
        }
        return nil
    }
}
