internal import COpenSSL

/// Whom to believe, and what is spoken: what connections to one kind of server share.
@safe package final class TLSContext: Sendable {
    package enum Failure: Error {
        /// The text holds no certificate in PEM, or one that cannot be read.
        case noCertificate
        case outOfMemory
    }

    /// It does not change once it is made, and counts its users.
    private nonisolated(unsafe) let context: OpaquePointer

    /// For clients that speak TLS 1.2 at least.
    ///
    /// - Parameters:
    ///   - roots: certificates in PEM that are trusted; `nil`: those that the machine trusts.
    ///   - applicationProtocol: what is offered (RFC 7301), in at most 255 bytes.
    package init(roots: String?, applicationProtocol: String) throws(Failure) {
        guard let context = unsafe SSL_CTX_new(TLS_client_method()) else { throw .outOfMemory }
        unsafe self.context = unsafe context
        _ = unsafe gr_ssl_require_tls(context, TLS1_2_VERSION)
        unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        if let roots {
            try unsafe Self.add(roots, to: context)
        } else {
            _ = unsafe SSL_CTX_set_default_verify_paths(context)
        }
        let name = Array(applicationProtocol.utf8)
        let offer = [UInt8(truncatingIfNeeded: name.count)] + name
        guard unsafe SSL_CTX_set_alpn_protos(context, offer, CUnsignedInt(offer.count)) == 0 else {
            throw .outOfMemory
        }
    }

    deinit { unsafe SSL_CTX_free(context) }

    private static func add(_ roots: String, to context: OpaquePointer) throws(Failure) {
        let blocks = certificates(in: roots)
        guard !blocks.isEmpty, let store = unsafe SSL_CTX_get_cert_store(context) else { throw .noCertificate }
        for block in blocks {
            let bytes = block.utf8.map { CChar(bitPattern: $0) }
            guard let certificate = unsafe gr_x509_read(bytes, CInt(bytes.count)) else { throw .noCertificate }
            defer { unsafe X509_free(certificate) }
            // One that is there already is no failure.
            _ = unsafe X509_STORE_add_cert(store, certificate)
        }
        ERR_clear_error()
    }

    /// The blocks of certificates in a text; what is between them is nobody's concern.
    private static func certificates(in text: String) -> [Substring] {
        let (begin, end) = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----")
        var blocks: [Substring] = []
        var rest = text[...]
        while let start = rest.firstRange(of: begin), let stop = rest[start.upperBound...].firstRange(of: end) {
            blocks.append(rest[start.lowerBound..<stop.upperBound])
            rest = rest[stop.upperBound...]
        }
        // One that never ends is unreadable, too.
        if let start = rest.firstRange(of: begin) { blocks.append(rest[start.lowerBound...]) }
        return blocks
    }

    func makeConnection() -> OpaquePointer? { unsafe SSL_new(context) }
}
