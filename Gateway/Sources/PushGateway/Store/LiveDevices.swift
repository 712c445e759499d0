internal import PushCore
internal import Synchronization

/// The connections of devices, by their devices. In parts, so that event loops do not wait for one lock.
final class LiveDevices: Sendable {
    private final class Part: Sendable {
        let links = Mutex<[DeviceID: any DeviceLink]>([:])
    }

    private let parts: [Part] = (0..<64).map { _ in Part() }

    private func part(_ device: DeviceID) -> Part { parts[device.spread & 63] }

    subscript(device: DeviceID) -> (any DeviceLink)? { part(device).links.withLock { $0[device] } }

    /// The newest connection of a device is its only one.
    func attach(_ device: DeviceID, _ link: any DeviceLink) {
        let old = part(device).links.withLock { $0.updateValue(link, forKey: device) }
        if let old, old !== link { old.replaced() }
    }

    func detach(_ device: DeviceID, _ link: any DeviceLink) {
        part(device).links.withLock { links in
            if links[device] === link { links[device] = nil }
        }
    }
}
