/// What processes have of the machine's GPUs, as the kernel tells in `/proc/PID/fdinfo` (drm-usage-stats); of NVIDIA's
/// own driver, which tells nothing there, only which devices are open.
package struct GPUClients: Hashable, Sendable {
    /// A context, by what names it wherever it is open.
    package struct Client: Hashable, Sendable {
        package var driver: String
        /// The device and the number of the client; of NVIDIA's driver the process, the descriptor and the device.
        package var name: String

        package init(driver: String, name: String) {
            self.driver = driver
            self.name = name
        }
    }

    /// What each has used so far, in the driver's unit: nanoseconds or cycles of all engines.
    package private(set) var used: [Client: UInt64] = [:]

    package init() {}

    /// A folder of devices says whether it is worth while to look.
    package static func areThere(devices: String = "/dev") -> Bool {
        FileSystem.names(in: devices + "/dri").contains { $0.hasPrefix("card") || $0.hasPrefix("renderD") }
            || FileSystem.names(in: devices).contains { isNVIDIA("/dev/" + $0) }
    }

    /// `/dev/nvidia0` is a GPU; `/dev/nvidiactl` and the others are not.
    static func isNVIDIA(_ path: String) -> Bool {
        guard path.hasPrefix("/dev/nvidia") else { return false }
        let number = path.dropFirst("/dev/nvidia".count)
        return !number.isEmpty && number.allSatisfy(\.isNumber)
    }

    /// Of all these processes together: a context that several have open counts once.
    package init(of processes: [CInt], in procFS: ProcFS) {
        for table in processes.flatMap(procFS.descriptorTables) {
            for descriptor in table.descriptors {
                // Every other descriptor costs no more than its link.
                guard let path = FileSystem.linkTarget(table.link(descriptor)) else { continue }
                if Self.isNVIDIA(path) {
                    used[Client(driver: "nvidia", name: "\(table.pid) \(descriptor) \(path)")] = 0
                } else if path.hasPrefix("/dev/dri/"),
                    let bytes = FileSystem.read(table.info(descriptor), limit: 1 << 16),
                    let (client, used) = Self.parse(String(decoding: bytes, as: UTF8.self), device: path)
                {
                    self.used[client] = max(self.used[client] ?? 0, used)
                }
            }
        }
    }

    /// `nil` for what is no client: a descriptor that only sets modes, or a driver that does not count.
    package static func parse(_ text: String, device: String) -> (Client, UInt64)? {
        guard let driver = ProcFS.field("drm-driver", in: text), let id = ProcFS.field("drm-client-id", in: text) else {
            return nil
        }
        var used: UInt64 = 0
        for line in text.split(separator: "\n") {
            let isCounter =
                line.hasPrefix("drm-engine-") && !line.hasPrefix("drm-engine-capacity-")
                || line.hasPrefix("drm-cycles-")
            guard isCounter, let colon = line.firstIndex(of: ":") else { continue }
            let words = line[line.index(after: colon)...].split { $0 == " " || $0 == "\t" }
            if let number = words.first.flatMap({ UInt64($0) }) { used &+= number }
        }
        // The number of a client is the device's own.
        let place = ProcFS.field("drm-pdev", in: text) ?? device
        return (Client(driver: driver, name: "\(place) \(id)"), used)
    }

    package enum Change: Hashable, Sendable {
        case newClient(driver: String)
        case work(driver: String)
    }

    /// What was done since an earlier look, contexts first; `nil` when there was nothing.
    package func change(since earlier: GPUClients) -> Change? {
        let ordered = used.keys.sorted { ($0.driver, $0.name) < ($1.driver, $1.name) }
        if let new = ordered.first(where: { earlier.used[$0] == nil }) { return .newClient(driver: new.driver) }
        let busy = ordered.first { (used[$0] ?? 0) > (earlier.used[$0] ?? 0) }
        return busy.map { .work(driver: $0.driver) }
    }
}
