/// A node of the graph, as long as the daemon runs: it gives no number twice. The next daemon begins again.
package struct NodeIdentifier: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let serial: UInt64

    package init(serial: UInt64) { self.serial = serial }

    package static func < (a: NodeIdentifier, b: NodeIdentifier) -> Bool { a.serial < b.serial }
    package var description: String { "\(serial)" }
}

/// What a client plays, or records.
package struct GraphStream: Hashable, Sendable, Identifiable {
    package enum Direction: Hashable, Sendable { case playback, capture }

    package enum State: Hashable, Sendable {
        case creating, suspended, idle, running
        case failed(String)
    }

    package let id: NodeIdentifier
    /// Its number among the objects of now, as PipeWire's tools show it. It may be given again.
    package var node: UInt32
    package var direction: Direction
    package var pid: CInt?
    /// Whether the kernel told the process. Of a client of pipewire-pulse only the client itself tells it.
    package var isPidCertain: Bool
    package var isPulse: Bool
    package var applicationName: String?
    package var mediaName: String?
    package var mediaRole: String?
    /// The property `greenroom.stream`.
    package var tag: String?
    package var state: State
    /// The sinks or sources that it is linked to.
    package var devices: Set<NodeIdentifier>

    package var isLinked: Bool { !devices.isEmpty }
}

/// A sink or a source.
package struct AudioDevice: Hashable, Sendable, Identifiable {
    package enum Direction: Hashable, Sendable { case sink, source }

    package let id: NodeIdentifier
    package var node: UInt32
    package var direction: Direction
    /// What settings know it by.
    package var name: String
    package var description: String
    /// Such as `headphone`, `speaker`, `headset`, `internal`.
    package var formFactor: String?
    /// Such as `alsa`, `bluez5`.
    package var api: String?
    /// Such as `pci`, `usb`, `bluetooth`.
    package var bus: String?
    /// The device with the highest one is preferred.
    package var priority: Int

    package var isBluetooth: Bool { api == "bluez5" || bus == "bluetooth" }
}

package struct DefaultDevices: Hashable, Sendable {
    package var sink: NodeIdentifier?
    package var source: NodeIdentifier?

    package init(sink: NodeIdentifier? = nil, source: NodeIdentifier? = nil) {
        (self.sink, self.source) = (sink, source)
    }
}

package struct SinkVolume: Hashable, Sendable {
    /// As sliders show it, 0 to 1 and possibly beyond: the cube root of the factor for samples.
    package var volume: Float
    package var isMuted: Bool

    package init(volume: Float, isMuted: Bool) { (self.volume, self.isMuted) = (volume, isMuted) }
}

/// What becomes of what an `AudioGraph` sees. All of it is called on its queue.
package protocol AudioGraphClient: AnyObject {
    /// What is there has its `appeared` right after this.
    func audioGraphConnected()
    /// The daemon went, and with it every stream and device; there is no `gone` for them.
    func audioGraphLost()
    func audioGraph(appeared stream: GraphStream)
    func audioGraph(changed stream: GraphStream)
    func audioGraph(goneStream id: NodeIdentifier)
    func audioGraph(appeared device: AudioDevice)
    func audioGraph(changed device: AudioDevice)
    func audioGraph(goneDevice id: NodeIdentifier)
    func audioGraph(defaults: DefaultDevices)
    /// Of the default sink; nil while there is none.
    func audioGraph(volume: SinkVolume?)
}
