internal import Model
package import Wire

/// What a person at a terminal can type about it. The daemon knows no command line: it says what would help, not how.
package enum Hints {
    /// The message of a refusal, and which command would help.
    package static func sentence(_ error: RPCError) -> String {
        guard case .object(let data) = error.data, case .string(let remedy)? = data["remedy"] else {
            return error.message
        }
        let interruption = data["interruption"].flatMap { if case .string(let name) = $0 { name } else { nil } } ?? ""
        return switch remedy {
        case "listApps": "\(error.message): greenroom apps lists those that are"
        case "unlock": "\(error.message): greenroom unlock first"
        case "wake": "\(error.message): greenroom simulate wake first"
        case "dismiss": "\(error.message) (greenroom simulate \(Visible.line(interruption)) --help)"
        case "simulate": "\(error.message): greenroom simulate \(Visible.line(interruption)) brings one"
        default: error.message
        }
    }

    /// A reason as the daemon gives it, and the command that changes it.
    package static func reason(_ sentence: String) -> String {
        commands[sentence].map { "\(sentence) (\($0))" } ?? sentence
    }

    private static let commands = [
        AssertionKind.exemption.reason: "greenroom exempt --off takes that back",
        WakeObstacle.refreshIsOff.sentence: "greenroom refresh APP allows it",
        Reason.thawedFromOutside.sentence: "greenroom thaw does",
    ]
}
