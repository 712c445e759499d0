package import Model

/// An app that may be ended for its memory: it has a process, and nobody sees it.
package struct TerminationCandidate: Hashable, Sendable, Codable {
    package var app: AppIndex
    /// What ending it gives back, in bytes: its dirty memory (R1).
    package var dirtyBytes: Int64
    /// Otherwise it runs in the background.
    package var isSuspended: Bool

    package init(app: AppIndex, dirtyBytes: Int64, isSuspended: Bool = true) {
        self.app = app
        self.dirtyBytes = dirtyBytes
        self.isSuspended = isSuspended
    }
}

/// Chooses which apps end when memory is short. What is suspended goes before what runs, whatever the policy (R2).
package protocol TerminationPolicy: Sendable {
    /// As tools call it.
    var name: String { get }
    /// Ends no app that need not end: one whose memory others, chosen after it, give back as well, is spared.
    var sparesTheSuperfluous: Bool { get }
    /// For each candidate, what speaks for ending it; among those of equal state the highest goes first.
    func scores(of candidates: [TerminationCandidate], knowing history: UsageHistory) -> [Double]
}

extension TerminationPolicy {
    /// All candidates, whoever goes first in front. Equal ones keep the order that they come in.
    package func order(_ candidates: [TerminationCandidate], knowing history: UsageHistory) -> [AppIndex] {
        places(candidates, history).map { candidates[$0].app }
    }

    /// Those who end so that this many bytes come back, whoever goes first in front; all of them when they have less.
    package func victims(
        among candidates: [TerminationCandidate], toFree bytes: Int64, knowing history: UsageHistory
    ) -> [AppIndex] {
        let places = places(candidates, history)
        let orders = places.map { StandingOrder(candidates[$0]) }
        var isChosen = orders.map { _ in false }
        orders.choose(toFree: bytes, sparesTheSuperfluous: sparesTheSuperfluous, into: &isChosen)
        return zip(places, isChosen).compactMap { $1 ? candidates[$0].app : nil }
    }

    private func places(_ candidates: [TerminationCandidate], _ history: UsageHistory) -> [Int] {
        let scores = scores(of: candidates, knowing: history)
        return candidates.indices.sorted { a, b in
            if candidates[a].isSuspended != candidates[b].isSuspended { return candidates[a].isSuspended }
            return scores[a] == scores[b] ? a < b : scores[a] > scores[b]
        }
    }
}

extension StandingOrder {
    fileprivate init(_ candidate: TerminationCandidate) {
        self.init(place: candidate.isSuspended ? 0 : 1, bytes: candidate.dirtyBytes)
    }
}
