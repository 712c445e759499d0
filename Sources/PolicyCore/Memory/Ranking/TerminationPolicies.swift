/// As the documents have it: the largest goes first.
package struct LargestFirstPolicy: TerminationPolicy, Hashable {
    package init() {}

    package var name: String { "documents" }
    package var sparesTheSuperfluous: Bool { false }

    package func scores(of candidates: [TerminationCandidate], knowing _: UsageHistory) -> [Double] {
        candidates.map { Double($0.dirtyBytes) }
    }
}

/// Whoever was used longest ago goes first.
package struct LeastRecentlyUsedPolicy: TerminationPolicy, Hashable {
    package init() {}

    package var name: String { "lru" }
    package var sparesTheSuperfluous: Bool { false }

    package func scores(of candidates: [TerminationCandidate], knowing history: UsageHistory) -> [Double] {
        candidates.map { Double(history.switches - history.lastSwitch(to: $0.app)) }
    }
}

/// Whoever takes the most memory for the likelihood of being used next goes first.
///
/// Of two apps that are equally likely to be used the larger goes, and one of twice the size has to be twice as likely
/// to be used to stay.
package struct ExpectedUsePolicy: TerminationPolicy, Hashable {
    package init() {}

    package var name: String { "ours" }
    package var sparesTheSuperfluous: Bool { true }

    package func scores(of candidates: [TerminationCandidate], knowing history: UsageHistory) -> [Double] {
        zip(candidates, history.likelihoods(of: candidates.map(\.app))).map { candidate, likelihood in
            Double(candidate.dirtyBytes) / Double(likelihood)
        }
    }
}

/// The policies that there are, as they are named for people and on disk.
package enum TerminationPolicyName: String, Hashable, Sendable, Codable, CaseIterable {
    case ours, lru, documents

    package var policy: any TerminationPolicy {
        switch self {
        case .ours: ExpectedUsePolicy()
        case .lru: LeastRecentlyUsedPolicy()
        case .documents: LargestFirstPolicy()
        }
    }
}
