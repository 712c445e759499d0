package import Model

/// Which registrations have ended, so that their tokens are no longer good.
///
/// A registration that never ended leaves nothing here: its token says all. So this is as large as the number of times
/// that apps were removed, and not as the number of devices.
package struct Registrations: Sendable {
    package struct Key: Hashable, Sendable {
        package var device: DeviceID
        package var topic: TopicHash

        package init(device: DeviceID, topic: TopicHash) {
            self.device = device
            self.topic = topic
        }
    }

    package struct Ending: Hashable, Sendable {
        /// The epoch of tokens that are given out from now on.
        package var epoch: UInt16
        /// When the last registration ended, in milliseconds since 1970.
        package var ended: Int64
        /// There is a registration again.
        package var isRegistered: Bool

        package init(epoch: UInt16, ended: Int64, isRegistered: Bool) {
            self.epoch = epoch
            self.ended = ended
            self.isRegistered = isRegistered
        }
    }

    /// What has to be durable before the agent hears of it.
    package struct Change: Hashable, Sendable {
        package var key: Key
        package var ending: Ending

        package init(key: Key, ending: Ending) {
            self.key = key
            self.ending = ending
        }
    }

    package enum Refusal: String, Error, Sendable {
        /// There are as many endings of this device as are remembered.
        case tooManyRegistrations = "TooManyRegistrations"
    }

    private var endings: [Key: Ending]
    private var counts: [DeviceID: Int] = [:]
    /// What could not be written when it changed.
    private var unwritten: Set<Key> = []

    package init(_ endings: [Key: Ending] = [:]) {
        self.endings = endings
        for key in endings.keys { counts[key.device, default: 0] += 1 }
    }

    package var count: Int { endings.count }

    /// The epoch of the token to give out, and what changes.
    package mutating func register(_ key: Key) -> (epoch: UInt16, change: Change?) {
        guard var ending = endings[key] else { return (0, nil) }
        let isUnwritten = unwritten.remove(key) != nil
        guard !ending.isRegistered || isUnwritten else { return (ending.epoch, nil) }
        ending.isRegistered = true
        endings[key] = ending
        return (ending.epoch, Change(key: key, ending: ending))
    }

    package mutating func unregister(
        _ key: Key, at now: WallTime, rules: PushRules
    ) throws(Refusal) -> Change? {
        let old = endings[key] ?? Ending(epoch: 0, ended: 0, isRegistered: true)
        guard old.isRegistered else {
            return unwritten.remove(key).map { Change(key: $0, ending: old) }
        }
        let isNew = endings[key] == nil
        guard old.epoch < .max, !isNew || counts[key.device, default: 0] < rules.endedTopics else {
            throw .tooManyRegistrations
        }
        let ending = Ending(epoch: old.epoch + 1, ended: now.nanoseconds / 1_000_000, isRegistered: false)
        endings[key] = ending
        unwritten.remove(key)
        if isNew { counts[key.device, default: 0] += 1 }
        return Change(key: key, ending: ending)
    }

    /// A change could not be written, and the agent has been told so: it asks again, and then it has to be.
    package mutating func failed(_ change: Change) { unwritten.insert(change.key) }

    /// Refuses a token whose registration has ended. One of a later epoch than is known here was given out before the
    /// gateway lost its store, and is good.
    package func check(_ token: DeviceToken) throws(PushRejection) {
        guard let ending = endings[Key(device: token.device, topic: token.topic)] else { return }
        if token.epoch < ending.epoch || !ending.isRegistered {
            throw PushRejection(.unregistered, timestamp: ending.ended)
        }
    }

    /// Another gateway changed it.
    package mutating func apply(_ change: Change) {
        if endings.updateValue(change.ending, forKey: change.key) == nil {
            counts[change.key.device, default: 0] += 1
        }
    }
}
