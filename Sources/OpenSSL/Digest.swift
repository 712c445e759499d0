internal import COpenSSL
internal import Synchronization

/// What bytes hash to, computed while they pass by. The corresponding C functions are `EVP_DigestInit_ex`,
/// `EVP_DigestUpdate` and `EVP_DigestFinal_ex`.
@safe package final class Digest: Sendable {
    package enum Algorithm: Sendable, CaseIterable {
        case md5, sha256, sha512
    }

    /// Used under the lock only.
    private nonisolated(unsafe) let context: OpaquePointer
    private let lock = Mutex(())

    /// `nil`: this machine's library does not have the algorithm (MD5 where only approved ones are allowed).
    package init?(_ algorithm: Algorithm) {
        guard let context = unsafe EVP_MD_CTX_new() else { return nil }
        unsafe self.context = unsafe context
        guard unsafe EVP_DigestInit_ex(context, Self.kind(algorithm), nil) == 1 else { return nil }
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    private static func kind(_ algorithm: Algorithm) -> OpaquePointer? {
        switch algorithm {
        case .md5: unsafe EVP_md5()
        case .sha256: unsafe EVP_sha256()
        case .sha512: unsafe EVP_sha512()
        }
    }

    package func update(_ bytes: UnsafeRawBufferPointer) {
        lock.withLock { _ in _ = unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) }
    }

    /// The hash of everything so far; more may follow.
    package var value: [UInt8] {
        lock.withLock { _ in
            guard let copy = unsafe EVP_MD_CTX_new() else { return [] }
            defer { unsafe EVP_MD_CTX_free(copy) }
            guard unsafe EVP_MD_CTX_copy_ex(copy, context) == 1 else { return [] }
            let most = Int(EVP_MAX_MD_SIZE)
            return unsafe [UInt8](unsafeUninitializedCapacity: most) { bytes, count in
                var length: CUnsignedInt = 0
                guard unsafe EVP_DigestFinal_ex(copy, bytes.baseAddress, &length) == 1 else { return }
                count = Int(length)
            }
        }
    }

    /// What all of some bytes hash to; `nil` where there is no such algorithm.
    package static func of(_ bytes: [UInt8], _ algorithm: Algorithm) -> [UInt8]? {
        guard let digest = Digest(algorithm) else { return nil }
        unsafe bytes.withUnsafeBytes { unsafe digest.update($0) }
        return digest.value
    }
}
