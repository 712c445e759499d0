/// What the end of one app that is next to go would bring.
package struct StandingOrder: Hashable, Sendable {
    /// The class in which it goes: all of a lower one go before it.
    package var place: Int
    /// Bytes that come back; zero for whoever may not be ended.
    package var bytes: Int64

    package static let none = StandingOrder(place: 0, bytes: 0)

    package init(place: Int, bytes: Int64) {
        self.place = place
        self.bytes = bytes
    }
}

extension [StandingOrder] {
    /// Marks who of these, whoever goes first in front, has to end so that so many bytes come back; all when they have
    /// less. No app ends that need not: one whose memory others, chosen after it, give back as well, is spared. Nobody
    /// is spared because somebody of a higher class has enough.
    ///
    /// This is the one choice that there is: the Core, the host and the model of months of use take it. A host that is
    /// short of memory cannot allocate, and nothing is allocated here.
    ///
    /// - Parameter chosen: one for each order; what it says before does not matter.
    package func choose(toFree bytes: Int64, sparesTheSuperfluous: Bool = true, into chosen: inout [Bool]) {
        precondition(chosen.count == count, "one mark for each order")
        var freed: Int64 = 0
        var last = startIndex
        for index in indices {
            chosen[index] = freed < bytes && self[index].bytes > 0
            guard chosen[index] else { continue }
            freed += self[index].bytes
            last = index
        }
        guard sparesTheSuperfluous, !isEmpty else { return }
        for index in indices.reversed() where chosen[index] && self[index].place == self[last].place {
            guard freed - self[index].bytes >= bytes else { continue }
            freed -= self[index].bytes
            chosen[index] = false
        }
    }
}
