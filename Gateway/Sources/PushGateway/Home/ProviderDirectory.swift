internal import PushCore
internal import Wire

/// `providers.json`: the keys whose tokens the gateway takes.
struct ProviderDirectory {
    struct Entry {
        var key: ProviderKey
        /// PEM.
        var publicKey: String
    }

    private(set) var keys: [Entry] = []

    static func exists(_ home: GatewayHome) throws -> Bool { home.exists(home.providers) }

    /// Empty if there is no such file yet.
    init(_ home: GatewayHome) throws {
        guard home.exists(home.providers) else { return }
        do {
            for json in try home.json(home.providers).array("keys") {
                let apps = try json.optionalList("apps")
                let key = ProviderKey(
                    id: try json.string("id"), team: try json.string("team"), apps: apps.map(Set.init),
                    isSuspended: try json.bool("suspended", default: false))
                keys.append(Entry(key: key, publicKey: try json.string("publicKey")))
            }
        } catch let error as RPCError {
            throw GatewayError("\(home.providers): \(error)")
        }
    }

    mutating func add(_ key: ProviderKey, publicKey: String) {
        keys.removeAll { $0.key.id == key.id }
        keys.append(Entry(key: key, publicKey: publicKey))
    }

    func save(_ home: GatewayHome) throws {
        let list = keys.map { entry -> JSONValue in
            [
                "id": .string(entry.key.id), "team": .string(entry.key.team),
                "apps": entry.key.apps.map { .array($0.sorted().map(JSONValue.string)) } ?? .null,
                "suspended": .bool(entry.key.isSuspended), "publicKey": .string(entry.publicKey),
            ]
        }
        try home.write("\(JSONValue.object(["keys": .array(list)]))\n", to: home.providers)
    }
}

extension JSONValue {
    fileprivate func optionalList(_ name: String) throws(RPCError) -> [String]? {
        self[name] == nil ? nil : try array(name).compactMap(\.string)
    }
}
