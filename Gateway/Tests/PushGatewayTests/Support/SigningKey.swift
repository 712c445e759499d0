import Crypto
import Foundation
import LinuxSystem
import Testing
import Wire

/// A provider's key, and the tokens that it signs.
struct SigningKey: Sendable {
    let team: String
    let id: String
    let key: P256.Signing.PrivateKey
    /// When a provider that has it made the token that it uses.
    private let tokenMade = now

    /// From what `greenroom-pushgate init --json` prints.
    init(_ instructions: JSONValue) throws {
        team = try #require(instructions["team"]?.string)
        id = try #require(instructions["key"]?.string)
        let file = try #require(instructions["keyFile"]?.string)
        key = try P256.Signing.PrivateKey(
            pemRepresentation: String(decoding: FileSystem.read(file) ?? [], as: UTF8.self))
    }

    init(team: String, id: String, key: P256.Signing.PrivateKey) {
        self.team = team
        self.id = id
        self.key = key
    }

    static var now: Int64 { Clock.wall() / 1_000_000_000 }

    /// The `authorization` field with a token that was issued so many seconds ago. Without an age it is one and the
    /// same moment for all requests: a connection may not change to a token that is a second newer.
    func bearer(age: Int64? = nil, at moment: Int64? = nil) throws -> String {
        let issued = (moment ?? (age == nil ? tokenMade : Self.now)) - (age ?? 0)
        return "bearer " + (try token(claims: #"{"iss":"\#(team)","iat":\#(issued)}"#))
    }

    func token(header: String? = nil, claims: String) throws -> String {
        let header = header ?? #"{"alg":"ES256","kid":"\#(id)","typ":"JWT"}"#
        let text = Self.base64(Array(header.utf8)) + "." + Self.base64(Array(claims.utf8))
        let signature = try key.signature(for: Array(text.utf8))
        return text + "." + Self.base64(Array(signature.rawRepresentation))
    }

    static func base64(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
