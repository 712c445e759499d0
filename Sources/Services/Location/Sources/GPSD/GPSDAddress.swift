/// Where a gpsd listens.
package enum GPSDAddress: Hashable, Sendable, CustomStringConvertible {
    case tcp(host: String, port: UInt16)
    /// A socket that passes on to a gpsd: gpsd itself offers its protocol only by TCP.
    case unix(String)

    /// Where gpsd listens unless it is configured otherwise.
    package static let standard = GPSDAddress.tcp(host: "127.0.0.1", port: standardPort)
    private static let standardPort: UInt16 = 2947

    /// `HOST`, `HOST:PORT`, `[IPv6]:PORT` or the absolute path of a socket.
    package init?(_ text: String) {
        guard !text.isEmpty, !text.utf8.contains(0) else { return nil }
        if text.hasPrefix("/") {
            self = .unix(text)
            return
        }
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            let host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard !host.isEmpty, rest.isEmpty || rest.hasPrefix(":") else { return nil }
            guard let port = Self.port(rest.dropFirst()) else { return nil }
            self = .tcp(host: String(host), port: port)
            return
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let host = parts.first, !host.isEmpty else { return nil }
        guard parts.count == 1 || !parts[1].isEmpty, let port = Self.port(parts.dropFirst().first ?? "") else {
            return nil
        }
        self = .tcp(host: String(host), port: port)
    }

    private static func port(_ text: Substring) -> UInt16? {
        guard !text.isEmpty else { return standardPort }
        return UInt16(text).flatMap { $0 > 0 ? $0 : nil }
    }

    package var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): path
        }
    }
}
