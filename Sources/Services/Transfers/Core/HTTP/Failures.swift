/// What a failure of the network means: a passing one is tried again, any other ends the task.
extension NetworkFailure {
    package var isPassing: Bool {
        switch self {
        case .cannotFindHost, .cannotConnect, .connectionLost, .timedOut, .notConnected, .badResponse, .refusedStream,
            .proxyFailed:
            true
        case .tooManyRedirects, .redirectToNowhere, .unsupportedURL, .secureConnectionFailed, .certificateExpired,
            .certificateUntrusted, .certificateNotYetValid, .certificateRejected, .bodyUnreadable, .answerTooLong,
            .proxyAuthenticationRequired, .undecodable:
            false
        }
    }

    /// The code in `NSURLErrorDomain`.
    package var code: Int32 {
        switch self {
        case .timedOut: -1001
        case .unsupportedURL: -1002
        case .cannotFindHost: -1003
        case .cannotConnect, .proxyFailed: -1004
        case .connectionLost, .refusedStream: -1005
        case .tooManyRedirects: -1007
        case .notConnected: -1009
        case .redirectToNowhere: -1010
        case .proxyAuthenticationRequired: -1013
        case .badResponse: -1011
        case .undecodable: -1015
        case .bodyUnreadable: -1102
        case .answerTooLong: -1103
        case .secureConnectionFailed: -1200
        case .certificateExpired: -1201
        case .certificateUntrusted: -1202
        case .certificateNotYetValid: -1204
        case .certificateRejected: -1205
        }
    }

    /// For people, as the end of "because …".
    package var phrase: String {
        switch self {
        case .cannotFindHost: "the server's name was not found"
        case .cannotConnect: "the server did not take the connection"
        case .connectionLost: "the connection was lost"
        case .timedOut: "the server said nothing for too long"
        case .notConnected: "there was no network"
        case .badResponse: "the server's answer was not HTTP"
        case .refusedStream: "the server wanted another connection"
        case .tooManyRedirects: "the server redirected too often"
        case .redirectToNowhere: "the server redirected to what is no web address"
        case .unsupportedURL: "it is no http or https address"
        case .secureConnectionFailed: "no secure connection came about"
        case .certificateExpired: "the server's certificate has expired"
        case .certificateUntrusted: "the server's certificate is not from a trusted authority, or not for this server"
        case .certificateNotYetValid: "the server's certificate is not valid yet"
        case .certificateRejected: "the server did not take the client's certificate"
        case .proxyFailed: "the proxy did not take the connection"
        case .proxyAuthenticationRequired: "the proxy wants to know who asks"
        case .bodyUnreadable: "the file to upload cannot be read"
        case .answerTooLong: "the server answered the upload with more than is kept of an answer"
        case .undecodable: "the content is not coded as the server says"
        }
    }
}

extension FileFailure {
    package var phrase: String {
        switch self {
        case .diskFull: "the disk is full"
        case .quotaExceeded: "the quota on the disk is used up"
        case .notPermitted: "it may not be written there"
        case .targetGone: "the folder for it is not the one that it was"
        case .other: "it could not be written"
        }
    }
}

extension TransferError {
    static let cancelled = TransferError(code: -999, "cancelled")
    static let forceQuit = TransferError(code: -999, "cancelled: the user ended the app", reason: .userForceQuit)
    static let timedOut = TransferError(code: -1001, "the time for the whole transfer is over")
    static let cannotWrite = TransferError(code: -3003, "the time is over, and the file could not be written")
    static let notCached = TransferError(
        code: -1008, "its cache policy allows only what is in a cache, and background sessions have none")
    static let fileGone = TransferError(code: -1100, "the file was removed before a delegate had it")
    static let setAside = TransferError(
        code: -1, "the transfer service ended by a fault each time it ran, and it is not tried again")
    static let wrongContent = TransferError(code: -1016, "the content is not what its checksum says")

    init(_ failure: NetworkFailure) { self.init(code: failure.code, failure.phrase) }
}
