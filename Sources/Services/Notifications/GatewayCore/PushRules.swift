package import Model

/// The limits of a gateway; the defaults are Apple's where Apple says them.
package struct PushRules: Sendable, Hashable {
    /// Bytes of a payload.
    package var longestPayload = 4096
    package var longestVoIPPayload = 5120
    /// How long a message is kept at most, and how long if its provider does not say.
    package var longestStorage = Span.seconds(30 * 86_400)
    /// A provider's token is good for so long after its `iat`.
    package var tokenLifetime = Span.seconds(3600)
    /// A clock may be ahead of the gateway's by so much.
    package var tokenTolerance = Span.seconds(300)
    /// A connection may not change to a newer token sooner.
    package var tokenRefresh = Span.seconds(20 * 60)
    /// Tokens of one key, on all connections, within `tokenRefresh`: a provider has several processes, and each starts
    /// with a token of its own.
    package var tokensPerKey = 100
    /// Wrong provider tokens on a connection before it is closed: each costs a verification.
    package var wrongTokens = 16
    /// A device that has not connected for so long has no tokens any more.
    package var deviceLifetime = Span.seconds(365 * 86_400)
    /// Requests for one device token: so many at once, and so many a second.
    package var requestBurst = 1000
    package var requestsPerSecond = 50.0
    /// Tokens of which the gateway remembers how many requests came.
    package var countedTokens = 65_536
    /// Topics that a device may have ended the registration of: each is remembered for ever.
    package var endedTopics = 256
    /// New topics: so many at once, and so many an hour. The gateway remembers each for ever, and any device can name
    /// one.
    package var newTopicBurst = 1000
    package var newTopicsPerHour = 100.0
    /// Registrations of all devices that end: so many at once, and so many a second. The gateway remembers each.
    package var endingBurst = 20_000
    package var endingsPerSecond = 5.0
    /// Messages that are on their way to a device and not acknowledged.
    package var unacknowledged = 64
    /// An agent has so long to say who it is.
    package var greeting = Span.seconds(15)
    /// Connections that have not proven a device, at once; more wait to be accepted. A bunch of them takes a third of a
    /// second of one processor, and a device that needs a second for its greeting still leaves room for 500 a second.
    package var unproven = 512
    /// An agent has so long while others wait to be accepted, and hardly any of them are.
    package var crowdedGreeting = Span.seconds(5)
    /// A device's connection ends when nothing came for so long.
    package var deviceSilence = Span.seconds(40 * 60)
    /// A device's connection ends when it reads nothing for so long although something waits.
    package var deviceStall = Span.seconds(60)

    package init() {}
}
