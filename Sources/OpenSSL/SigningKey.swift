internal import COpenSSL

/// A private key on the curve P-256.
@safe package final class SigningKey: Sendable {
    /// The library takes care of threads: a key only counts its users.
    private nonisolated(unsafe) let key: OpaquePointer
    /// The private number: 32 bytes.
    package let number: [UInt8]
    /// Uncompressed, as X9.63 writes a point: 65 bytes.
    package let publicKey: [UInt8]

    /// A new key; `nil`: the machine has no randomness.
    package convenience init?() {
        guard let pointer = unsafe gr_p256_make() else { return nil }
        unsafe self.init(owning: pointer)
    }

    /// The key of a number of 32 bytes; `nil` where it is not between 0 and the order of the curve.
    package convenience init?(number: [UInt8]) {
        guard number.count == 32, let pointer = unsafe gr_p256_read(number) else { return nil }
        unsafe self.init(owning: pointer)
    }

    private init?(owning key: OpaquePointer) {
        unsafe self.key = unsafe key
        var (number, point) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 65))
        let isKey = unsafe gr_p256_private(key, &number) == 1 && gr_p256_public(key, &point) == 1
        (self.number, publicKey) = (number, point)
        guard isKey else { return nil }
    }

    deinit { unsafe EVP_PKEY_free(key) }

    /// ECDSA over SHA-256: r and s, 32 bytes each; `nil` when the machine has no randomness.
    package func signature(of message: [UInt8]) -> [UInt8]? {
        var (r, s) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 32))
        return unsafe gr_p256_sign(key, message, message.count, &r, &s) == 1 ? r + s : nil
    }
}
