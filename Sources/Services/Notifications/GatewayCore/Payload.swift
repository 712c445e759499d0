package import PushLink
internal import PushPayload

/// What a gateway looks at in a payload.
package struct Payload: Hashable, Sendable {
    /// Something that the user sees or hears.
    package let hasAlert: Bool
    /// The app is woken.
    package let isContentAvailable: Bool
    /// It has no `aps`.
    private let isForeign: Bool
    /// What was odd and is accepted, a sentence each.
    package let remarks: [String]

    /// Checks a body. Apple has no word for a payload that is not a dictionary with a proper `aps`, so that is
    /// `PayloadEmpty` with a `detail`: there is nothing in it that a device could use.
    package init(_ bytes: [UInt8], for type: LinkPushType?, rules: PushRules) throws(PushRejection) {
        guard !bytes.isEmpty else { throw PushRejection(.payloadEmpty) }
        guard bytes.count <= Self.longest(for: type, rules) else { throw PushRejection(.payloadTooLarge) }
        // PushKit's payloads, and those of device management, are their receivers' own affair.
        let needsAps = type.map { $0 == .alert || $0 == .background } ?? true
        let payload: ProviderPayload
        do throws(ProviderPayload.Unusable) {
            payload = try ProviderPayload(bytes, needsAps: needsAps)
        } catch {
            throw PushRejection(.payloadEmpty, detail: error.reason)
        }
        hasAlert = payload.hasAlert
        isContentAvailable = payload.isContentAvailable
        isForeign = payload.isForeign
        remarks = payload.remarks
    }

    package static func longest(for type: LinkPushType?, _ rules: PushRules) -> Int {
        type == .voip ? rules.longestVoIPPayload : rules.longestPayload
    }

    /// The type of a push whose provider does not say it.
    package var type: LinkPushType {
        if isForeign { return .mdm }
        return isContentAvailable && !hasAlert ? .background : .alert
    }
}

extension PushOptions {
    /// Priority 10 is for what the user notices, and an error of a push that only wakes its app. Without a word that is
    /// sent when the device has time for it.
    package func priority(_ type: LinkPushType) throws(PushRejection) -> Int {
        guard type == .background else { return priority ?? 10 }
        guard priority != 10 else {
            throw PushRejection(
                .badPriority, detail: "a background push has priority 5 or 1; 10 is for what the user notices")
        }
        return priority ?? 5
    }
}
