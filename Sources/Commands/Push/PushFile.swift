internal import PushPayload
internal import Wire

/// A payload as `xcrun simctl push` takes it.
package struct PushFile: Equatable {
    /// Of the key "Simulator Target Bundle", which is no part of what is sent.
    package var target: String?
    /// A JSON dictionary.
    package var text: String
    /// One sentence for each field that is ignored or converted.
    package var remarks: [String]

    package static let targetKey = "Simulator Target Bundle"
    /// Bytes, as providers may send; those of a VoIP push are more.
    package static let longest = 4096
    package static let longestVoIP = 5120
    /// Bytes of a file: a payload may be written with any amount of white space, and in UTF-16.
    static let longestFile = 65_536

    /// - Parameter type: as in the header `apns-push-type`.
    package init(_ bytes: [UInt8], type: String? = nil) throws(CommandFailure) {
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONValue(parsing: Self.text(of: bytes))
        } catch {
            throw .failed("the payload is not JSON: \(error)")
        }
        guard case .object(var object) = json else { throw .failed("a payload is a JSON dictionary") }
        remarks = []
        switch object[Self.targetKey] {
        case .string(let app): target = app
        case nil: target = nil
        default: remarks.append("\"\(Self.targetKey)\" is no text: it names no app")
        }
        object[Self.targetKey] = nil
        text = JSONValue.object(object).description
        let most = type == "voip" ? Self.longestVoIP : Self.longest
        guard text.utf8.count <= most else {
            throw .failed("the payload has \(text.utf8.count) bytes, and may have \(most)")
        }
        do throws(ProviderPayload.Unusable) {
            let needsAps = type.map { $0 == "alert" || $0 == "background" } ?? true
            remarks += try ProviderPayload(Array(text.utf8), needsAps: needsAps).remarks
        } catch {
            throw .failed("\(error.reason); a payload is for example {\"aps\": {\"alert\": \"Hello\"}}")
        }
    }

    /// Editors write a mark of the encoding, and some write UTF-16.
    private static func text(of bytes: [UInt8]) -> [UInt8] {
        switch (bytes.first, bytes.dropFirst().first) {
        case (0xFF, 0xFE): utf16(bytes) { UInt16($0) | UInt16($1) << 8 }
        case (0xFE, 0xFF): utf16(bytes) { UInt16($0) << 8 | UInt16($1) }
        default: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        }
    }

    private static func utf16(_ bytes: [UInt8], _ unit: (UInt8, UInt8) -> UInt16) -> [UInt8] {
        let units = stride(from: 2, to: bytes.count - 1, by: 2).map { unit(bytes[$0], bytes[$0 + 1]) }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}
