package import Model

/// What the shell is to do, in this order. `store` and `erase` always come first: the shell commits them in one
/// transaction before it does any of the others, unless all of them are offsets, which may wait for the next one.
package enum TransferEffect: Hashable, Sendable {
    case store(TransferRecord)
    case erase(TransferRecordKey)

    // The network. Each may be followed by `stop` at any time, after which the attempt is not heard of again.
    /// Truncates the file to `offset` (creates it if there is none) and asks; answers `responseHead` or `failed`,
    /// or before that `fileIsShort`.
    case startDownload(AttemptID, DownloadOrder)
    case startUpload(AttemptID, UploadOrder)
    /// The body of the response goes to the file from there on; what the file has beyond goes first.
    case receiveBody(AttemptID, at: Int64)
    /// The body of the response is of no use: it may be read to its end, and nothing more is told of it.
    case stop(AttemptID)
    /// These of the running transfers give way to an app on screen, and no others: as long as there are any, the shell
    /// tells what the link carries (`link`). Together they move so many bytes a second at most.
    case yields([TransferID], limit: Int64?)

    // Files.
    case remove(TransferFile)
    /// Into the app's container, under a name that depends on nothing but the task. Done already is done; answers
    /// `fileMoved` or `moveFailed`.
    case moveToClient(TransferID, TransferFile, AppIdentifier)
    /// To the path of the task's record; answers like `moveToClient`.
    case moveToTarget(TransferID, TransferFile, path: String)
    /// The delegate has returned: what it left of the file goes.
    case removeFromClient(TransferID, AppIdentifier)

    // Peers.
    case reply(RequestID, TransferReply)
    case refuse(RequestID, TransferRefusal)
    case deliver(ConnectionID, EventDelivery)
    case progress(ConnectionID, ProgressNote)
    /// `sessionEvents`: the app should be woken. Answers `announced`.
    case announce(SessionID, AppIdentifier, session: String, WakeReason, number: UInt64)
    /// So many wait for something; it is looked at again then.
    case waiting(count: Int, until: WallTime?)
    /// What `TransferSystem.status` says of it has changed: for those who watch.
    case changed(TransferID)
}

/// A download to try.
package struct DownloadOrder: Hashable, Sendable {
    package var request: TransferRequest
    package var configuration: TransferConfiguration
    package var app: AppIdentifier?
    package var file: TransferFile
    /// Beyond zero: `Range: bytes=offset-` with `If-Range`.
    package var offset: Int64
    package var validator: Validator?
    package var credential: TransferCredential?
    /// Nobody else gets the credential.
    package var space: ChallengeSpace?
    package var proxyCredential: TransferCredential?
    package var checksum: String?
}

/// An upload to try.
package struct UploadOrder: Hashable, Sendable {
    package enum Step: Hashable, Sendable {
        /// The request as it is, with the header fields that offer to resume.
        case whole
        /// `HEAD`: how far has it come? Answers `responseHead`, then nothing.
        case ask(resource: String)
        /// `PATCH`, from there.
        case append(resource: String, offset: Int64)
    }

    package var request: TransferRequest
    package var configuration: TransferConfiguration
    package var app: AppIdentifier?
    package var body: UploadBody
    package var step: Step
    /// Where the response goes.
    package var file: TransferFile
    /// A response beyond that is `answerTooLong`.
    package var longestAnswer: Int64
    package var credential: TransferCredential?
    /// Nobody else gets the credential.
    package var space: ChallengeSpace?
    package var proxyCredential: TransferCredential?
}

package enum TransferReply: Hashable, Sendable {
    case done
    case opened(SessionID, nextTask: Int64, TaskPage, isNew: Bool)
    case tasks(TaskPage)
    case cancelled(ResumeData?)
    case added(TransferID)
    case explanation(Explanation)
    case ended(TransferStatus)
}

/// Why a request was refused.
package enum TransferRefusal: Error, Hashable, Sendable {
    case notAttached
    case sessionIsOpenElsewhere
    case sessionIsNotOpen
    case sessionIsInvalid
    case noSuchTask
    case taskHasEnded
    /// The name of the parameter, and what is wrong with it.
    case invalid(parameter: String, String)
    /// What there is too much of.
    case tooMuch(String)
}

/// So much of a session's tasks as one message has room for, in the order of their numbers.
package struct TaskPage: Hashable, Sendable {
    package var tasks: [TaskView]
    /// Those behind the last one are to be asked for; no delegate is told anything before.
    package var hasMore: Bool
}

/// A task as `open` answers it.
package struct TaskView: Hashable, Sendable {
    package enum State: String, Sendable, CaseIterable { case suspended, running, canceling, completed }

    package var record: TaskRecord
    package var state: State
    package var received: Int64
    package var sent: Int64
}

/// One event for a delegate, with all that it says.
package struct EventDelivery: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case resumedAt(offset: Int64, expected: Int64?)
        case finished(path: String, TransferResponse?)
        case completed(CompletedTask)
        case challenge(PendingChallenge)
        /// Answered by `decided`.
        case delayedRequest(TransferRequest)
        case finishedEvents
        case invalidated
    }

    package var sessionID: SessionID
    package var session: String
    package var number: EventNumber
    package var task: Int64?
    package var kind: Kind
}

package struct CompletedTask: Hashable, Sendable {
    package var error: TransferError?
    package var resumeData: ResumeData?
    package var response: TransferResponse?
    package var received: Int64
    package var sent: Int64
    package var attempts: UInt32
    package var created: WallTime
    package var ended: WallTime
}

package struct ProgressNote: Hashable, Sendable {
    package var session: String
    package var task: Int64
    package var kind: TransferKind
    /// Bytes of the whole, and how many more than in the note before.
    package var total: Int64
    package var bytes: Int64
    package var expected: Int64?
}
