/// What an app is told, in order, each once.
package enum AudioNews: Hashable, Sendable, Codable {
    /// Its session is not active any more, and its players stand still.
    case interrupted(AudioInterruptionReason)
    case interruptionEnded(shouldResume: Bool)
    /// - Parameter pauses: its players stand still, since what they sounded by has gone.
    case routeChanged(AudioRouteReason, previous: [AudioPort], pauses: Bool)
    case command(AudioCommand)
    /// It should be silent beside what another app plays, or need not be any more.
    case silenceHint(Bool)
}

/// Apple's `AVAudioSession.InterruptionReason`.
package enum AudioInterruptionReason: String, Hashable, Sendable, Codable, CaseIterable {
    case other, appWasSuspended, builtInMicrophoneMuted, routeDisconnected
}

/// What surrounds an app's session, as it is now.
package struct AudioSurroundings: Hashable, Sendable, Codable {
    package var route: [AudioPort]
    /// 0 to 1.
    package var volume: Double
    package var otherAudioPlays: Bool
    package var shouldBeSilent: Bool
    package var permission: AudioPermission

    package init(
        route: [AudioPort] = [], volume: Double = 1, otherAudioPlays: Bool = false, shouldBeSilent: Bool = false,
        permission: AudioPermission = .undetermined
    ) {
        self.route = route
        self.volume = volume
        self.otherAudioPlays = otherAudioPlays
        self.shouldBeSilent = shouldBeSilent
        self.permission = permission
    }
}
