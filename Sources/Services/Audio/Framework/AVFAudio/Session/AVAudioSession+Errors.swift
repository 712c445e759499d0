internal import AudioWire
internal import Wire

extension AVAudioSession {
    /// Why something about a session did not work: the `code` of the `NSError` that is thrown.
    public enum ErrorCode: Int, Sendable {
        /// Nothing is wrong.
        case none = 0
        /// The sound server is not there.
        case mediaServicesFailed = 0x6d73_7276
        /// The session's own players and recorders run.
        case isBusy = 0x2161_6374
        /// The category cannot do it.
        case incompatibleCategory = 0x2163_6174
        /// Another session may not be interrupted now.
        case cannotInterruptOthers = 0x2169_6e74
        /// The app does not declare that it does this.
        case missingEntitlement = 0x656e_743f
        /// The assistant listens.
        case siriIsRecording = 0x7369_7269
        /// The app may not begin to play now.
        case cannotStartPlaying = 0x2170_6c61
        /// The app may not begin to record now.
        case cannotStartRecording = 0x2172_6563
        /// The parameters contradict each other.
        case badParam = -50
        /// A call is more important.
        case insufficientPriority = 0x2170_7269
        /// The device, or the system, has no means for it.
        case resourceNotAvailable = 0x2172_6573
        /// Something else.
        case unspecified = 0x7768_6174
        /// The session is one of before the sound server went.
        case expiredSession = 0x2173_6573
        /// The session is not active.
        case sessionNotActive = 0x696e_6163
    }

    static func error(_ code: ErrorCode, _ sentence: String) -> NSError {
        NSError(domain: NSOSStatusErrorDomain, code: code.rawValue, userInfo: [NSLocalizedDescriptionKey: sentence])
    }

    static func error(_ error: any Error) -> NSError {
        guard let error = error as? RPCError else {
            if let known = error as? SoundFileError { return SoundFile.error(known) }
            return AVAudioSession.error(.resourceNotAvailable, String(describing: error))
        }
        let code: ErrorCode =
            switch error.audioCode {
            case .isBusy: .isBusy
            case .badParameter: .badParam
            case .cannotInterruptOthers: .cannotInterruptOthers
            case .insufficientPriority: .insufficientPriority
            case .cannotStartPlaying: .cannotStartPlaying
            case .cannotStartRecording: .cannotStartRecording
            case .missingEntitlement: .missingEntitlement
            case .resourceNotAvailable: .resourceNotAvailable
            case .unspecified, nil: .unspecified
            }
        return AVAudioSession.error(code, error.message)
    }

    /// Throws what an app understands.
    static func mapped<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw AVAudioSession.error(error)
        }
    }
}

extension SoundFile {
    /// As Apple's audio files have it.
    static func error(_ error: SoundFileError) -> NSError {
        let code =
            switch error.kind {
            // kAudioFileFileNotFoundError, kAudioFileUnsupportedFileTypeError, kAudioFileInvalidFileError,
            // kAudioFilePermissionsError, kAudioFileUnspecifiedError
            case .notFound: -43
            case .unsupported: 0x7479_703f
            case .broken: 0x6474_613f
            case .cannotWrite: 0x7072_6d3f
            case .other: 0x7768_743f
            }
        return NSError(
            domain: NSOSStatusErrorDomain, code: code, userInfo: [NSLocalizedDescriptionKey: error.description])
    }
}
