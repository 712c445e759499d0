internal import LinuxSystem
internal import OpenSSL
internal import SystemPackage

/// What a file's bytes hash to, computed while they pass by. After a restart it reads again what it has not seen.
package struct RunningHash: Sendable {
    enum Algorithm: String, Sendable {
        case sha256 = "sha-256"
        case sha512 = "sha-512"
        case md5
    }

    let algorithm: Algorithm
    private let digest: Digest
    /// How many bytes went in.
    private(set) var count: Int64 = 0

    /// `nil`: this machine does not have the algorithm.
    init?(_ algorithm: Algorithm) {
        let kind: Digest.Algorithm =
            switch algorithm {
            case .sha256: .sha256
            case .sha512: .sha512
            case .md5: .md5
            }
        guard let digest = Digest(kind) else { return nil }
        self.algorithm = algorithm
        self.digest = digest
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        count += Int64(bytes.count)
        unsafe digest.update(bytes)
    }

    /// Reads what lies in the file before `offset` and has not gone in yet.
    mutating func catchUp(to offset: Int64, in file: Descriptor) throws(SystemError) {
        guard count < offset else { return }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { unsafe buffer.deallocate() }
        while count < offset {
            let most = Int(min(Int64(1 << 18), offset - count))
            let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<most])
            let got = unsafe try file.read(into: piece, at: count)
            guard got > 0 else { throw SystemError("pread", .ioError) }
            unsafe update(UnsafeRawBufferPointer(rebasing: piece[..<got]))
        }
    }

    var finalized: [UInt8] { digest.value }
}
