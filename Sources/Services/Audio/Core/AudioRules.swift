package import Model

/// The numbers by which audio is decided; the profile of the device chooses among them.
package struct AudioRules: Hashable, Sendable {
    /// How loud others are while somebody ducks them, and how fast it gets so.
    package var duckedGain: Float = 0.3
    package var duckFade = Span.milliseconds(150)
    package var unduckFade = Span.milliseconds(150)
    /// Until what has to be silent is silent.
    package var fade = Span.milliseconds(300)
    /// Out of sight, so long may somebody play nothing and say it plays.
    package var silence = Span.seconds(10)
    /// Between two looks at what somebody out of sight plays, and how long each takes.
    package var lookPause = Span.seconds(5)
    package var lookTime = Span.milliseconds(250)
    /// Peaks below are silence: −66 dB.
    package var audibleLevel: Float = 0.0005
    /// For an app out of sight to hear that it is interrupted, before it may be suspended.
    package var newsTime = Span.seconds(2)
    /// For an app to act on a command.
    package var commandTime = Span.seconds(10)
    /// A program that stops may be between two pieces.
    package var restTime = Span.seconds(1)
    /// Within it another press of the headset's button belongs to the ones before.
    package var pressTime = Span.milliseconds(400)
    /// Until the system is asked again to wake an app that it could not wake.
    package var wakePause = Span.seconds(1)
    package var mostWakes = 5
    /// For an app to connect again to a service that is new, or over a new connection.
    package var reconnectTime = Span.seconds(5)
    /// So long is kept running who played when the sound server went.
    package var serverTime = Span.seconds(60)
    /// Streams of an app, and all that one may have announced.
    package var mostStreams = 64
    /// What an app may have waiting for it.
    package var mostNews = 64
    /// Commands that wait for players of programs, and presses that wait for the last of them.
    package var mostControls = 64

    package init() {}

    /// - Parameter profile: by its name; of others the newest numbers hold.
    package init(profile: String) {
        // The first devices were told by their users what plays, not by a meter.
        if Self.firstDevices.contains(profile) { silence = .seconds(30) }
    }

    private static let firstDevices: Set<String> = ["iphone-os-3", "iphone-3gs", "iphone-4"]
}
