internal import COpenSSL

/// The client's end of a TLS connection, without a socket: whoever owns it carries bytes between it and the network.
///
/// After each call, `takeOutput` has what is to be sent.
@safe package final class TLSClient {
    package enum Failure: Error {
        /// The server's certificate is not trusted; the reason is OpenSSL's.
        case untrusted(String)
        /// What came is not TLS, or breaks it.
        case broken(String)
    }

    package enum Read {
        case bytes([UInt8])
        /// More has to come from the network.
        case nothing
        /// The server says that nothing follows.
        case end
    }

    private let ssl: OpaquePointer
    private let input: OpaquePointer
    private let output: OpaquePointer

    /// - Parameters:
    ///   - host: the name in the server's certificate, or an address.
    ///   - isAddress: the host is an address, and no name.
    package init?(_ context: TLSContext, host: String, isAddress: Bool) {
        guard let ssl = unsafe context.makeConnection() else { return nil }
        guard let input = unsafe BIO_new(BIO_s_mem()) else {
            unsafe SSL_free(ssl)
            return nil
        }
        guard let output = unsafe BIO_new(BIO_s_mem()) else {
            unsafe BIO_free(input)
            unsafe SSL_free(ssl)
            return nil
        }
        unsafe (self.ssl, self.input, self.output) = unsafe (ssl, input, output)
        // The connection owns both from now on.
        unsafe SSL_set_bio(ssl, input, output)
        unsafe SSL_set_connect_state(ssl)
        unsafe gr_ssl_write_pieces(ssl)
        if isAddress {
            guard unsafe X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1 else { return nil }
        } else {
            guard unsafe SSL_set1_host(ssl, host) == 1, unsafe gr_ssl_set_name(ssl, host) == 1 else { return nil }
        }
    }

    deinit { unsafe SSL_free(ssl) }

    /// What came from the network.
    package func receive(_ bytes: ArraySlice<UInt8>) {
        unsafe bytes.withUnsafeBytes { bytes in
            _ = unsafe BIO_write(input, bytes.baseAddress, CInt(bytes.count))
        }
    }

    /// What is to be sent.
    package func takeOutput() -> [UInt8] {
        let count = Int(unsafe gr_bio_pending(output))
        guard count > 0 else { return [] }
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, length in
            length = max(0, Int(unsafe BIO_read(output, bytes.baseAddress, CInt(count))))
        }
    }

    /// Goes on with the handshake; true when it is complete.
    package func handshake() throws(Failure) -> Bool {
        ERR_clear_error()
        let result = unsafe SSL_do_handshake(ssl)
        if result == 1 { return true }
        try check(result)
        return false
    }

    /// What the server chose of what was offered.
    package var applicationProtocol: String? {
        var bytes: UnsafePointer<UInt8>?
        var count: CUnsignedInt = 0
        unsafe SSL_get0_alpn_selected(ssl, &bytes, &count)
        guard let start = unsafe bytes, count > 0 else { return nil }
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
    }

    /// At most so many bytes of what the server said.
    package func read(upTo limit: Int) throws(Failure) -> Read {
        ERR_clear_error()
        var result: CInt = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { bytes, count in
            result = unsafe SSL_read(ssl, bytes.baseAddress, CInt(limit))
            count = max(0, Int(result))
        }
        if result > 0 { return .bytes(bytes) }
        if unsafe SSL_get_error(ssl, result) == SSL_ERROR_ZERO_RETURN { return .end }
        try check(result)
        return .nothing
    }

    /// Encrypts bytes; all of them, since what is to be sent waits in memory.
    package func write(_ bytes: [UInt8]) throws(Failure) {
        ERR_clear_error()
        var rest = bytes[...]
        while !rest.isEmpty {
            let result = unsafe rest.withUnsafeBytes { unsafe SSL_write(ssl, $0.baseAddress, CInt($0.count)) }
            guard result > 0 else {
                try check(result)
                throw .broken("nothing can be written")
            }
            rest = rest.dropFirst(Int(result))
        }
    }

    /// Says that nothing follows.
    package func close() {
        ERR_clear_error()
        _ = unsafe SSL_shutdown(ssl)
        ERR_clear_error()
    }

    private func check(_ result: CInt) throws(Failure) {
        switch unsafe SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return
        default: break
        }
        let verdict = unsafe SSL_get_verify_result(ssl)
        if verdict != X509_V_OK {
            throw .untrusted(unsafe String(cString: X509_verify_cert_error_string(verdict)))
        }
        let reason = unsafe ERR_reason_error_string(gr_ssl_last_error())
        throw .broken(unsafe reason.map { unsafe String(cString: $0) } ?? "the connection ended")
    }
}
