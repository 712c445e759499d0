package import Model

/// Every number that the service decides by.
package struct TransferRules: Hashable, Sendable, Codable {
    // Admission.
    /// An app, or the user's tools together, begin one more while they have fewer of these places than are free. So one
    /// app has half of them, two a third each, and servers that send next to nothing leave places to other apps.
    package var mostRunning: Int32 = 64
    package var mostRunningPerApp: Int32 = 32
    /// Whatever a session asks for.
    package var mostConnectionsPerHost: Int32 = 16
    /// Thousandths of the battery that stand for external power, to begin and to go on.
    package var batteryToBegin: Int32 = 500
    package var batteryToContinue: Int32 = 300
    /// A transfer that can wait looks so long for a radio that others have warmed.
    package var longestRadioWait = Span.seconds(15 * 60)
    /// A task of no higher priority than this can wait for the radio although it is not discretionary.
    package var lowPriority: Int32 = 250
    /// The delay after the first wake, and the longest.
    package var firstDelay = Span.seconds(60)
    package var longestDelay = Span.seconds(4 * 3600)

    // Giving way to an app on screen.
    /// What others move in a second before they are said to use the network, and how long they are quiet before
    /// transfers go on.
    package var quietLink: Int64 = 16 << 10
    package var linkRest = Span.seconds(2)
    /// Bytes a second that are left for all transfers together, so that their connections live.
    package var leastLinkShare: Int64 = 16 << 10
    /// Less than this is too short to tell anything.
    package var shortestLinkSample = Span.milliseconds(20)

    // Retries.
    package var firstRetry = Span.seconds(1)
    package var longestRetry = Span.seconds(300)
    package var shortestRetry = Span.milliseconds(100)
    package var longestRetryAfter = Span.seconds(6 * 3600)
    package var diskRetry = Span.seconds(30)
    package var mostChallenges: Int32 = 20
    package var mostDigestFailures: Int32 = 3
    /// An app hears the server's answer after so many that might have been better the next time: five minutes and more.
    package var mostRefusals: Int32 = 10
    /// A Last-Modified younger than this may stand for two versions of a thing.
    package var youngestValidator = Span.seconds(60)

    // Faults of the service itself.
    /// So often it may end while a task runs; the next time, if the task was alone, the task is set aside.
    package var mostDeaths: Int32 = 2
    /// A suspect runs alone so long after the first fault, all suspects together no longer than the other; and after
    /// each further fault eight times as long, an hour at most.
    package var probation = Span.seconds(2)
    package var longestTrial = Span.seconds(30)
    package var longestProbation = Span.seconds(3600)
    /// Of one app, before its other transfers are held back.
    package var mostSetAside: Int32 = 2
    package var forgetSetAside = Span.seconds(86_400)

    /// Of `Upload-Draft-Interop-Version`: that of draft 05, which Apple's systems speak.
    package var uploadInteropVersion: Int32 = 6

    // Telling.
    package var progressInterval = Span.milliseconds(100)
    /// What a server says to an upload is kept for its delegate; an answer that is longer ends the task.
    package var longestUploadAnswer: Int64 = 1 << 20
    package var keepResumeData = Span.seconds(7 * 86_400)
    /// An announcement that the system does not answer is repeated.
    package var announcementRetry = Span.seconds(60)

    /// Bytes of tasks, about, that one answer has: a line of the wire has room for them however they are written.
    package var longestPage = 98_304

    // Limits for clients.
    package var mostSessionsPerApp = 100
    package var mostTasksPerSession = 10_000
    package var mostKeptFilesPerApp = 100
    package var mostToolTasks = 10_000
    package var mostEndedToolTasks = 100
    package var longestSessionName = 255
    package var longestURL = 8192
    package var longestDescription = 4096
    package var longestMethod = 32
    package var mostHeaders = 100
    package var longestHeaders = 16_384
    package var longestRequestBody = 65_536
    package var mostTrustRoots = 16
    package var longestTrustRoots = 262_144
    package var longestCredential = 1024
    package var longestResourceTimeout = Span.seconds(365 * 86_400)
    package var shortestRequestTimeout = Span.seconds(1)
    /// Response headers that are kept; what goes beyond is not.
    package var longestResponseHeaders = 16_384

    package init() {}
}
