/// Where a gateway is, and whom to believe that it is one.
package struct LinkTarget: Sendable, Hashable {
    package var host: String
    package var port: Int
    /// Certificates in PEM; `nil`: those that the machine trusts.
    package var roots: String?

    package static let scheme = "greenroom-push"
    /// Where gateways listen for devices.
    package static let defaultPort = 5223

    package init(host: String, port: Int = defaultPort, roots: String? = nil) {
        self.host = host
        self.port = port
        self.roots = roots
    }

    /// Reads `greenroom-push://HOST:PORT`, `HOST:PORT` or `HOST`; `nil` where it is none of them.
    package init?(_ url: String, roots: String? = nil) {
        var rest = url[...]
        if let end = rest.firstRange(of: "://") {
            guard rest[..<end.lowerBound].lowercased() == Self.scheme else { return nil }
            rest = rest[end.upperBound...]
        }
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        var host = rest
        var port: Substring?
        if rest.hasPrefix("[") {
            guard let end = rest.firstIndex(of: "]") else { return nil }
            host = rest[rest.index(after: rest.startIndex)..<end]
            let tail = rest[rest.index(after: end)...]
            guard tail.isEmpty || tail.hasPrefix(":") else { return nil }
            port = tail.isEmpty ? nil : tail.dropFirst()
            guard host.utf8.allSatisfy({ $0 == 0x3A || $0 == 0x2E || $0 == 0x25 || Self.isNameByte($0) }) else {
                return nil
            }
        } else {
            if let colon = rest.lastIndex(of: ":") {
                host = rest[..<colon]
                port = rest[rest.index(after: colon)...]
            }
            guard host.utf8.allSatisfy({ $0 == 0x2E || Self.isNameByte($0) }) else { return nil }
        }
        guard (1...253).contains(host.utf8.count) else { return nil }
        var number = Self.defaultPort
        if let port {
            guard port.allSatisfy(\.isWholeNumber), let given = Int(port), (1...65_535).contains(given) else {
                return nil
            }
            number = given
        }
        self.init(host: host.lowercased(), port: number, roots: roots)
    }

    /// Letters, digits, `-` and `_`.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
