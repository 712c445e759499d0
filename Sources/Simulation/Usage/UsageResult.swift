package import Model
package import PolicyCore

/// What came of a person's days on a simulated device.
package struct UsageResult: Hashable, Sendable {
    package struct App: Hashable, Sendable {
        package var name: String
        /// Opens of this app after another one, and how many of them found it resident.
        package var switches = 0
        package var warmStarts = 0
        package var launches = 0
        package var callbacks = 0
        package var inState = StateTimes()
        /// For its launches and delegate methods.
        package var processorTime = Span.zero
        package var energy = Energy.zero
    }

    /// How long something was in each state.
    package struct StateTimes: Hashable, Sendable {
        private var spans = LifecycleState.allCases.map { _ in Span.zero }

        package subscript(_ state: LifecycleState) -> Span {
            get { spans[Int(state.rawValue)] }
            set { spans[Int(state.rawValue)] = newValue }
        }
    }

    /// Opens of another app than the one before; the one before is forgotten when the device goes down.
    package var switches = 0
    /// Switches to an app that was resident, and to one that was not.
    package var warmStarts = 0
    package var coldStarts = 0
    /// Apps that the system ended, other than by going down itself.
    package var terminations = 0
    /// Apps that ended because the system went down.
    package var endedByShutdown = 0
    /// From the first event of the trace to the last.
    package var virtualTime = Span.zero
    /// What the Core was told.
    package var events = 0

    package var opens = 0
    package var notifications = 0
    package var launches = 0
    /// By kind, those that were really called.
    package var callbacks = CallbackKind.allCases.map { _ in 0 }
    package var apps: [App] = []
    /// Of the apps together.
    package var inState = StateTimes()
    package var processorTime = Span.zero

    /// The most that was resident at one moment, in megabytes.
    package var peakMegabytes: Int64 = 0
    /// What the apps had to fit into, and who chose which of them ended. Then starts, terminations and the peak are
    /// those of the model of residency.
    package var memoryMegabytes: Int64?
    package var policy: TerminationPolicyName?
    package var memoryEnforced: Bool { memoryMegabytes != nil }
    /// What each policy makes of the same switches, and at last the clairvoyant bound; empty without a limit.
    package var residencies: [Residency] = []

    package var energy = EnergyLedger()
    /// How often the cellular radio left idle.
    package var radioWakeups = 0
    /// What broke an invariant, at its moment; nothing, or the run ended there.
    package var violations: [String] = []

    /// The part of the distance from `lru` to the clairvoyant bound that a policy closes; `nil` where there is none.
    package func closedDistance(by residency: Residency) -> Double? {
        guard let recent = residencies.first(where: { $0.policy == TerminationPolicyName.lru.rawValue }),
            let bound = residencies.last, recent.coldStarts > bound.coldStarts
        else { return nil }
        return Double(recent.coldStarts - residency.coldStarts) / Double(recent.coldStarts - bound.coldStarts)
    }

    package func count(of callback: CallbackKind) -> Int { callbacks[Int(callback.rawValue)] }
}
