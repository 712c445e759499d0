internal import Foundation
internal import SwiftASN1
internal import X509

enum ServerCertificate {
    /// Whether a certificate that the gateway's own authority signed ends within a month.
    static func endsSoon(_ text: String, own authority: String) throws -> Bool {
        let certificate = try Certificate(pemEncoded: text)
        let issuer = try Certificate(pemEncoded: authority)
        return certificate.issuer == issuer.subject
            && certificate.notValidAfter.timeIntervalSinceNow < 30 * 86_400
    }
}
