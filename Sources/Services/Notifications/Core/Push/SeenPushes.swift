/// The latest messages, so that one that comes again is noticed: a ring, which grows as far as it is needed.
///
/// A provider may give one `apns-id` to several messages: only the same one again is known.
struct SeenPushes: Sendable {
    private var slots: [UInt32: SeenPush] = [:]
    /// Of each identifier, what came under it. Records of earlier versions have no digest.
    private var digests: [PushID: Set<UInt64?>] = [:]
    private(set) var count = 0

    func contains(_ push: SeenPush) -> Bool {
        guard let known = digests[push.id] else { return false }
        return known.contains(push.digest) || known.contains(nil)
    }

    /// Whether anything came under it.
    func contains(_ id: PushID) -> Bool { digests[id] != nil }

    mutating func set(_ push: SeenPush) {
        if let old = slots.updateValue(push, forKey: push.slot), digests[old.id]?.remove(old.digest) != nil {
            count -= 1
            if digests[old.id]?.isEmpty == true { digests[old.id] = nil }
        }
        if digests[push.id, default: []].insert(push.digest).inserted { count += 1 }
    }
}

extension PushMessage {
    /// Of what makes it another message under the same identifier: FNV-1a of its topic and its payload.
    var digest: UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        for byte in topic.utf8 { add(byte) }
        add(0)
        for byte in payload.utf8 { add(byte) }
        return hash
    }
}
