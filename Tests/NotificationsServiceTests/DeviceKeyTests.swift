import Foundation
import LinuxSystem
import NotificationsService
import PushLink
import Testing

@Suite("The device's key")
final class DeviceKeyTests {
    private let folder = "/tmp/greenroom-device-key-\(UUID().uuidString)"

    init() throws { try FileSystem.makeDirectory(folder) }
    deinit { try? FileSystem.removeTree(folder) }

    @Test("It is made once, kept for its owner alone, and names the device")
    func kept() throws {
        let key = try DeviceKey(in: folder)
        #expect(try DeviceKey(in: folder).publicKey == key.publicKey)
        #expect(key.publicKey.count == LinkRules.keyLength && key.publicKey[0] == 4)
        #expect(key.device.utf8.count == LinkRules.deviceDigits && key.device.allSatisfy(\.isHexDigit))
        #expect(key.signature(of: [1])?.count == LinkRules.signatureLength)
        #expect(try Descriptor.open(folder + "/device.key", .read).identity().permissions == 0o600)
    }

    @Test("A key that others may read is not used, nor replaced: the apps' tokens hang on it")
    func readable() throws {
        _ = try DeviceKey(in: folder)
        let before = FileSystem.read(folder + "/device.key")
        try FileSystem.changeMode(folder + "/device.key", to: 0o644)
        #expect(throws: DeviceKey.Failure.self) { try DeviceKey(in: self.folder) }
        #expect(FileSystem.read(folder + "/device.key") == before)
    }

    @Test("What is no key is said so", arguments: [0, 31, 33])
    func damaged(_ count: Int) throws {
        try FileSystem.replace(folder + "/device.key", with: Array(repeating: 1, count: count))
        #expect(throws: DeviceKey.Failure.self) { try DeviceKey(in: self.folder) }
        try FileSystem.replace(folder + "/device.key", with: Array(repeating: 0, count: 32))
        #expect(throws: DeviceKey.Failure.self) { try DeviceKey(in: self.folder) }
    }

    @Test("A key that cannot be opened is not replaced")
    func unreadable() throws {
        _ = try DeviceKey(in: folder)
        try FileManager.default.moveItem(atPath: folder + "/device.key", toPath: folder + "/elsewhere")
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/device.key", withDestinationPath: folder + "/elsewhere")
        #expect(throws: DeviceKey.Failure.self) { try DeviceKey(in: self.folder) }
        let place = try FileManager.default.destinationOfSymbolicLink(atPath: folder + "/device.key")
        #expect(place == folder + "/elsewhere")
    }
}
