package import LinuxSystem
internal import OpenSSL
internal import SystemPackage

/// The device's key: whoever has it reads this device's messages, and nobody else does.
///
/// It is made when a gateway is named for the first time, and kept in a file that only its owner reads.
package struct DeviceKey: Sendable {
    private let key: SigningKey
    /// The first twelve bytes of the key's hash, in hexadecimal digits.
    package let device: String

    package enum Failure: Error, CustomStringConvertible {
        case readableByOthers(String)
        case noKey(String)
        case noRandomness
        case unreadable(SystemError)
        case unwritable(SystemError)

        package var description: String {
            switch self {
            case .readableByOthers(let path):
                "\(path) belongs to another user or can be read by others: chmod 600 it, or remove it to get a new key "
                    + "(apps then register anew)"
            case .noKey(let path):
                "\(path) is no key: remove it to get a new one (apps then register anew)"
            case .noRandomness: "no key can be made: this machine has no random numbers"
            case .unreadable(let error): "the device's key cannot be read: \(error)"
            case .unwritable(let error): "the device's key cannot be kept: \(error)"
            }
        }
    }

    /// The key that is there, or a new one, which is on the disk when this returns.
    package init(in folder: String) throws(Failure) {
        let path = "\(folder)/device.key"
        let key: SigningKey
        if let file = try Self.open(path) {
            key = try Self.read(file, path)
        } else {
            guard let made = SigningKey() else { throw .noRandomness }
            do throws(SystemError) {
                try FileSystem.replace(path, with: made.number)
            } catch {
                throw .unwritable(error)
            }
            key = made
        }
        self.key = key
        guard let hash = Digest.of(key.publicKey, .sha256) else { throw .noKey(path) }
        device = hash.prefix(12).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    /// `nil`: there is no file. Any other error must not lead to a new key, which would replace the one that is there.
    private static func open(_ path: String) throws(Failure) -> Descriptor? {
        do throws(SystemError) {
            return try Descriptor.open(path, .read, followsLinks: false)
        } catch {
            guard error.errno == .noSuchFileOrDirectory else { throw .unreadable(error) }
            return nil
        }
    }

    private static func read(_ file: Descriptor, _ path: String) throws(Failure) -> SigningKey {
        guard let identity = try? file.identity(), identity.isRegular, identity.owner == CurrentProcess.uid,
            identity.permissions & 0o077 == 0
        else { throw .readableByOthers(path) }
        guard let bytes = try? file.readAll(limit: 64), let key = SigningKey(number: bytes) else { throw .noKey(path) }
        return key
    }

    /// Uncompressed, as X9.63 writes a point: 65 bytes.
    package var publicKey: [UInt8] { key.publicKey }

    /// ECDSA over SHA-256, r and s; `nil` when the machine has no randomness.
    package func signature(of bytes: [UInt8]) -> [UInt8]? { key.signature(of: bytes) }
}
