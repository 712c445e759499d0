internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Synchronization
internal import TransferCore

/// Finds out what was wrong with a certificate: the library that refuses it says so in words only. Connects once more
/// and looks at the dates of what is shown, without trusting it.
enum CertificateProbe {
    private final class Shown: Sendable {
        let certificate = Mutex<NIOSSLCertificate?>(nil)
    }

    static func find(
        _ address: Address, _ settings: ConnectionSettings, on group: MultiThreadedEventLoopGroup,
        _ completion: @escaping @Sendable (NetworkFailure) -> Void
    ) {
        // Through a proxy it would take more than it is worth.
        guard settings.proxy == nil, let context = try? NIOSSLContext(configuration: .makeClientConfiguration()) else {
            completion(.secureConnectionFailed)
            return
        }
        let shown = Shown()
        let isName = (try? SocketAddress(ipAddress: address.host, port: address.port)) == nil
        let bootstrap = ClientBootstrap(group: group)
            .connectTimeout(.seconds(5))
            .channelInitializer { channel in
                channel.eventLoop.submit {
                    let handler = try NIOSSLClientHandler(
                        context: context, serverHostname: isName ? address.host : nil
                    ) { certificates, promise in
                        shown.certificate.withLock { $0 = certificates.first }
                        promise.succeed(NIOSSLVerificationResult.failed)
                    }
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
        bootstrap.connect(host: address.host, port: address.port).whenComplete { result in
            guard case .success(let channel) = result else {
                completion(.secureConnectionFailed)
                return
            }
            let limit = channel.eventLoop.scheduleTask(in: .seconds(5)) { channel.close(promise: nil) }
            channel.closeFuture.whenComplete { _ in
                limit.cancel()
                completion(verdict(shown.certificate.withLock { $0 }))
            }
        }
    }

    private static func verdict(_ certificate: NIOSSLCertificate?) -> NetworkFailure {
        guard let certificate else { return .secureConnectionFailed }
        let now = time(nil)
        if certificate.notValidAfter < now { return .certificateExpired }
        if certificate.notValidBefore > now { return .certificateNotYetValid }
        return .certificateUntrusted
    }
}
