package import Model

/// Numbers that the decisions go by.
package struct NotificationRules: Hashable, Sendable {
    /// What an app is answered that asks for the first time.
    package var grantsAtFirst = true
    package var mostPending = 64
    package var mostDelivered = 128
    package var mostCategories = 64
    package var mostActions = 16
    /// What an app is to be told and has not answered: the oldest response goes first.
    package var mostTellings = 64
    package var mostMutations = 32
    /// Bytes.
    package var longestIdentifier = 512
    /// Metres, of a region that is waited for.
    package var largestRadius = 1_000_000.0
    package var longestContent = 16_384
    package var longestPayload = 5_120
    package var shortestRepeat = Span.seconds(60)
    package var longestInterval = Span.seconds(86_400 * 366 * 50)
    /// A delegate has so long to say how a notification is presented.
    package var presentTime = Span.seconds(10)
    package var mutationTime = Span.seconds(30)
    package var pushTime = Span.seconds(30)
    /// A response that no delegate wants is kept so long.
    package var responseTime = Span.seconds(86_400)
    /// How often an app is woken for the same thing that it dies of.
    package var mostTimes: Int32 = 3
    /// Until it is woken again where that was refused.
    package var wakeAgain = Span.seconds(30)
    /// A date that has passed by no more than that is shown at once: it was to come when the app asked for it.
    package var longestPast = Span.seconds(5)
    /// Shown later than that after its time, a notification is late.
    package var lateAfter = Span.seconds(60)

    // Silent pushes.
    package var budgetCapacity: Int64 = 3
    package var budgetInterval = Span.seconds(1200)
    package var mostSeen: UInt32 = 4096
    /// Where waking the radio costs much, a silent push waits so long for something else that wakes it.
    package var patience = Span.seconds(600)
    /// In Low Power Mode they wait for that without a limit of their own; the keep-alive comes before this.
    package var longestPatience = Span.seconds(3600)
    /// What comes so soon after an alert or a keep-alive came because of that.
    package var openingTime = Span.seconds(10)

    // Keep-alives.
    package var firstKeepAlive = Span.seconds(240)
    package var shortestKeepAlive = Span.seconds(60)
    package var longestKeepAlive = Span.seconds(1680)
    package var keepAliveAnswer = Span.seconds(30)
    package var mostNetworks = 32

    package init() {}
}
