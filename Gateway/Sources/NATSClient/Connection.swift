internal import CNATS
internal import Glibc
internal import Synchronization

/// libnats's connection and its subscriptions.
///
/// Unchecked: libnats locks them itself, and they are released after everything that uses them.
@safe final class ConnectionHandle: @unchecked Sendable {
    let pointer: OpaquePointer
    private let subscriptions = Mutex<[SubscriptionHandle]>([])

    @unsafe private init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit {
        for subscription in subscriptions.withLock({ $0 }) { subscription.destroy() }
        unsafe natsConnection_Destroy(pointer)
    }

    /// Connects to whichever server is there; if none is, it goes on trying, and this returns.
    static func connect(_ settings: NATSSettings, _ watch: ConnectionWatch) throws(NATSError) -> ConnectionHandle {
        var options: OpaquePointer?
        try check("memory", unsafe natsOptions_Create(&options))
        defer { unsafe natsOptions_Destroy(options) }
        try unsafe setServers(options, settings)
        try unsafe setTimes(options)
        // libnats holds it until it says that the connection is closed.
        let own = unsafe Unmanaged.passRetained(watch)
        var connection: OpaquePointer?
        do throws(NATSError) {
            try unsafe setCallbacks(options, own.toOpaque())
            let status = unsafe natsConnection_Connect(&connection, options)
            guard status == NATS_OK || status == NATS_NOT_YET_CONNECTED, let connection = unsafe connection else {
                throw .setting("NATS at \(settings.places)", NATSError.text(status))
            }
            return unsafe ConnectionHandle(connection)
        } catch {
            unsafe own.release()
            throw error
        }
    }

    private static func check(_ name: String, _ status: natsStatus) throws(NATSError) {
        guard status == NATS_OK else { throw .setting(name, NATSError.text(status)) }
    }

    @unsafe private static func setServers(_ options: OpaquePointer?, _ settings: NATSSettings) throws(NATSError) {
        let copies = unsafe settings.servers.map { unsafe strdup($0) }
        defer { unsafe copies.forEach { unsafe free($0) } }
        var list = unsafe copies.map { unsafe UnsafePointer($0) }
        try check(
            "NATS at \(settings.places)", unsafe natsOptions_SetServers(options, &list, CInt(clamping: list.count)))
        try check("the name", unsafe natsOptions_SetName(options, settings.name))
        if let credentials = settings.credentials {
            try check(credentials, unsafe natsOptions_SetUserCredentialsFromFiles(options, credentials, nil))
        }
        if settings.isSecure { try check("TLS", unsafe natsOptions_SetSecure(options, true)) }
        if let authority = settings.authority {
            try check(authority, unsafe natsOptions_LoadCATrustedCertificates(options, authority))
        }
        if let certificate = settings.certificate {
            try check(
                certificate.file,
                unsafe natsOptions_LoadCertificatesChain(options, certificate.file, certificate.key))
        }
    }

    /// In milliseconds. A server that hangs is left soon: requests wait for it.
    @unsafe private static func setTimes(_ options: OpaquePointer?) throws(NATSError) {
        try check("the timeout", unsafe natsOptions_SetTimeout(options, 2000))
        try check("the ping interval", unsafe natsOptions_SetPingInterval(options, 3000))
        try check("the ping limit", unsafe natsOptions_SetMaxPingsOut(options, 2))
        try check("the write deadline", unsafe natsOptions_SetWriteDeadline(options, 2000))
        try check("the reconnect limit", unsafe natsOptions_SetMaxReconnect(options, -1))
        try check("the reconnect wait", unsafe natsOptions_SetReconnectWait(options, 100))
        try check("the reconnect jitter", unsafe natsOptions_SetReconnectJitter(options, 100, 100))
        // One thread for all subscriptions of the process, instead of one for each.
        try check("the threads", unsafe natsOptions_UseGlobalMessageDelivery(options, true))
    }

    @unsafe private static func setCallbacks(
        _ options: OpaquePointer?, _ watch: UnsafeMutableRawPointer
    ) throws(NATSError) {
        let connected: natsConnectionHandler = { _, watch in
            unsafe ConnectionHandle.watch(watch)?.takeUnretainedValue().set(true)
        }
        let disconnected: natsConnectionHandler = { _, watch in
            unsafe ConnectionHandle.watch(watch)?.takeUnretainedValue().set(false)
        }
        let closed: natsConnectionHandler = { _, watch in
            unsafe ConnectionHandle.watch(watch)?.takeRetainedValue().set(false)
        }
        try check("callbacks", unsafe natsOptions_SetRetryOnFailedConnect(options, true, connected, watch))
        try check("callbacks", unsafe natsOptions_SetReconnectedCB(options, connected, watch))
        try check("callbacks", unsafe natsOptions_SetDisconnectedCB(options, disconnected, watch))
        try check("callbacks", unsafe natsOptions_SetClosedCB(options, closed, watch))
    }

    @unsafe private static func watch(_ pointer: UnsafeMutableRawPointer?) -> Unmanaged<ConnectionWatch>? {
        unsafe pointer.map { unsafe Unmanaged.fromOpaque($0) }
    }

    func subscribe(_ subject: String, _ receiver: Receiver) throws(NATSError) {
        let own = unsafe Unmanaged.passRetained(receiver)
        var subscription: OpaquePointer?
        let status = unsafe natsConnection_Subscribe(
            &subscription, pointer, subject,
            { _, _, message, receiver in
                guard let message = unsafe message, let receiver = unsafe receiver else { return }
                let copy = unsafe NATSMessage(message)
                unsafe natsMsg_Destroy(message)
                unsafe Unmanaged<Receiver>.fromOpaque(receiver).takeUnretainedValue().handler(copy)
            }, own.toOpaque())
        guard status == NATS_OK, let subscription = unsafe subscription else {
            unsafe own.release()
            throw .setting(subject, NATSError.text(status))
        }
        // What waits is in memory either way; beyond its limits libnats would throw it away without a word.
        unsafe natsSubscription_SetPendingLimits(subscription, -1, -1)
        unsafe natsSubscription_SetOnCompleteCB(
            subscription,
            { receiver in
                guard let receiver = unsafe receiver else { return }
                unsafe Unmanaged<Receiver>.fromOpaque(receiver).release()
            }, own.toOpaque())
        subscriptions.withLock { unsafe $0.append(SubscriptionHandle(subscription)) }
    }
}

/// Unchecked: as with the connection.
@safe private struct SubscriptionHandle: @unchecked Sendable {
    private let pointer: OpaquePointer

    @unsafe init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    func destroy() { unsafe natsSubscription_Destroy(pointer) }
}

/// What handles the messages of a subscription.
final class Receiver: Sendable {
    let handler: @Sendable (NATSMessage) -> Void

    init(_ handler: @escaping @Sendable (NATSMessage) -> Void) { self.handler = handler }
}

/// Whether there is a connection, as libnats says it.
final class ConnectionWatch: Sendable {
    private let state = Mutex(false)
    private let changed: @Sendable (Bool) -> Void

    init(_ changed: @escaping @Sendable (Bool) -> Void) { self.changed = changed }

    var isConnected: Bool { state.withLock { $0 } }

    func set(_ isConnected: Bool) {
        let isNew = state.withLock { state in
            defer { state = isConnected }
            return state != isConnected
        }
        if isNew { changed(isConnected) }
    }
}

extension NATSSettings {
    var isSecure: Bool { authority != nil || servers.contains { $0.hasPrefix("tls://") } }

    /// The servers without passwords, for people.
    package var places: String {
        servers.map { $0.split(separator: "@").last.map(String.init) ?? $0 }.joined(separator: ", ")
    }
}
