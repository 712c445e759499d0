internal import Crypto
internal import LinuxSystem
internal import SystemPackage

/// What a file's bytes hash to, computed while they pass by. After a restart it reads again what it has not seen.
package struct RunningHash: Sendable {
    enum Algorithm: String, Sendable {
        case sha256 = "sha-256"
        case sha512 = "sha-512"
        case md5
    }

    private enum Hasher: Sendable {
        case sha256(SHA256)
        case sha512(SHA512)
        case md5(Insecure.MD5)
    }

    let algorithm: Algorithm
    private var hasher: Hasher
    /// How many bytes went in.
    private(set) var count: Int64 = 0

    init(_ algorithm: Algorithm) {
        self.algorithm = algorithm
        hasher =
            switch algorithm {
            case .sha256: .sha256(SHA256())
            case .sha512: .sha512(SHA512())
            case .md5: .md5(Insecure.MD5())
            }
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        count += Int64(bytes.count)
        switch hasher {
        case .sha256(var state):
            unsafe state.update(bufferPointer: bytes)
            hasher = .sha256(state)
        case .sha512(var state):
            unsafe state.update(bufferPointer: bytes)
            hasher = .sha512(state)
        case .md5(var state):
            unsafe state.update(bufferPointer: bytes)
            hasher = .md5(state)
        }
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

    var finalized: [UInt8] {
        switch hasher {
        case .sha256(let state): Array(state.finalize())
        case .sha512(let state): Array(state.finalize())
        case .md5(let state): Array(state.finalize())
        }
    }
}
