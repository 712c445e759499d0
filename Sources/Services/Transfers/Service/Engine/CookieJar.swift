internal import TransferCore
internal import TransferWire
package import Wire

/// The cookies of a session (RFC 6265): which are kept, and which go along with a request.
package struct CookieJar: Hashable, Sendable {
    package struct Cookie: Hashable, Sendable {
        package var name: String
        package var value: String
        /// Without a leading dot, in small letters.
        var domain: String
        /// Only that very host.
        var isHostOnly: Bool
        var path: String
        package var isSecure: Bool
        /// Seconds since 1970; `nil`: as long as the session.
        var expires: Double?
    }

    /// What one session may keep, all hosts together.
    package static let most = 300
    static let longest = 4096

    package private(set) var cookies: [Cookie] = []

    package init() {}

    /// What a server set. Answers whether anything changed.
    @discardableResult
    package mutating func store(_ headers: [String], host: String, path: String, isSecure: Bool, now: Double) -> Bool {
        let before = cookies
        for header in headers.prefix(50) {
            guard let cookie = Self.cookie(header, host: host, path: path, now: now), isSecure || !cookie.isSecure
            else { continue }
            cookies.removeAll { $0.name == cookie.name && $0.domain == cookie.domain && $0.path == cookie.path }
            if cookie.expires.map({ $0 > now }) ?? true { cookies.append(cookie) }
        }
        cookies.removeAll { $0.expires.map { $0 <= now } ?? false }
        if cookies.count > Self.most { cookies.removeFirst(cookies.count - Self.most) }
        return cookies != before
    }

    /// The value of `Cookie`, longer paths first; `nil` if none applies.
    package func header(host: String, path: String, isSecure: Bool, now: Double) -> String? {
        let host = host.lowercased()
        let matching = cookies.filter { cookie in
            (cookie.isHostOnly ? host == cookie.domain : Self.matches(host, cookie.domain))
                && Self.leads(cookie.path, to: path) && (isSecure || !cookie.isSecure)
                && (cookie.expires.map { $0 > now } ?? true)
        }
        guard !matching.isEmpty else { return nil }
        let ordered = matching.enumerated().sorted {
            ($1.element.path.utf8.count, $0.offset) < ($0.element.path.utf8.count, $1.offset)
        }
        return ordered.map { "\($0.element.name)=\($0.element.value)" }.joined(separator: "; ")
    }

    private static func cookie(_ header: String, host: String, path: String, now: Double) -> Cookie? {
        // What cannot be sent is not kept: every later request would fail of it.
        guard header.utf8.count <= longest, header.utf8.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }) else {
            return nil
        }
        let parts = header.split(separator: ";", omittingEmptySubsequences: false).map(trimmed)
        guard let pair = parts.first, let equals = pair.firstIndex(of: "=") else { return nil }
        let name = trimmed(pair[..<equals])
        guard !name.isEmpty else { return nil }
        let directory = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "/"
        var cookie = Cookie(
            name: name, value: trimmed(pair[pair.index(after: equals)...]), domain: host.lowercased(),
            isHostOnly: true, path: directory, isSecure: false, expires: nil)
        var age: Double?
        for part in parts.dropFirst() {
            let halves = part.split(separator: "=", maxSplits: 1).map(trimmed)
            let value = halves.count > 1 ? halves[1] : ""
            switch halves.first?.lowercased() {
            case "domain":
                let domain = (value.hasPrefix(".") ? String(value.dropFirst()) : value).lowercased()
                guard !domain.isEmpty else { continue }
                // Nobody sets cookies for a whole top-level domain, or for others.
                guard domain == cookie.domain || (domain.contains(".") && matches(cookie.domain, domain)) else {
                    return nil
                }
                cookie.domain = domain
                cookie.isHostOnly = false
            case "path": if value.hasPrefix("/") { cookie.path = value }
            case "secure": cookie.isSecure = true
            case "max-age": age = Self.age(value) ?? age
            case "expires": cookie.expires = CookieDate.seconds(value).map(Double.init)
            default: continue
            }
        }
        if let age { cookie.expires = now + age }
        return cookie
    }

    /// Seconds; more than a number can hold is for ever, and what is negative is over. `nil`: it is no number, and says
    /// nothing (RFC 6265, 5.2.2).
    private static func age(_ text: String) -> Double? {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return text.hasPrefix("-") ? 0 : Double(Int64(digits) ?? .max)
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let start = text.drop { $0 == " " || $0 == "\t" }
        return String(start.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }

    private static func matches(_ host: String, _ domain: String) -> Bool {
        if host == domain { return true }
        let isAddress = host.utf8.allSatisfy { (48...57).contains($0) || $0 == 46 } || host.contains(":")
        return !isAddress && host.hasSuffix("." + domain)
    }

    private static func leads(_ prefix: String, to path: String) -> Bool {
        path == prefix
            || (path.hasPrefix(prefix) && (prefix.hasSuffix("/") || path.dropFirst(prefix.count).first == "/"))
    }
}

extension CookieJar {
    /// As it is stored.
    package var json: JSONValue {
        .array(
            cookies.map {
                [
                    "name": .string($0.name), "value": .string($0.value), "domain": .string($0.domain),
                    "hostOnly": .bool($0.isHostOnly), "path": .string($0.path), "secure": .bool($0.isSecure),
                    "expires": JSONValue($0.expires),
                ]
            })
    }

    package init(json: JSONValue) throws(RPCError) {
        guard let elements = json.array else { return }
        for element in elements.prefix(Self.most) {
            cookies.append(
                Cookie(
                    name: try element.string("name"), value: try element.string("value"),
                    domain: try element.string("domain"), isHostOnly: try element.bool("hostOnly"),
                    path: try element.string("path"), isSecure: try element.bool("secure"),
                    expires: try element.optionalNumber("expires")))
        }
    }
}
