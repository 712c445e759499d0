internal import Crypto
internal import FoundationEssentials
package import LinuxSystem

/// The device's key: whoever has it reads this device's messages, and nobody else does.
///
/// It is made when a gateway is named for the first time, and kept in a file that only its owner reads.
package struct DeviceKey: Sendable {
    private let key: P256.Signing.PrivateKey

    package enum Failure: Error, CustomStringConvertible {
        case readableByOthers(String)
        case noKey(String)
        case unwritable(SystemError)

        package var description: String {
            switch self {
            case .readableByOthers(let path):
                "\(path) belongs to another user or can be read by others: chmod 600 it, or remove it to get a new key "
                    + "(apps then register anew)"
            case .noKey(let path):
                "\(path) is no key: remove it to get a new one (apps then register anew)"
            case .unwritable(let error): "the device's key cannot be kept: \(error)"
            }
        }
    }

    /// The key that is there, or a new one, which is on the disk when this returns.
    package init(in folder: String) throws(Failure) {
        let path = "\(folder)/device.key"
        guard let file = try? Descriptor.open(path, .read, followsLinks: false) else {
            key = P256.Signing.PrivateKey()
            do throws(SystemError) {
                try FileSystem.replace(path, with: Array(key.rawRepresentation))
            } catch {
                throw .unwritable(error)
            }
            return
        }
        guard let identity = try? file.identity(), identity.isRegular, identity.owner == CurrentProcess.uid,
            identity.permissions & 0o077 == 0
        else { throw .readableByOthers(path) }
        guard let bytes = try? file.readAll(limit: 64), bytes.count == 32,
            let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes)
        else { throw .noKey(path) }
        self.key = key
    }

    /// Uncompressed, as X9.63 writes a point: 65 bytes.
    package var publicKey: [UInt8] { Array(key.publicKey.x963Representation) }

    /// The first twelve bytes of the key's hash, in hexadecimal digits.
    package var device: String {
        SHA256.hash(data: key.publicKey.x963Representation).prefix(12).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    /// ECDSA over SHA-256, r and s; `nil` when the machine has no randomness.
    package func signature(of bytes: [UInt8]) -> [UInt8]? {
        (try? key.signature(for: Data(bytes))).map { Array($0.rawRepresentation) }
    }
}
