package import Model

/// What happened. Client events carry the request that they answer.
package enum TransferEvent: Hashable, Sendable {
    /// Nothing but time has passed.
    case timer
    /// Wall clock minus boot clock; the first event of a process.
    case clockChanged(Span)
    case conditions(TransferConditions)
    /// What the link carried since the last of these: comes several times a second while anything `yields`.
    case link(LinkSample)
    /// The process before this one ended by a fault of its own while these were on the wire: comes once for each such
    /// end, behind the first `clockChanged` and before the first `conditions`.
    case died([TransferID])

    // The system.
    /// greenroomd is there: a stand-alone service has no system, and never tells of sessions.
    case systemAttached
    case systemDetached
    case appState(AppIdentifier, AppPresence)
    case userEnded(AppIdentifier)
    case forgotten(AppIdentifier, RequestID)
    /// The announcement of that number is durable with the system.
    case announced(SessionID, UInt64)

    // Clients.
    case attached(ConnectionID, AppIdentifier)
    case detached(ConnectionID)
    case client(ConnectionID, RequestID, ClientRequest)
    /// A delegate has returned.
    case delivered(ConnectionID, SessionID, EventNumber)
    /// The same of a `delayedRequest`, with what it says of that.
    case decided(ConnectionID, SessionID, EventNumber, DelayedDecision)

    // The tool.
    case tool(RequestID, ToolRequest)

    // One try over the network.
    case responseHead(AttemptID, ResponseHead, challenge: ChallengeSpace?)
    /// So many bytes of the whole thing have arrived, durable or not: progress, and a sign of life.
    case received(AttemptID, total: Int64)
    /// Everything up to here is on the disk.
    case durable(AttemptID, offset: Int64)
    /// So many bytes of the whole body have been written.
    case sent(AttemptID, total: Int64)
    /// 104 (Upload Resumption Supported), with the place that it names.
    case uploadResumable(AttemptID, resource: String)
    /// The response has ended in order; all that was received of it is durable.
    case responseEnded(AttemptID, offset: Int64, digest: DigestVerdict)
    case failed(AttemptID, NetworkFailure)
    /// What could not be written; what had been made durable is.
    case fileFailed(AttemptID, FileFailure)
    /// The part file has fewer bytes than its record says; the shell has written nothing yet.
    case fileIsShort(AttemptID, length: Int64)

    // Files on their way out.
    /// The answer of `moveToClient` and `moveToTarget`.
    case fileMoved(TransferID, path: String)
    case moveFailed(TransferID, FileFailure)
}

/// What a client asks for, of the app of its connection.
package enum ClientRequest: Hashable, Sendable {
    case open(session: String, TransferConfiguration)
    /// More of the tasks, from behind that number.
    case tasks(session: String, after: Int64)
    case create(session: String, TransferCreation)
    case resume(session: String, task: Int64)
    case suspend(session: String, task: Int64)
    case cancel(session: String, task: Int64, producesResumeData: Bool)
    case change(session: String, task: Int64, TransferChange)
    case credential(session: String, task: Int64, challenge: EventNumber, ChallengeAnswer)
    case invalidate(session: String, cancels: Bool)
}

/// What a delegate says when the time of a delayed request has come.
package enum DelayedDecision: Hashable, Sendable {
    case continueLoading
    case useNewRequest(TransferRequest)
    case cancel
}

package enum ToolRequest: Hashable, Sendable {
    /// The shell gives any number; the Core gives its own.
    case add(TransferCreation, isDiscretionary: Bool)
    case pause(TransferID)
    case resume(TransferID)
    case cancel(TransferID)
    case why(TransferID)
    /// Answered when it has ended.
    case wait(TransferID)
}

package enum AppPresence: String, Sendable, Codable, CaseIterable { case foreground, background, suspended, none }

/// What the network and the power are like.
package struct TransferConditions: Hashable, Sendable, Codable {
    package var network: NetworkKind
    package var isMetered: Bool
    /// The user wants to save data.
    package var isConstrained: Bool
    package var hasExternalPower: Bool
    /// Thousandths; `nil` where there is no battery.
    package var battery: Int32?
    package var isRadioWarm: Bool
    /// The user sees an app, whichever it is.
    package var isAppOnScreen: Bool
    /// The user saves power.
    package var isLowPower: Bool

    package init(
        network: NetworkKind = .wired, isMetered: Bool = false, isConstrained: Bool = false,
        hasExternalPower: Bool = true, battery: Int32? = nil, isRadioWarm: Bool = false,
        isAppOnScreen: Bool = false, isLowPower: Bool = false
    ) {
        self.network = network
        self.isMetered = isMetered
        self.isConstrained = isConstrained
        self.hasExternalPower = hasExternalPower
        self.battery = battery
        self.isRadioWarm = isRadioWarm
        self.isAppOnScreen = isAppOnScreen
        self.isLowPower = isLowPower
    }
}
