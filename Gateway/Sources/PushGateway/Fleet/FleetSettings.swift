package import Model
internal import NATSClient
internal import Wire

/// Where the store is that the gateways of a fleet share: the `nats` of `gateway.json`.
package struct FleetSettings: Sendable, Hashable {
    /// `nats://HOST:PORT`, as many as are known; the others are heard of from these.
    package var servers: [String]
    /// What subjects and streams begin with: several fleets may have one cluster.
    package var prefix = "push"
    /// How many servers keep each message. Unless it is said, three where there are three, else one.
    package var replicas: Int?
    /// Streams that the devices are spread over when a fleet is made. They have leaders of their own, so the servers
    /// share the work.
    package var parts = 8
    /// How long a gateway that starts waits for the store: its servers may have just begun to choose their leaders.
    package var patience = Span.seconds(30)
    package var credentials: String?
    package var authority: String?
    package var certificate: String?
    package var certificateKey: String?

    package init(servers: [String]) { self.servers = servers }

    init(json: JSONValue) throws {
        servers = try json.array("servers").compactMap(\.string)
        prefix = try json.optionalString("prefix") ?? prefix
        replicas = try json.optionalInt("replicas")
        parts = try json.optionalInt("parts") ?? parts
        if let seconds = try json.optionalNumber("patience") { patience = .seconds(max(0, seconds)) }
        credentials = try json.optionalString("credentials")
        authority = try json.optionalString("authority")
        certificate = try json.optionalString("certificate")
        certificateKey = try json.optionalString("key")
        try check()
    }

    func check() throws(GatewayError) {
        guard !servers.isEmpty, servers.allSatisfy({ !$0.isEmpty && !$0.contains(",") }) else {
            throw GatewayError("nats.servers must list an address of NATS, such as nats://127.0.0.1:4222")
        }
        let isPlain = prefix.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
        guard (1...32).contains(prefix.utf8.count), isPlain else {
            throw GatewayError("nats.prefix must be letters, digits, - and _, not \(prefix)")
        }
        guard replicas.map({ (1...5).contains($0) }) ?? true else {
            throw GatewayError("nats.replicas must be from 1 to 5")
        }
        guard (1...256).contains(parts) else { throw GatewayError("nats.parts must be from 1 to 256") }
        guard (certificate == nil) == (certificateKey == nil) else {
            throw GatewayError("nats.certificate and nats.key must be given together")
        }
    }

    var client: NATSSettings {
        var client = NATSSettings(servers: servers, name: "greenroom-pushgate")
        client.credentials = credentials
        client.authority = authority
        if let certificate, let certificateKey { client.certificate = (certificate, certificateKey) }
        return client
    }
}
