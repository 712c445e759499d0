internal import FoundationEssentials
internal import TransferCore

/// A URL that can be asked: http or https, with a host and a port that there can be. Redirects and places to resume at
/// come from servers: what the libraries below would trap on ends here.
package struct Address: Hashable, Sendable {
    package let text: String
    package let scheme: String
    package let host: String
    package let port: Int
    /// Without the query.
    package let path: String
    /// Path and query, as in the request line.
    package let target: String

    package init?(_ text: String, relativeTo base: Address? = nil) {
        guard text.utf8.count <= 16_384 else { return nil }
        let found = base.flatMap { URL(string: $0.text) }
        guard let url = URL(string: text, relativeTo: found)?.absoluteURL, let scheme = url.scheme?.lowercased(),
            let host = url.host(percentEncoded: false)?.lowercased(), !host.isEmpty,
            scheme == "http" || scheme == "https"
        else { return nil }
        // What stands behind # is the client's own.
        let text = String(url.absoluteString.prefix { $0 != "#" })
        // What is written with % is three times as long, and has to be readable again. Two readers that do not agree on
        // where it leads are one too many.
        guard text.utf8.count <= 16_384, let strict = TransferCore.Address(text), strict.scheme == scheme,
            (url.port ?? (scheme == "https" ? 443 : 80)) == Int(strict.port), Self.canBeHost(host)
        else { return nil }
        self.text = text
        self.scheme = scheme
        self.host = host
        port = Int(strict.port)
        let path = url.path(percentEncoded: true)
        self.path = path.isEmpty ? "/" : path
        target = self.path + (url.query(percentEncoded: true).map { "?" + $0 } ?? "")
    }

    /// As SOCKS and DNS take it, behind what was percent-encoded.
    private static func canBeHost(_ host: String) -> Bool {
        let name = host.utf8.drop { $0 == UInt8(ascii: "[") }.prefix { $0 != UInt8(ascii: "]") }
        return (1...255).contains(name.count) && host.utf8.count <= 255 && name.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }

    /// It is reached without any network.
    var isLoopback: Bool { TransferCore.Address(text)?.isLoopback ?? false }

    var isSecure: Bool { scheme == "https" }

    func hasSameOrigin(as other: Address) -> Bool {
        scheme == other.scheme && host == other.host && port == other.port
    }

    /// What credentials are good for.
    func isIn(_ space: ChallengeSpace) -> Bool {
        host == space.host.lowercased() && port == Int(space.port) && scheme == space.scheme
    }
}

/// Where an answer sends whoever asked.
package struct Redirect: Sendable {
    package let address: Address
    package let method: String
    let keepsBody: Bool

    package enum Outcome {
        case none
        case follow(Redirect)
        /// To what is neither http nor https, or to nothing at all.
        case elsewhere
    }

    package static func read(status: Int, location: String?, method: String, from address: Address) -> Outcome {
        guard [301, 302, 303, 307, 308].contains(status), let location else { return .none }
        guard let next = Address(location, relativeTo: address) else { return .elsewhere }
        let becomesGet = (status == 303 && method != "HEAD") || (method == "POST" && (status == 301 || status == 302))
        return .follow(Redirect(address: next, method: becomesGet ? "GET" : method, keepsBody: !becomesGet))
    }
}
