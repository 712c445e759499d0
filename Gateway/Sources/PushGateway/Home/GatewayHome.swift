internal import LinuxSystem
internal import Wire

/// What a gateway says to a person when it cannot do what it should.
package struct GatewayError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// The folder of a gateway. Everything in it is readable by its owner only: it holds the keys.
package struct GatewayHome: Sendable {
    package let path: String

    package init(_ path: String) { self.path = FileSystem.exists(path) ? FileSystem.realPath(path) : path }

    var settings: String { path + "/gateway.json" }
    var providers: String { path + "/providers.json" }
    package var authority: String { path + "/ca.pem" }
    var authorityKey: String { path + "/ca-key.pem" }
    /// Authorities of certificates that providers have from elsewhere; may be absent.
    var otherAuthorities: String { path + "/provider-ca.pem" }
    var certificate: String { path + "/server.pem" }
    var certificateKey: String { path + "/server-key.pem" }
    /// 32 bytes in hexadecimal digits: with them anyone can make device tokens.
    var secret: String { path + "/token-secret" }
    package var database: String { path + "/messages.sqlite" }

    func providerKey(_ id: String) -> String { "\(path)/provider/AuthKey_\(id).p8" }
    func providerCertificate(_ name: String) -> String { "\(path)/provider/\(name).pem" }

    func exists(_ file: String) -> Bool { FileSystem.exists(file) }

    func makeFolders() throws {
        for folder in [path, path + "/provider"] {
            try FileSystem.makeDirectory(folder)
            try FileSystem.changeMode(folder, to: 0o700)
        }
    }

    /// Held as long as the descriptor is open: two gateways would hide messages from each other.
    func lock() throws -> Descriptor {
        let file = try Descriptor.open(path + "/lock", .readWrite, create: 0o600, followsLinks: false)
        guard try file.lock() else {
            throw GatewayError(
                "another gateway serves \(path): end it, or let several gateways share NATS, each with its own home")
        }
        return file
    }

    func write(_ text: String, to file: String) throws { try FileSystem.replace(file, with: Array(text.utf8)) }

    func read(_ file: String) throws(GatewayError) -> String {
        guard let bytes = FileSystem.read(file, limit: 1 << 24) else {
            throw GatewayError(
                "\(file) cannot be read; `greenroom-pushgate init --home \(path)` makes what a gateway needs")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    func json(_ file: String) throws(GatewayError) -> JSONValue {
        do {
            return try JSONValue(parsing: Array(try read(file).utf8), limits: .answer)
        } catch let error as JSONError {
            throw GatewayError("\(file) is not JSON: \(error)")
        } catch {
            throw GatewayError("\(error)")
        }
    }
}
