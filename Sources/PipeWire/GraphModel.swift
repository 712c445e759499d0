/// What there is in a daemon, as it told. It does nothing; `AudioGraph` does.
struct GraphModel {
    struct Node {
        var properties: [String: String]
        var state: Int32 = 0
        var error: String?
        /// Whether more is known than it appeared with.
        var isDescribed = false

        var serial: NodeIdentifier? { properties["object.serial"].flatMap { UInt64($0) }.map(NodeIdentifier.init) }
        var mediaClass: String { properties["media.class"] ?? "" }
        var client: UInt32? { properties["client.id"].flatMap { UInt32($0) } }
        func isTrue(_ key: String) -> Bool { ["true", "1"].contains(properties[key]) }

        var streamDirection: GraphStream.Direction? {
            switch mediaClass {
            case "Stream/Output/Audio": .playback
            case "Stream/Input/Audio": .capture
            default: nil
            }
        }

        var deviceDirection: AudioDevice.Direction? {
            switch mediaClass {
            case "Audio/Sink": .sink
            case "Audio/Source", "Audio/Source/Virtual": .source
            default: nil
            }
        }
    }

    struct Port {
        let node: UInt32
        let isInput: Bool
        let isMonitor: Bool
        let channel: String
    }

    struct Link: Hashable {
        let from: End
        let to: End
        let client: UInt32?
        /// Whether samples may go through it; nil while nothing is known of that.
        var isActive: Bool?

        struct End: Hashable {
            let node: UInt32
            let port: UInt32
        }

        func joins(_ node: UInt32) -> Bool { from.node == node || to.node == node }
        func peer(of node: UInt32) -> UInt32 { from.node == node ? to.node : from.node }
    }

    struct Client {
        var properties: [String: String]
        /// Whether it is a connection that pipewire-pulse made for a client of its own.
        var isPulse = false
    }

    var nodes: [UInt32: Node] = [:]
    var ports: [UInt32: Port] = [:]
    var links: [UInt32: Link] = [:]
    var clients: [UInt32: Client] = [:]
    /// What each card says of itself.
    var cards: [UInt32: [String: String]] = [:]
    /// The routes of each card that were told, by the part that uses them.
    var routes: [UInt32: [Int32: Int32]] = [:]
    /// The number of the metadata object `default`.
    var metadata: UInt32?
    var settings: [String: String] = [:]
    /// What it says of single nodes.
    var nodeSettings: [UInt32: [String: Setting]] = [:]
    /// Which client is this process's own connection.
    var own: UInt32?

    private static let sessionManagers: Set<String> = ["WirePlumber", "pipewire-media-session"]

    var hasSessionManager: Bool {
        clients.values.contains { Self.sessionManagers.contains($0.properties["application.name"] ?? "") }
    }

    // MARK: What is asked of it

    func node(_ id: NodeIdentifier) -> UInt32? { nodes.first { $0.value.serial == id }?.key }

    func node(named name: String) -> UInt32? { nodes.first { $0.value.properties["node.name"] == name }?.key }

    /// The device that a text names by its number or its name.
    func device(named text: String) -> UInt32? {
        UInt64(text).flatMap { node(NodeIdentifier(serial: $0)) } ?? node(named: text)
    }

    mutating func setMetadata(_ subject: UInt32, _ key: String?, _ setting: Setting?) {
        if subject == 0 {
            if let key { settings[key] = setting?.value } else { settings = [:] }
        } else if let key {
            nodeSettings[subject, default: [:]][key] = setting
        } else {
            nodeSettings[subject] = nil
        }
    }

    func links(of node: UInt32) -> [UInt32: Link] { links.filter { $0.value.joins(node) } }

    /// The sinks and sources that a stream is linked to.
    func devices(of node: UInt32) -> Set<NodeIdentifier> {
        var found: Set<NodeIdentifier> = []
        for link in links.values where link.joins(node) {
            guard let peer = nodes[link.peer(of: node)], peer.mediaClass.hasPrefix("Audio/") else { continue }
            if let serial = peer.serial { found.insert(serial) }
        }
        return found
    }

    /// Whether one of a stream's links to its device is active, and another is not.
    func isHalfActive(_ node: UInt32) -> Bool {
        let states = links(of: node).values.filter { nodes[$0.peer(of: node)]?.deviceDirection != nil }.map(\.isActive)
        return Repair.isHalf(states)
    }

    /// Ports in the order in which they were made.
    func ports(of node: UInt32, isInput: Bool, isMonitor: Bool = false) -> [(id: UInt32, port: Port)] {
        ports.filter { $0.value.node == node && $0.value.isInput == isInput && $0.value.isMonitor == isMonitor }
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The device that `key` names, such as `default.audio.sink`.
    func device(inSetting key: String) -> UInt32? {
        settings[key].flatMap(Self.name(inJSON:)).flatMap(node(named:))
    }

    /// The device with the highest priority.
    func bestDevice(_ direction: AudioDevice.Direction) -> UInt32? {
        nodes.filter { $0.value.deviceDirection == direction }
            .max { a, b in
                let (first, second) = (Self.priority(a.value), Self.priority(b.value))
                return (first, b.key) < (second, a.key)
            }?.key
    }

    static func priority(_ node: Node) -> Int { node.properties["priority.session"].flatMap { Int($0) } ?? 0 }

    /// The value of `name` in an object of JSON whose values are strings.
    static func name(inJSON text: String) -> String? {
        guard let key = text.firstRange(of: "\"name\"") else { return nil }
        let rest = text[key.upperBound...].drop { $0 == " " || $0 == ":" }
        guard rest.first == "\"" else { return nil }
        var (name, isEscaped) = ("", false)
        for character in rest.dropFirst() {
            if isEscaped {
                name.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                return name
            } else {
                name.append(character)
            }
        }
        return nil
    }

    static func json(naming name: String) -> String {
        let escaped = name.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
        return "{ \"name\": \"\(String(escaped))\" }"
    }

    // MARK: Values

    func stream(_ id: UInt32) -> GraphStream? {
        guard let node = nodes[id], node.isDescribed, let direction = node.streamDirection, let serial = node.serial,
            let client = node.client, client != own
        else { return nil }
        let owner = clients[client]
        let properties = owner?.properties ?? [:]
        let isPulse = owner?.isPulse ?? false
        let pid = properties[isPulse ? "application.process.id" : "pipewire.sec.pid"].flatMap { CInt($0) }
        return GraphStream(
            id: serial, node: id, direction: direction, pid: pid, isPidCertain: !isPulse && pid != nil,
            isPulse: isPulse,
            applicationName: node.properties["application.name"] ?? properties["application.name"],
            mediaName: node.properties["media.name"], mediaRole: node.properties["media.role"],
            tag: node.properties["greenroom.stream"], state: Self.state(node), devices: devices(of: id))
    }

    func properties(ofCardOf node: Node) -> [String: String] {
        node.properties["device.id"].flatMap { UInt32($0) }.flatMap { cards[$0] } ?? [:]
    }

    private static func state(_ node: Node) -> GraphStream.State {
        switch node.state {
        case 0: .creating
        case 1: .suspended
        case 2: .idle
        case 3: .running
        default: .failed(node.error ?? "the stream failed")
        }
    }

    func device(_ id: UInt32) -> AudioDevice? {
        guard let node = nodes[id], node.isDescribed, let direction = node.deviceDirection, let serial = node.serial
        else { return nil }
        // A card says more of itself than its nodes do.
        let card = properties(ofCardOf: node)
        let properties = node.properties.merging(card) { own, _ in own }
        let name = properties["node.name"] ?? ""
        return AudioDevice(
            id: serial, node: id, direction: direction, name: name,
            description: properties["node.description"] ?? properties["node.nick"] ?? name,
            formFactor: properties["device.form-factor"], api: properties["device.api"],
            bus: properties["device.bus"], priority: Self.priority(node))
    }
}
