package import DBus
internal import Synchronization

/// A notification daemon that displays nothing, and says what it was asked for.
package final class FakeDaemon: Sendable {
    /// What it does when it is asked to display something.
    package enum Manner: Hashable, Sendable {
        case answers, holds, refuses
        /// It gives all of them this number.
        case numbers(UInt32)
    }

    package struct Notify: Hashable, Sendable {
        package var app: String
        package var replaced: UInt32
        package var icon: String
        package var title: String
        package var body: String
        package var actions: [String]
        package var hints: DBusValue
        package var timeout: Int32

        package var isSilent: Bool { hints["suppress-sound"] == .boolean(true) }
    }

    package static let all = ["actions", "body", "body-markup", "sound", "inline-reply"]
    package static let name = "org.freedesktop.Notifications"
    package static let path: DBusObjectPath = "/org/freedesktop/Notifications"

    package let peer: BusPeer
    package let notified = Mailbox<Notify>()
    package let closed = Mailbox<UInt32>()
    private let state: Mutex<State>

    private struct State {
        var manner: Manner
        var last: UInt32 = 0
        var object: DBusObject?
        var name: DBusRegistration?
        var held: [@Sendable () -> Void] = []
    }

    package init(
        _ bus: TestBus, capabilities: [String] = FakeDaemon.all, first: UInt32 = 1, manner: Manner = .answers
    ) throws {
        peer = try BusPeer(bus)
        state = Mutex(State(manner: manner, last: first - 1))
        let claims = Mailbox<DBusClaim>()
        peer.on { connection in
            let object = connection.export(Self.path, [describe(capabilities)])
            let name = connection.own(Self.name) { claims.post($0) }
            state.withLock { ($0.object, $0.name) = (object, name) }
        }
        guard try claims.next() == .owned else { throw DBusError.notConnected }
    }

    /// It goes without a word, as by a crash.
    package func die() { peer.on { $0.close() } }

    package func behave(_ manner: Manner) { state.withLock { $0.manner = manner } }

    /// Answers what it has held.
    package func answer() {
        peer.on { _ in
            let held = state.withLock { state in
                defer { state.held = [] }
                return state.held
            }
            for answer in held { answer() }
        }
    }

    private func emit(_ signal: String, _ values: [DBusValue]) throws {
        try peer.on { _ in try state.withLock { try $0.object?.emit(signal, of: Self.name, values) } }
    }

    package func act(_ number: UInt32, _ key: String = "default", token: String? = nil) throws {
        if let token { try emit("ActivationToken", [.uint32(number), .string(token)]) }
        try emit("ActionInvoked", [.uint32(number), .string(key)])
    }

    package func reply(_ number: UInt32, _ text: String) throws {
        try emit("NotificationReplied", [.uint32(number), .string(text)])
    }

    package func close(_ number: UInt32, reason: UInt32) throws {
        try emit("NotificationClosed", [.uint32(number), .uint32(reason)])
    }

    // MARK: What it offers

    private func describe(_ capabilities: [String]) -> DBusInterface {
        DBusInterface(
            Self.name,
            methods: [
                .init("GetCapabilities", returns: ["capabilities": .array(.string)]) {
                    $0.answer([.strings(capabilities)])
                },
                .init(
                    "GetServerInformation",
                    returns: ["name": .string, "vendor": .string, "version": .string, "spec": .string]
                ) { $0.answer([.string("fake"), .string("Greenroom"), .string("1.0"), .string("1.2")]) },
                .init(
                    "Notify",
                    takes: [
                        "app": .string, "replaces": .uint32, "icon": .string, "summary": .string, "body": .string,
                        "actions": .array(.string), "hints": .dictionary(key: .string, value: .variant),
                        "timeout": .int32,
                    ], returns: ["id": .uint32]
                ) { [weak self] in self?.notify($0) },
                .init("CloseNotification", takes: ["id": .uint32]) { [weak self] call in
                    guard let self, case .uint32(let number) = call.arguments[0] else { return }
                    closed.post(number)
                    call.answer()
                    try? state.withLock {
                        try $0.object?.emit(
                            "NotificationClosed", of: Self.name, [.uint32(number), .uint32(3)])
                    }
                },
            ],
            signals: [
                .init("NotificationClosed", carries: ["id": .uint32, "reason": .uint32]),
                .init("ActionInvoked", carries: ["id": .uint32, "key": .string]),
                .init("ActivationToken", carries: ["id": .uint32, "token": .string]),
                .init("NotificationReplied", carries: ["id": .uint32, "text": .string]),
            ])
    }

    private func notify(_ call: DBusInvocation) {
        let values = call.arguments
        guard case .uint32(let replaced) = values[1], case .int32(let timeout) = values[7] else { return }
        let number = state.withLock { state -> UInt32 in
            if replaced == 0 { state.last += 1 }
            return replaced == 0 ? state.last : replaced
        }
        let answer = Later(call, [.uint32(number)])
        switch state.withLock({ $0.manner }) {
        case .answers: answer.run()
        case .holds: state.withLock { $0.held.append { answer.run() } }
        case .numbers(let number): call.answer([.uint32(number)])
        case .refuses: call.fail("org.freedesktop.Notifications.Error.ExcessNotificationGeneration", "too many")
        }
        notified.post(
            Notify(
                app: values[0].string ?? "", replaced: replaced, icon: values[2].string ?? "",
                title: values[3].string ?? "", body: values[4].string ?? "", actions: values[5].strings ?? [],
                hints: values[6], timeout: timeout))
    }

    /// Unchecked: used on the peer's queue only.
    private struct Later: @unchecked Sendable {
        let call: DBusInvocation
        let values: [DBusValue]

        init(_ call: DBusInvocation, _ values: [DBusValue]) { (self.call, self.values) = (call, values) }

        func run() { call.answer(values) }
    }
}
