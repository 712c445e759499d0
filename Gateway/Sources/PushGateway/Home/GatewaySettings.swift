package import Model
package import PushCore
internal import Wire

/// Where a program listens.
package struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    package var host: String
    package var port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// `HOST:PORT`, `[ADDRESS]:PORT` or `:PORT`.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65_535).contains(port)
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        self.init(host: host.isEmpty ? "0.0.0.0" : String(host), port: port)
    }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// `gateway.json`: what a person may set. A key that is missing has its default.
package struct GatewaySettings: Sendable {
    /// The names in the server's certificate, by which providers and devices reach it.
    package var names: [String]
    /// Providers, HTTP/2 over TLS. Apple's second port.
    package var listen = ListenAddress(host: "0.0.0.0", port: 2197)
    /// Devices.
    package var link = ListenAddress(host: "0.0.0.0", port: 5223)
    /// `/metrics` and `/healthz`, HTTP without TLS.
    package var metrics = ListenAddress(host: "127.0.0.1", port: 9197)
    package var environment = CertificateFacts.Environment.production
    package var rules = PushRules()
    package var connection = ConnectionRules()
    /// The most connections at once. `nil`: as many as the process can have descriptors for.
    package var mostConnections: Int?
    /// Bytes that stored messages may take on the disk; beyond, providers hear `ServiceUnavailable`.
    package var storeLimit = 16 << 30
    /// The store that this gateway shares with others. Without it, messages are kept in its own folder.
    package var fleet: FleetSettings?

    package init(names: [String]) { self.names = names }

    init(json: JSONValue) throws(GatewayError) {
        do {
            names = try json.array("names").compactMap(\.string)
            for (key, path) in [
                ("listen", \GatewaySettings.listen), ("link", \.link), ("metrics", \.metrics),
            ] as [(String, WritableKeyPath<GatewaySettings, ListenAddress>)] {
                guard let text = try json.optionalString(key) else { continue }
                guard let address = ListenAddress(text) else {
                    throw GatewayError("\(key) must be HOST:PORT, not \(text)")
                }
                self[keyPath: path] = address
            }
            if json["environment"] != nil { environment = try json.word("environment") }
            storeLimit = try json.optionalInt("storeLimit") ?? storeLimit
            mostConnections = try json.optionalInt("mostConnections").map { max(256, $0) }
            if let nats = json["nats"] { fleet = try FleetSettings(json: nats) }
            try readRules(json)
        } catch let error as RPCError {
            throw GatewayError(error.description)
        } catch let error as GatewayError {
            throw error
        } catch {
            throw GatewayError("\(error)")
        }
        guard !names.isEmpty else { throw GatewayError("names must list a name of the gateway") }
    }

    private mutating func readRules(_ json: JSONValue) throws(RPCError) {
        for (key, path) in Self.spans {
            if let seconds = try json.optionalNumber(key) { rules[keyPath: path] = .seconds(max(0, seconds)) }
        }
        for (key, path) in Self.connectionSpans {
            if let seconds = try json.optionalNumber(key) { connection[keyPath: path] = .seconds(max(0, seconds)) }
        }
        for (key, path) in Self.counts {
            if let count = try json.optionalInt(key) { rules[keyPath: path] = max(1, count) }
        }
        if let rate = try json.optionalNumber("requestsPerSecond") { rules.requestsPerSecond = max(0, rate) }
    }

    private static var spans: [(String, WritableKeyPath<PushRules, Span>)] {
        [
            ("longestStorage", \.longestStorage), ("tokenLifetime", \.tokenLifetime), ("tokenRefresh", \.tokenRefresh),
            ("tokenTolerance", \.tokenTolerance), ("deviceLifetime", \.deviceLifetime),
            ("deviceSilence", \.deviceSilence), ("deviceStall", \.deviceStall), ("greeting", \.greeting),
            ("crowdedGreeting", \.crowdedGreeting),
        ]
    }

    private static var connectionSpans: [(String, WritableKeyPath<ConnectionRules, Span>)] {
        [
            ("handshake", \.handshake), ("idle", \.idle), ("slowRequest", \.slowRequest), ("grace", \.grace),
        ]
    }

    private static var counts: [(String, WritableKeyPath<PushRules, Int>)] {
        [
            ("requestBurst", \.requestBurst), ("tokensPerKey", \.tokensPerKey), ("wrongTokens", \.wrongTokens),
            ("unacknowledged", \.unacknowledged), ("endedTopics", \.endedTopics), ("unproven", \.unproven),
        ]
    }

    var json: JSONValue {
        [
            "names": .array(names.map(JSONValue.string)), "listen": .string(listen.description),
            "link": .string(link.description), "metrics": .string(metrics.description),
            "environment": .string(environment.rawValue),
        ]
    }
}

/// How long a provider's connection may take for what.
package struct ConnectionRules: Sendable {
    /// TLS, and the first frame after it.
    package var handshake = Span.seconds(10)
    /// A connection without requests.
    package var idle = Span.seconds(3600)
    /// From a request's first byte to its last one, and for a client that reads nothing.
    package var slowRequest = Span.seconds(30)
    /// From the word that the gateway ends to its end.
    package var grace = Span.seconds(10)

    package init() {}
}
