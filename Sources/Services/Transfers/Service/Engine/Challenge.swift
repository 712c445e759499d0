internal import OpenSSL
package import TransferCore
internal import TransferWire
internal import Wire

/// A server's or proxy's demand for a name and a password (RFC 7235, 7617, 7616).
package struct Challenge: Hashable, Sendable {
    package enum Scheme: String, Sendable {
        case basic = "Basic"
        case digest = "Digest"
    }

    package var scheme: Scheme
    package var realm: String
    var isProxy = false
    var nonce = ""
    var opaque: String?
    var algorithm = "MD5"
    var offersQuality = false
    /// The answer was right, only its nonce is too old.
    var isStale = false

    /// The strongest of those in a header that this program can answer.
    package static func strongest(_ headers: [String], isProxy: Bool) -> Challenge? {
        let all = headers.flatMap { ChallengeReader.read($0) }.compactMap { Challenge($0, isProxy: isProxy) }
        // To a proxy nothing but Basic is spoken.
        return all.filter { !isProxy || $0.scheme == .basic }.max { $0.strength < $1.strength }
    }

    private var strength: Int {
        switch scheme {
        case .basic: 0
        case .digest: algorithm.hasPrefix("SHA-256") ? 2 : 1
        }
    }

    private init?(_ read: ChallengeReader.Item, isProxy: Bool) {
        let values = read.parameters
        self.isProxy = isProxy
        realm = values["realm"] ?? ""
        switch read.scheme.lowercased() {
        case "basic": scheme = .basic
        case "digest":
            scheme = .digest
            guard let nonce = values["nonce"] else { return nil }
            self.nonce = nonce
            opaque = values["opaque"]
            algorithm = values["algorithm"] ?? "MD5"
            guard ["md5", "md5-sess", "sha-256", "sha-256-sess"].contains(algorithm.lowercased()) else { return nil }
            if let quality = values["qop"] {
                let offered = quality.split(separator: ",").map { $0.filter { $0 != " " }.lowercased() }
                // Without `auth` only `auth-int` is left, which hashes the body: not here.
                guard offered.contains("auth") else { return nil }
                offersQuality = true
            }
            isStale = values["stale"]?.lowercased() == "true"
        default: return nil
        }
    }

    /// The value of `Authorization` for a request; `count` is how often this nonce has been used, this time included.
    package func answer(
        _ credential: TransferCredential, method: String, target: String, count: Int, clientNonce: String
    )
        -> String
    {
        switch scheme {
        case .basic: return "Basic " + Base64.text(Array("\(credential.user):\(credential.password)".utf8))
        case .digest:
            let counted = Self.hexadecimal(count, digits: 8)
            var first = hash("\(credential.user):\(realm):\(credential.password)")
            if algorithm.lowercased().hasSuffix("-sess") { first = hash("\(first):\(nonce):\(clientNonce)") }
            let second = hash("\(method):\(target)")
            let middle = offersQuality ? "\(nonce):\(counted):\(clientNonce):auth" : nonce
            var fields = [
                "username=\"\(Self.quoted(credential.user))\"", "realm=\"\(Self.quoted(realm))\"",
                "nonce=\"\(Self.quoted(nonce))\"", "uri=\"\(target)\"",
                "response=\"\(hash("\(first):\(middle):\(second)"))\"", "algorithm=\(algorithm)",
            ]
            if offersQuality { fields += ["qop=auth", "nc=\(counted)", "cnonce=\"\(clientNonce)\""] }
            if let opaque { fields.append("opaque=\"\(Self.quoted(opaque))\"") }
            return "Digest " + fields.joined(separator: ", ")
        }
    }

    private func hash(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let kind: Digest.Algorithm = algorithm.lowercased().hasPrefix("sha-256") ? .sha256 : .md5
        // Without the algorithm the answer is wrong, and the server refuses it.
        return Self.hexadecimal(Digest.of(bytes, kind) ?? [])
    }

    private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { hexadecimal(Int($0), digits: 2) }.joined()
    }

    private static func hexadecimal(_ value: Int, digits: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    private static func quoted(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }
}

/// Reads `WWW-Authenticate`: several challenges may share a line, and commas stand between parameters as well.
enum ChallengeReader {
    struct Item {
        var scheme: String
        var parameters: [String: String] = [:]
    }

    static func read(_ header: String) -> [Item] {
        var items: [Item] = []
        var rest = Substring(header.prefix(8192))
        while true {
            rest = rest.drop { $0 == " " || $0 == "," || $0 == "\t" }
            let word = rest.prefix { $0 != " " && $0 != "," && $0 != "=" && $0 != "\t" }
            guard !word.isEmpty else { return items }
            rest = rest.dropFirst(word.count)
            let afterSpace = rest.drop { $0 == " " || $0 == "\t" }
            guard afterSpace.first == "=", !items.isEmpty else {
                items.append(Item(scheme: String(word)))
                continue
            }
            rest = afterSpace.dropFirst().drop { $0 == " " || $0 == "\t" }
            let value: String
            if rest.first == "\"" {
                (value, rest) = quoted(rest.dropFirst())
            } else {
                let plain = rest.prefix { $0 != "," && $0 != " " }
                value = String(plain)
                rest = rest.dropFirst(plain.count)
            }
            items[items.count - 1].parameters[word.lowercased()] = value
        }
    }

    private static func quoted(_ text: Substring) -> (String, Substring) {
        var value = ""
        var rest = text
        while let character = rest.popFirst() {
            if character == "\"" { break }
            if character == "\\", let escaped = rest.popFirst() {
                value.append(escaped)
            } else {
                value.append(character)
            }
        }
        return (value, rest)
    }
}
