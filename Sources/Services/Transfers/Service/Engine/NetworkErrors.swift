internal import AsyncHTTPClient
internal import Glibc
internal import LinuxSystem
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL
internal import SystemPackage
internal import TransferCore

extension NetworkFailure {
    /// What an error of the network libraries means for the transfer.
    init(_ error: any Error) {
        switch error {
        case let error as HTTPClientError: self.init(client: error)
        case let error as NIOConnectionError:
            let isUnknown = error.connectionErrors.isEmpty && (error.dnsAError != nil || error.dnsAAAAError != nil)
            let isOffline = error.connectionErrors.contains { Self.isOffline($0.error) }
            self = isUnknown ? .cannotFindHost : isOffline ? .notConnected : .cannotConnect
        case is SocketAddressError: self = .cannotFindHost
        case let error as IOError:
            let number = error.errnoCode
            self =
                Self.isOffline(error) ? .notConnected : number == ECONNREFUSED ? .cannotConnect : .connectionLost
        case is NIOSSLExtraError: self = .certificateUntrusted
        case let error as NIOSSLError:
            if case .handshakeFailed = error { self = .secureConnectionFailed } else { self = .connectionLost }
        case let error as HTTPParserError: self = error == .invalidEOFState ? .connectionLost : .badResponse
        case is NIOHTTP2Errors.StreamClosed, is NIOHTTP2Errors.NoSuchStream: self = .refusedStream
        case is BadStatus, is NIOHTTP2Errors.BadClientMagic, is NIOHTTP2Errors.UnableToParseFrame:
            self = .badResponse
        default: self = .connectionLost
        }
    }

    private init(client error: HTTPClientError) {
        switch error {
        case .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded, .tlsHandshakeTimeout,
            .getConnectionFromPoolTimeout:
            self = .timedOut
        case .proxyAuthenticationRequired: self = .proxyAuthenticationRequired
        case .invalidProxyResponse, .httpProxyHandshakeTimeout, .socksHandshakeTimeout: self = .proxyFailed
        case .invalidURL, .emptyHost, .emptyScheme: self = .unsupportedURL
        default: self = .connectionLost
        }
    }

    private static func isOffline(_ error: any Error) -> Bool {
        guard let error = error as? IOError else { return false }
        return [ENETUNREACH, ENETDOWN, EHOSTUNREACH].contains(error.errnoCode)
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
