/// What an app is to be opened for, if not for a URL: one of its shortcuts, or an activity that it is to go on with. It
/// travels as a URL that only the system may have opened, so that it waits, is repeated and is kept as URLs are.
package enum Invitation: Hashable, Sendable {
    case shortcut(type: String)
    case activity(type: String, info: JSONObject?)

    /// `Model.SystemURL` has it, too: the policy knows whom such a URL is for, and nothing else of it.
    package static let scheme = "greenroom-app"

    private enum Kind: String {
        case shortcut, activity
    }

    /// - Returns: `nil` for URLs that are none of these, and for those that a later version may know.
    package init?(url: String) {
        guard let colon = url.firstIndex(of: ":"), url[..<colon].lowercased() == Self.scheme else { return nil }
        let parts = url[url.index(after: colon)...].split(
            separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3, let kind = Kind(rawValue: String(parts[1])), let type = Self.decoded(parts[2]),
            !type.isEmpty
        else { return nil }
        switch kind {
        case .shortcut: self = .shortcut(type: type)
        case .activity:
            let info = parts.dropFirst(3).first.flatMap(Self.decoded).flatMap { try? JSONValue(parsing: $0) }
            self = .activity(type: type, info: info?.object)
        }
    }

    /// The URL that hands it to an app.
    package func url(for app: String) -> String {
        let start = "\(Self.scheme):\(app)/"
        return switch self {
        case .shortcut(let type): "\(start)\(Kind.shortcut.rawValue)/\(Self.encoded(type))"
        case .activity(let type, let info):
            "\(start)\(Kind.activity.rawValue)/\(Self.encoded(type))"
                + (info.map { "/" + Self.encoded(String(decoding: JSONValue.object($0).encoded, as: UTF8.self)) } ?? "")
        }
    }

    private static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return result
    }

    private static func decoded(_ text: Substring) -> String? {
        var (bytes, rest): ([UInt8], Substring.UTF8View) = ([], text.utf8)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
