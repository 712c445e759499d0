internal import CSystemd
internal import LinuxSystem

/// A message in the making; libsystemd keeps what it sends.
@safe private struct Draft: ~Copyable {
    let message: OpaquePointer

    init(_ make: (inout OpaquePointer?) -> CInt, _ what: @autoclosure () -> String) throws(DBusError) {
        var message: OpaquePointer?
        guard unsafe make(&message) >= 0, let message = unsafe message else { throw .invalid(what()) }
        unsafe self.message = message
    }

    func append(_ values: [DBusValue]) throws(DBusError) {
        var writer = unsafe MessageWriter(message)
        try writer.append(values)
    }

    deinit { unsafe sd_bus_message_unref(message) }
}

/// A call of ours that waits for its answer.
@safe final class PendingCall {
    unowned let link: Link
    let number: UInt64
    let destination: String
    /// Nanoseconds of the monotonic clock.
    let deadline: Int64
    let completion: (Result<[DBusValue], DBusError>) -> Void
    fileprivate var slot: OpaquePointer?

    fileprivate init(
        _ link: Link, _ number: UInt64, _ destination: String, _ deadline: Int64,
        _ completion: @escaping (Result<[DBusValue], DBusError>) -> Void
    ) {
        self.link = link
        self.number = number
        self.destination = destination
        self.deadline = deadline
        self.completion = completion
    }

    /// libsystemd has no more use for it.
    func release() {
        unsafe sd_bus_slot_unref(slot)
        unsafe slot = nil
    }
}

/// A call to us that waits for its answer.
@safe struct UnansweredCall {
    fileprivate let message: OpaquePointer
    let bytes: Int

    init(_ message: OpaquePointer, bytes: Int) {
        unsafe self.message = sd_bus_message_ref(message)
        self.bytes = bytes
    }

    func release() { unsafe sd_bus_message_unref(message) }
}

extension Link {
    /// Sends a call. Its answer, or the lack of one, comes to `completion` unless this throws.
    func send(
        _ call: DBusCall, _ completion: @escaping (Result<[DBusValue], DBusError>) -> Void
    ) throws(DBusError) {
        guard pending.count < Self.mostPending else { throw .tooMany }
        try makeRoom()
        let draft = unsafe try Draft(
            { message in
                unsafe sd_bus_message_new_method_call(
                    bus, &message, call.destination, call.path.text, call.interface, call.method)
            }, "the call \(call)")
        try draft.append(call.arguments)
        if !call.startsDestination { unsafe sd_bus_message_set_auto_start(draft.message, 0) }
        lastNumber += 1
        let (seconds, attoseconds) = call.timeout.components
        let microseconds = max(1, min(seconds, 86_400) * 1_000_000 + attoseconds / 1_000_000_000_000)
        let deadline = Clock.monotonic() + microseconds * 1000
        let waiting = PendingCall(self, lastNumber, call.destination, deadline, completion)
        let own = unsafe Unmanaged.passUnretained(waiting).toOpaque()
        try unsafe check(
            "sd_bus_call_async",
            sd_bus_call_async(
                bus, &waiting.slot, draft.message,
                { message, own, _ in
                    guard let message = unsafe message, let own = unsafe own else { return 0 }
                    let call = unsafe Unmanaged<PendingCall>.fromOpaque(own).takeUnretainedValue()
                    unsafe call.link.answered(call, message)
                    return 1
                }, own, UInt64(microseconds)))
        pending[waiting.number] = waiting
        arrange()
    }

    func send(
        signal member: String, of interface: String, at path: DBusObjectPath, _ values: [DBusValue],
        to destination: String?
    ) throws(DBusError) {
        try makeRoom()
        let draft = unsafe try Draft(
            { message in unsafe sd_bus_message_new_signal(bus, &message, path.text, interface, member) },
            "the signal \(interface).\(member)")
        if let destination {
            guard unsafe sd_bus_message_set_destination(draft.message, destination) >= 0 else {
                throw .invalid("the name “\(destination)”")
            }
        }
        try draft.append(values)
        try unsafe check("sd_bus_send", sd_bus_send(bus, draft.message, nil))
        arrange()
    }

    /// Answers a call that came with this token, once; another time it does nothing.
    func answer(_ token: UInt64, _ result: Result<[DBusValue], DBusError>) {
        guard let call = unanswered.removeValue(forKey: token) else { return }
        unansweredBytes -= call.bytes
        unsafe reply(to: call.message, result)
        call.release()
        arrange()
    }

    /// An answer that cannot be sent is lost: the bus is gone, or reads nothing.
    func reply(to message: OpaquePointer, _ result: Result<[DBusValue], DBusError>) {
        do throws(DBusError) {
            try makeRoom()
            let draft = unsafe try Draft(
                { unsafe sd_bus_message_new_method_return(message, &$0) }, "the answer")
            try draft.append(result.get())
            try unsafe check("sd_bus_send", sd_bus_send(bus, draft.message, nil))
        } catch {
            let (name, text) = error.asAnswer
            var reason = unsafe sd_bus_error()
            _ = unsafe sd_bus_error_set(&reason, name, text)
            var answer: OpaquePointer?
            if unsafe sd_bus_message_new_method_error(message, &answer, &reason) >= 0 {
                _ = unsafe sd_bus_send(bus, answer, nil)
            }
            unsafe sd_bus_message_unref(answer)
            unsafe sd_bus_error_free(&reason)
        }
    }

    private func makeRoom() throws(DBusError) {
        guard isOpen else { throw .notConnected }
        var queued: UInt64 = 0
        try unsafe check("sd_bus", sd_bus_get_n_queued_write(bus, &queued))
        if queued >= Self.mostQueued { throw .tooMany }
    }
}

extension DBusError {
    /// How a caller hears of it.
    var asAnswer: (name: String, message: String) {
        switch self {
        case .refused(let name, let message) where DBusNames.isInterface(name): (name, message)
        case .tooMany, .tooLarge: (Name.limitsExceeded, description)
        case .invalid: (Name.invalidArgs, description)
        default: (Name.failed, description)
        }
    }
}
