package import Wire

/// The methods of an app's connection to the audio service (`docs/AUDIO.md`).
package enum AudioClientMethod: String, Sendable, CaseIterable {
    case hello, set, activate, deactivate, start, stop, remote, nowPlaying, override, requestPermission
}

/// What the service sends to an app. All but `surroundings` are requests, numbered by `seq`, which is also the
/// request's `id`, and answered when the app has dealt with them.
package enum AudioClientMessage: String, Sendable, CaseIterable {
    case interrupted, interruptionEnded, routeChanged, command, silenceHint
    case surroundings
}

/// The methods of the control connection that tools may use.
package enum AudioToolMethod: String, Sendable, CaseIterable {
    case hello, status, command, press, ringer, interruption, plug, unplug, route, volume, permission, why
}

/// The windows of its declaration: what apps are woken for.
package enum AudioWindow: String, Sendable, CaseIterable { case told, raised }

/// The property by which the sound server's stream names itself.
package let audioStreamProperty = "greenroom.stream"

/// The version of the audio service's protocol.
package let audioProtocolVersion = 1

/// The `data.code` of a refusal that Apple's `AVAudioSession.ErrorCode` has a number for: its four characters.
package enum AudioErrorCode: String, Sendable, CaseIterable {
    case isBusy = "!act"
    case badParameter = "-50"
    case cannotInterruptOthers = "!int"
    case insufficientPriority = "!pri"
    case cannotStartPlaying = "!pla"
    case cannotStartRecording = "!rec"
    case missingEntitlement = "ent?"
    case resourceNotAvailable = "!res"
    case unspecified = "what"
}

extension RPCError {
    package static func audio(_ code: AudioErrorCode, _ message: String) -> RPCError {
        RPCError(.refused, message, data: ["code": .string(code.rawValue)])
    }

    package var audioCode: AudioErrorCode? { data["code"]?.string.flatMap(AudioErrorCode.init) }
}
