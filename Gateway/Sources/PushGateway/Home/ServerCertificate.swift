internal import Foundation
internal import SwiftASN1
internal import X509

enum ServerCertificate {
    /// Whether a certificate that the gateway's own authority signed ends within a month.
    static func endsSoon(_ certificate: Certificate, own issuer: Certificate) -> Bool {
        certificate.issuer == issuer.subject
            && certificate.notValidAfter.timeIntervalSinceNow < 30 * 86_400
    }
}

extension GatewayHome {
    /// The first certificate of a file.
    func certificate(in file: String) throws(GatewayError) -> Certificate {
        let text = try read(file)
        do {
            // A chain has several, the server's own first.
            guard let document = try PEMDocument.parseMultiple(pemString: text).first else {
                throw GatewayError("\(file) holds no certificate")
            }
            return try Certificate(pemDocument: document)
        } catch let error as GatewayError {
            throw error
        } catch {
            throw GatewayError("\(file) holds no certificate: \(error)")
        }
    }
}
