package import Logging
package import NIOCore

/// The stores that there are.
package enum MessageStores {
    /// The one that the settings say.
    ///
    /// - Parameter secret: 32 bytes with which device tokens are made. Of a fleet, the first gateway's goes.
    package static func open(
        home: GatewayHome, secret: [UInt8], settings: GatewaySettings, registry: PrometheusRegistry, logger: Logger,
        group: any EventLoopGroup
    ) async throws -> any MessageStore {
        let metrics = GatewayMetrics(registry)
        guard let fleet = settings.fleet else {
            return try EmbeddedStore(
                home: home, secret: secret, settings: settings, metrics: metrics, logger: logger)
        }
        return try await NATSStore.open(
            fleet, secret: secret, gateway: settings, metrics: metrics, logger: logger, group: group)
    }
}
