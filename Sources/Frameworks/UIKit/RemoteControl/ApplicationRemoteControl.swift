internal import AppRuntime
package import AudioClient
package import AudioModel
internal import Foundation

/// Presses on controls of audio, as the app hears them: through the responder chain, if it asked for them. Nothing of
/// the service is touched until the app asks for them or is woken for one.
@MainActor
package final class ApplicationRemoteControl: AudioCommandHandler {
    private weak let application: UIApplication?
    private let client: AudioClient

    package init(_ application: UIApplication?, _ client: AudioClient = .shared) {
        (self.application, self.client) = (application, client)
    }

    /// The app is being launched: what comes meanwhile is held.
    package func begin() {
        client.beginLaunching()
        client.use(events: self)
        ServiceEvents.shared.register("audio", through: { [client] in client.currentLink }) { [client] event, done in
            client.woken(upTo: event.payload) { done(.done) }
        }
    }

    /// The app has been launched.
    package func finishLaunching() { client.finishLaunching() }

    /// The app's process is gone.
    package func end() { client.reset() }

    /// Whether the app asked for them.
    package var isWanted: Bool {
        get { client.wantsEvents }
        set { client.wantsEvents = newValue }
    }

    package func perform(_ command: AudioCommand) -> AudioCommandStatus? {
        guard isWanted, let number = command.eventSubtype, let subtype = UIEvent.EventSubtype(rawValue: number)
        else { return nil }
        let responder = UIResponder.first ?? application?.keyWindow ?? application
        responder?.remoteControlReceived(with: UIEvent(.remoteControl, subtype))
        return .success
    }
}

extension UIApplication {
    /// Asks for presses on controls of audio, which go to `remoteControlReceived(with:)` of the first responder. The
    /// app that played last gets them, also while it is suspended: it is resumed for a moment.
    public func beginReceivingRemoteControlEvents() { remoteControl.isWanted = true }

    /// Does not ask for them any longer.
    public func endReceivingRemoteControlEvents() { remoteControl.isWanted = false }
}
