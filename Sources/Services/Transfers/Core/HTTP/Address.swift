/// What the Core reads of a URL: whether it may be fetched at all, and which server it is at.
package struct Address: Hashable, Sendable {
    package var scheme: String
    package var host: String
    package var port: Int32

    /// `nil` unless it is an absolute `http` or `https` URL with a host.
    package init?(_ url: String) {
        // A control character or a space in a URL is nobody's wish.
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }), let colon = url.utf8.firstIndex(of: 0x3A) else {
            return nil
        }
        let scheme = url[..<colon].lowercased()
        guard scheme == "http" || scheme == "https", url[colon...].hasPrefix("://") else { return nil }
        let rest = url[url.utf8.index(colon, offsetBy: 3)...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" && $0 != "\\" }
        let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        var host = place
        var port: Int32 = scheme == "https" ? 443 : 80
        let hostEnd = place.hasPrefix("[") ? place.firstIndex(of: "]") : nil
        if place.hasPrefix("["), hostEnd == nil { return nil }
        if let last = place.lastIndex(of: ":"), hostEnd.map({ $0 < last }) ?? true {
            host = place[..<last]
            let digits = place[place.index(after: last)...]
            if !digits.isEmpty {
                guard let value = Int64(digits: String(digits)), (1...65_535).contains(value) else { return nil }
                port = Int32(value)
            }
        }
        let name = host.drop { $0 == "[" }.prefix { $0 != "]" }
        guard !name.isEmpty, host.utf8.count <= 255 else { return nil }
        self.scheme = scheme
        self.host = host.lowercased()
        self.port = port
    }

    /// It is reached without any network.
    package var isLoopback: Bool {
        host == "localhost" || host == "[::1]"
            || host.hasPrefix("127.") && host.utf8.allSatisfy { $0 == 0x2E || (0x30...0x39).contains($0) }
    }

    /// What limits on connections count by.
    package var server: String { "\(scheme)://\(host):\(port)" }
}
