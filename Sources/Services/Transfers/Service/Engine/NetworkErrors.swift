internal import Curl
internal import Glibc
internal import LinuxSystem
internal import SystemPackage
internal import TransferCore

extension NetworkFailure {
    /// What an error of the network means for the transfer.
    init(_ failure: CurlFailure) {
        switch failure {
        case .unsupportedURL: self = .unsupportedURL
        case .hostNotFound: self = .cannotFindHost
        case .notConnected(let number):
            self = [ENETUNREACH, ENETDOWN, EHOSTUNREACH].contains(number) ? .notConnected : .cannotConnect
        case .proxyRefused(status: 407): self = .proxyAuthenticationRequired
        case .proxyRefused, .proxyNotFound: self = .proxyFailed
        case .timedOut: self = .timedOut
        case .streamRefused: self = .refusedStream
        case .badAnswer: self = .badResponse
        case .undecodable: self = .undecodable
        case .notSecure: self = .secureConnectionFailed
        case .certificateExpired: self = .certificateExpired
        case .certificateNotYetValid: self = .certificateNotYetValid
        case .certificateUntrusted: self = .certificateUntrusted
        case .certificateRejected: self = .certificateRejected
        case .connectionLost, .cannotSendAgain, .cancelled, .other: self = .connectionLost
        }
    }
}

extension FileFailure {
    init(_ error: SystemError) {
        switch error.errno {
        case .noSpace: self = .diskFull
        case .diskQuotaExceeded: self = .quotaExceeded
        case .permissionDenied, .notPermitted, .readOnlyFileSystem: self = .notPermitted
        case .noSuchFileOrDirectory, .notDirectory: self = .targetGone
        default: self = .other
        }
    }
}
