package import PushLink
internal import Wire

/// What a gateway looks at in a payload.
package struct Payload: Hashable, Sendable {
    /// Something that the user sees or hears.
    package var hasAlert: Bool
    /// The app is woken.
    package var isContentAvailable: Bool

    /// An attacker's nesting costs stack, and many small values cost memory.
    private static let limits = JSONLimits(depth: 48, values: 2048)

    /// Checks a body. Apple has no word for a payload that is not a dictionary with a proper `aps`, so that is
    /// `PayloadEmpty` with a `detail`: there is nothing in it that a device could use.
    package init(_ bytes: [UInt8], for type: LinkPushType?, rules: PushRules) throws(PushRejection) {
        guard !bytes.isEmpty else { throw PushRejection(.payloadEmpty) }
        guard bytes.count <= Self.longest(for: type, rules) else { throw PushRejection(.payloadTooLarge) }
        let json: JSONValue
        do {
            json = try JSONValue(parsing: bytes, limits: Self.limits)
        } catch {
            throw Self.unusable("the payload is not JSON: \(error)")
        }
        guard case .object(let object) = json else { throw Self.unusable("the payload is not a JSON dictionary") }
        hasAlert = false
        isContentAvailable = false
        guard let aps = object["aps"] else {
            // PushKit's payloads, and those of device management, are their receivers' own affair.
            guard type.map({ $0 != .alert && $0 != .background }) ?? false else {
                throw Self.unusable("the payload has no aps")
            }
            return
        }
        guard case .object(let members) = aps else { throw Self.unusable("aps is not a dictionary") }
        try read(members)
    }

    package static func longest(for type: LinkPushType?, _ rules: PushRules) -> Int {
        type == .voip ? rules.longestVoIPPayload : rules.longestPayload
    }

    private static func unusable(_ detail: String) -> PushRejection { PushRejection(.payloadEmpty, detail: detail) }

    private mutating func read(_ aps: JSONObject) throws(PushRejection) {
        for member in aps.members {
            switch (member.key, member.value) {
            case ("alert", .string), ("alert", .object), ("sound", .string), ("sound", .object): hasAlert = true
            case ("alert", _): throw Self.unusable("aps.alert is neither a string nor a dictionary")
            case ("sound", _): throw Self.unusable("aps.sound is neither a string nor a dictionary")
            case ("badge", .int(let count)) where count >= 0: hasAlert = true
            case ("badge", _): throw Self.unusable("aps.badge is not a number that counts")
            case ("content-available", .int(let flag)): isContentAvailable = flag == 1
            case ("content-available", .bool(let flag)): isContentAvailable = flag
            case ("content-available", _): throw Self.unusable("aps.content-available is not 1")
            case ("mutable-content", .int), ("mutable-content", .bool): break
            case ("mutable-content", _): throw Self.unusable("aps.mutable-content is not 1")
            case ("category", .string), ("thread-id", .string), ("target-content-id", .string),
                ("interruption-level", .string):
                break
            case ("category", _), ("thread-id", _), ("target-content-id", _), ("interruption-level", _):
                throw Self.unusable("aps.\(member.key) is not a string")
            default: break
            }
        }
    }

    /// The type of a push whose provider does not say it.
    package var type: LinkPushType { isContentAvailable && !hasAlert ? .background : .alert }
}

extension PushOptions {
    /// Priority 10 is for what the user notices: a silent push is sent when the device has time for it.
    package func priority(_ type: LinkPushType) -> Int { type == .background ? min(priority, 5) : priority }
}
