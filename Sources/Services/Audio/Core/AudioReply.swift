package import AudioModel
package import Model

package enum AudioReply: Hashable, Sendable {
    case done
    case hello(AudioSurroundings)
    case permission(AudioPermission)
    /// Whom a command reached.
    case target(String)
    case status(AudioCommandStatus)
}

/// An app as the desktop sees it.
package struct PublishedPlayer: Hashable, Sendable {
    package var name: String
    package var nowPlaying: NowPlaying
    package var isPlaying: Bool
    package var commands: Set<AudioCommandKind>
}

/// Why a request was refused.
package enum AudioRefusal: Error, Hashable, Sendable {
    /// Nothing was said before on this connection.
    case notGreeted
    case invalid(String)
    /// A call, or something else that interrupts, goes before.
    case insufficientPriority
    /// Another app sounds, and this one is not on the screen.
    case cannotInterruptOthers
    /// It is not on the screen, and has no right to sound there.
    case cannotStartPlaying(String)
    case cannotStartRecording(String)
    case noPermission
    /// Something of the app still ran; the session is not active any more all the same.
    case isBusy
    case noSuchStream
    case tooManyStreams
    case noPlayer
    case playerDoesNot(String, AudioCommandKind)
    case notWoken(String)
    case noSuchRoute(String)
    case noSuchApp
    case nothingToEnd

    package var sentence: String {
        switch self {
        case .notGreeted: "hello comes first"
        case .invalid(let sentence): sentence
        case .insufficientPriority: "a call or another interruption is under way: try again when it has ended"
        case .cannotInterruptOthers:
            "another app plays, and this one is not on the screen: it may mix (mixWithOthers), or play when it is opened"
        case .cannotStartPlaying(let sentence), .cannotStartRecording(let sentence): sentence
        case .noPermission: "the user does not let this app use the microphone: greenroom audio allow APP changes that"
        case .isBusy: "a player or recorder of the app still ran when its session was deactivated: stop it before"
        case .noSuchStream: "the app has announced no such stream"
        case .tooManyStreams: "an app has so many streams already that it gets no more: stop some of them"
        case .noPlayer: "no app has played anything that can be controlled"
        case .playerDoesNot(let name, let command): "\(name) does not take the command \(command.rawValue)"
        case .notWoken(let name): "\(name) cannot be woken now: open it"
        case .noSuchRoute(let name): "there is no route \(name): greenroom audio status lists them"
        case .noSuchApp: "no such app has used audio"
        case .nothingToEnd: "no interruption was begun"
        }
    }
}

/// What a person may want to know, and no one asked for.
package enum AudioReport: Hashable, Sendable {
    /// It claimed to play, and nothing was to be heard for so long.
    case silent(PartyID, Span)
    /// It was told something and did not come to it.
    case untold(AppIdentifier, AudioNews)
    case notWoken(AppIdentifier, AudioNews)
    /// A stream that runs although its app was told to stop.
    case stubborn(PartyID)
}
