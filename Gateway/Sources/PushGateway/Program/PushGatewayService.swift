internal import CoreMetrics
internal import Crypto
internal import LinuxSystem
package import Logging
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import PushCore
internal import PushLink
internal import ServiceLifecycle
internal import Wire

/// A gateway: its servers and its store, from start to end.
package struct PushGatewayService: Service {
    /// Where it listens, once it does.
    package struct Addresses: Sendable {
        package var providers: ListenAddress
        package var devices: ListenAddress
        package var metrics: ListenAddress

        package var json: String {
            let object: JSONObject = [
                "listen": .string(providers.description), "link": .string(devices.description),
                "metrics": .string(metrics.description),
            ]
            return JSONValue.object(object).description
        }
    }

    private let home: GatewayHome
    private let settings: GatewaySettings
    private let logger: Logger
    private let registry: PrometheusRegistry
    private let threads: Int
    private let started: @Sendable (Addresses) -> Void

    /// - Parameter started: called once everything listens.
    package init(
        home: GatewayHome, settings: GatewaySettings, logger: Logger,
        registry: PrometheusRegistry = PrometheusRegistry(), threads: Int = System.coreCount,
        started: @escaping @Sendable (Addresses) -> Void = { _ in }
    ) {
        self.home = home
        self.settings = settings
        self.logger = logger
        self.registry = registry
        self.threads = threads
        self.started = started
    }

    package func run() async throws {
        try GatewayInitialization(home).renewServerIfNeeded(settings)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: threads)
        do {
            try await serve(group)
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
        try await group.shutdownGracefully()
    }

    private func serve(_ group: MultiThreadedEventLoopGroup) async throws {
        let metrics = GatewayMetrics(registry)
        guard let secret = Hexadecimal.bytes(try home.read(home.secret).filter(\.isHexDigit)), secret.count == 32 else {
            throw GatewayError("\(home.secret) must hold 64 hexadecimal digits")
        }
        let store = try await MessageStores.open(
            home: home, secret: secret, settings: settings, registry: registry, logger: logger, group: group)
        let places = ConnectionPlaces(most: settings.mostConnections ?? Self.mostConnections)
        let links = LinkServer(
            group: group, rules: settings.rules, proof: Self.proof(settings.names), store: store, metrics: metrics,
            logger: logger, places: places)
        let certificates = try clientCertificates()
        let providers = ProviderServer(
            settings: settings,
            verifier: try await TokenVerifier(try ProviderDirectory(home), rules: settings.rules),
            certificates: certificates, store: store, metrics: metrics, logger: logger, places: places)

        let credential = try Credential(home)
        // The devices' port first: a message that is accepted should find its device.
        let devicePort = try await links.start(group, settings.link, try linkTLS(credential))
        let providerPort = try await providers.start(group, settings.listen, try providerTLS(credential, certificates))
        let metricsPort = try await MetricsServer.start(group, settings.metrics, registry) { store.trouble }
        let addresses = Addresses(
            providers: settings.listen.bound(providerPort), devices: settings.link.bound(devicePort),
            metrics: settings.metrics.bound(metricsPort))
        logger.info(
            "the gateway serves",
            metadata: [
                "listen": "\(addresses.providers)", "link": "\(addresses.devices)", "metrics": "\(addresses.metrics)",
                "home": "\(home.path)",
            ])
        started(addresses)

        try? await gracefulShutdown()
        logger.info("the gateway ends: providers are answered, devices are told to come back")
        try? await providerPort.close()
        try? await devicePort.close()
        await providers.end()
        await links.end()
        // Everything that was answered 200 is durable already; registrations may be under way.
        await store.close()
        try? await metricsPort.close()
    }

    /// The limit of descriptors, less those for the gateway's own files.
    private static var mostConnections: Int { max(256, CurrentProcess.descriptorLimit - 128) }

    private func clientCertificates() throws -> ClientCertificates {
        let files = [home.authority, home.otherAuthorities].filter { $0 == home.authority || home.exists($0) }
        // A file that is none of certificates is named in words.
        for file in files { _ = try home.certificate(in: file) }
        return try ClientCertificates(authorities: files.map(home.read))
    }

    // MARK: TLS

    private struct Credential {
        var chain: [NIOSSLCertificateSource]
        var key: NIOSSLPrivateKeySource

        init(_ home: GatewayHome) throws {
            do {
                chain = try NIOSSLCertificate.fromPEMBytes(Array(home.read(home.certificate).utf8))
                    .map { .certificate($0) }
                key = .privateKey(
                    try NIOSSLPrivateKey(bytes: Array(home.read(home.certificateKey).utf8), format: .pem))
            } catch let error as GatewayError {
                throw error
            } catch {
                throw GatewayError(
                    "\(home.certificate) and \(home.certificateKey) are no certificate and key: \(error)")
            }
        }

        func configuration(_ protocols: [String]) -> TLSConfiguration {
            var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: key)
            configuration.minimumTLSVersion = .tlsv12
            configuration.applicationProtocols = protocols
            configuration.shutdownTimeout = .seconds(2)
            return configuration
        }
    }

    private func providerTLS(_ credential: Credential, _ certificates: ClientCertificates) throws -> NIOSSLContext {
        var configuration = credential.configuration(["h2"])
        configuration.certificateVerification = .optionalVerification
        configuration.trustRoots = .certificates(certificates.trustRoots)
        configuration.sendCANameList = true
        return try NIOSSLContext(configuration: configuration)
    }

    private func linkTLS(_ credential: Credential) throws -> NIOSSLContext {
        try NIOSSLContext(configuration: credential.configuration([LinkRules.applicationProtocol]))
    }

    private static func proof(_ names: [String]) -> LinkProof {
        LinkProof(
            names: names, digest: { Array(SHA256.hash(data: $0)) },
            isSigned: { key, text, signature in
                guard let key = try? P256.Signing.PublicKey(x963Representation: key),
                    let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
                else { return false }
                return key.isValidSignature(signature, for: text)
            })
    }
}

extension ListenAddress {
    /// With the port that the system chose, where it was left to it.
    fileprivate func bound(_ channel: any Channel) -> ListenAddress {
        ListenAddress(host: host, port: channel.localAddress?.port ?? port)
    }
}
