internal import Wire

/// What an `.apns` file holds: a payload as a provider sends it, and perhaps the app that it is for.
package struct PushPayload: Equatable {
    /// Of the key "Simulator Target Bundle", which is no part of what is sent.
    package var target: String?
    /// A JSON dictionary.
    package var text: String
    /// Whether nothing of it is shown.
    package var isSilent: Bool

    package static let targetKey = "Simulator Target Bundle"
    /// Bytes, as providers may send; those of a VoIP push are more.
    package static let longest = 4096
    package static let longestVoIP = 5120
    /// Bytes of a file: a payload may be written with any amount of white space.
    static let longestFile = 65_536

    package init(_ bytes: [UInt8], isVoIP: Bool = false) throws(CommandFailure) {
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONValue(parsing: bytes)
        } catch {
            throw .failed("the payload is not JSON: \(error)")
        }
        guard case .object(var object) = json else { throw .failed("a payload is a JSON dictionary") }
        switch object[Self.targetKey] {
        case .string(let app): target = app
        case nil: target = nil
        default: throw .failed("\"\(Self.targetKey)\" names an app, as a text")
        }
        object[Self.targetKey] = nil
        guard case .object(let aps)? = object["aps"] else {
            throw .failed("a payload has a dictionary \"aps\", for example {\"aps\": {\"alert\": \"Hello\"}}")
        }
        let isShown = ["alert", "badge", "sound"].contains { aps[$0] != nil }
        isSilent = aps["content-available"] == .int(1) && !isShown
        text = JSONValue.object(object).description
        let most = isVoIP ? Self.longestVoIP : Self.longest
        guard text.utf8.count <= most else {
            throw .failed("the payload has \(text.utf8.count) bytes, and may have \(most)")
        }
    }
}
