internal import JWTKit
package import PushCore
internal import PushLink
package import Wire

/// What a provider has to know to send through this gateway.
package struct ProviderInstructions: Sendable {
    var host: String
    var port: Int
    /// The certificate that a provider has to trust.
    var authority: String
    var team: String
    var key: String
    /// The `.p8` file, as Apple's portal gives it.
    var keyFile: String
    /// Where devices connect.
    var link: ListenAddress

    package var json: JSONValue {
        [
            "host": .string(host), "port": .int(Int64(port)), "authority": .string(authority),
            "team": .string(team), "key": .string(key), "keyFile": .string(keyFile),
            "link": .string("\(host):\(link.port)"),
        ]
    }

    package var text: String {
        """
        A provider sends to this gateway as it sends to Apple's, with these settings:

          host           \(host)
          port           \(port)
          trust          \(authority)
          team           \(team)
          key            \(key)
          key file       \(keyFile)

        Devices connect to \(host):\(link.port):

          greenroom push gateway greenroom-push://\(host):\(link.port) --ca \(authority)

        """
    }
}

enum RandomBytes {
    /// The system's generator: fit for secrets.
    static func make(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 7)
        // Eight at a time: each question to the generator is a system call.
        while bytes.count < count {
            var word = UInt64.random(in: .min ... .max)
            for _ in 0..<8 {
                bytes.append(UInt8(truncatingIfNeeded: word))
                word >>= 8
            }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}

/// Makes and changes what is in a gateway's folder.
package struct GatewayInitialization {
    private let home: GatewayHome

    package init(_ home: GatewayHome) { self.home = home }

    /// Makes whatever is missing. What is there stays: keys that providers have must go on to work.
    package func run(
        names: [String], listen: ListenAddress?, link: ListenAddress?, team: String?
    ) throws -> ProviderInstructions {
        try home.makeFolders()
        var settings = home.exists(home.settings) ? try GatewaySettings(json: home.json(home.settings)) : nil
        let isNew = settings == nil
        var present = settings ?? GatewaySettings(names: names.isEmpty ? ["localhost", "127.0.0.1"] : names)
        if !isNew, !names.isEmpty { present.names = names }
        if let listen { present.listen = listen }
        if let link { present.link = link }
        if isNew || !names.isEmpty || listen != nil || link != nil {
            try home.write("\(merged(present.json))\n", to: home.settings)
        }
        settings = present
        let authority = try authority(name: present.names[0])
        let hasNames = settings?.names == names || names.isEmpty
        if !home.exists(home.certificate) || !hasNames || !names.isEmpty {
            try renewServer(authority, names: present.names)
        }
        if !home.exists(home.secret) {
            let secret = RandomBytes.make(32)
            try home.write(Hexadecimal.text(secret) + "\n", to: home.secret)
        }
        let key = try ProviderDirectory.exists(home) ? nil : addKey(team: team)
        return try instructions(present, key: key)
    }

    /// A person's other settings stay.
    private func merged(_ json: JSONValue) throws -> JSONValue {
        guard home.exists(home.settings), case .object(var old) = try home.json(home.settings),
            case .object(let new) = json
        else { return json }
        for member in new.members { old[member.key] = member.value }
        return .object(old)
    }

    private func authority(name: String) throws -> Authority {
        if home.exists(home.authority), home.exists(home.authorityKey) {
            return try Authority(
                certificate: try home.read(home.authority), key: try home.read(home.authorityKey))
        }
        let authority = try Authority(name: name)
        try home.write(authority.keyText, to: home.authorityKey)
        try home.write(try authority.certificateText(), to: home.authority)
        return authority
    }

    private func renewServer(_ authority: Authority, names: [String]) throws {
        let server = try authority.server(names: names)
        // The key first: a certificate without its key would not do.
        try home.write(server.keyText, to: home.certificateKey)
        try home.write(try server.certificateText(), to: home.certificate)
    }

    /// Renews the server's certificate in its last month; one from elsewhere is its owner's affair.
    func renewServerIfNeeded(_ settings: GatewaySettings) throws {
        guard home.exists(home.authorityKey), home.exists(home.certificate) else { return }
        let certificate = try home.certificate(in: home.certificate)
        guard ServerCertificate.endsSoon(certificate, own: try home.certificate(in: home.authority)) else { return }
        try renewServer(try authority(name: settings.names[0]), names: settings.names)
    }

    /// A new key of a team.
    package func addKey(team: String?, apps: [String] = []) throws -> ProviderKey {
        if let team, !isIdentifier(team) { throw GatewayError("a team is ten capital letters and digits, not \(team)") }
        for app in apps where !LinkRules.isTopic(app) { throw GatewayError("\(app) is not an app's identifier") }
        let key = ES256PrivateKey()
        let record = ProviderKey(
            id: identifier(), team: team ?? identifier(), apps: apps.isEmpty ? nil : Set(apps))
        try home.makeFolders()
        try home.write(key.pemRepresentation + "\n", to: home.providerKey(record.id))
        var directory = try ProviderDirectory(home)
        directory.add(record, publicKey: key.publicKey.pemRepresentation)
        try directory.save(home)
        return record
    }

    package func keyInstructions(_ key: ProviderKey) throws -> ProviderInstructions {
        try instructions(try GatewaySettings(json: home.json(home.settings)), key: key)
    }

    private func instructions(_ settings: GatewaySettings, key: ProviderKey?) throws -> ProviderInstructions {
        guard let key = try key ?? ProviderDirectory(home).keys.first?.key else {
            throw GatewayError("\(home.providers) lists no key; `greenroom-pushgate key --home \(home.path)` adds one")
        }
        return ProviderInstructions(
            host: settings.names[0], port: settings.listen.port, authority: home.authority, team: key.team,
            key: key.id, keyFile: home.providerKey(key.id), link: settings.link)
    }

    /// A certificate with which a provider authenticates itself, and its key, in one file.
    package func addCertificate(app: String, topics: [String], isDevelopment: Bool) throws -> String {
        for topic in [app] + topics where !LinkRules.isTopic(topic) {
            throw GatewayError("\(topic) is not an app's identifier")
        }
        let authority = try Authority(
            certificate: try home.read(home.authority), key: try home.read(home.authorityKey))
        let credential = try authority.provider(app: app, topics: topics, isDevelopment: isDevelopment)
        let file = home.providerCertificate(isDevelopment ? app + ".development" : app)
        try home.makeFolders()
        try home.write(try credential.certificateText() + credential.keyText, to: file)
        return file
    }

    /// Ten capital letters and digits, as Apple's identifiers are.
    private func identifier() -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        return String((0..<10).compactMap { _ in letters.randomElement() })
    }

    private func isIdentifier(_ text: String) -> Bool {
        text.utf8.count == 10 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
    }
}
