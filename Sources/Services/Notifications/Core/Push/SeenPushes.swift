/// The latest messages, so that one that comes again is noticed: a ring, which grows as far as it is needed.
struct SeenPushes: Sendable {
    private(set) var slots: [UInt32: PushID] = [:]
    private var ids: Set<PushID> = []

    func contains(_ id: PushID) -> Bool { ids.contains(id) }
    var count: Int { ids.count }

    mutating func set(_ slot: UInt32, _ id: PushID) {
        if let old = slots.updateValue(id, forKey: slot), old != id { ids.remove(old) }
        ids.insert(id)
    }
}
