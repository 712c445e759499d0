internal import CSystemd

/// A message that came, as a value.
struct Incoming {
    enum Kind { case call, signal, answer, error }

    let kind: Kind
    let sender: String
    let path: String
    let interface: String
    let member: String
    /// What an error is called.
    let errorName: String
    let expectsAnswer: Bool
    /// Its values, or why they were not read.
    let body: Result<[DBusValue], DBusError>
    /// Bytes of its values.
    let bytes: Int

    init?(_ message: OpaquePointer) {
        var type: UInt8 = 0
        guard unsafe sd_bus_message_get_type(message, &type) >= 0 else { return nil }
        switch CInt(type) {
        case CInt(SD_BUS_MESSAGE_METHOD_CALL): kind = .call
        case CInt(SD_BUS_MESSAGE_SIGNAL): kind = .signal
        case CInt(SD_BUS_MESSAGE_METHOD_RETURN): kind = .answer
        case CInt(SD_BUS_MESSAGE_METHOD_ERROR): kind = .error
        default: return nil
        }
        func text(_ start: UnsafePointer<CChar>?) -> String { unsafe start.map { unsafe String(cString: $0) } ?? "" }
        sender = unsafe text(sd_bus_message_get_sender(message))
        path = unsafe text(sd_bus_message_get_path(message))
        interface = unsafe text(sd_bus_message_get_interface(message))
        member = unsafe text(sd_bus_message_get_member(message))
        expectsAnswer = unsafe kind == .call && sd_bus_message_get_expect_reply(message) > 0
        errorName = unsafe kind == .error ? text(sd_bus_message_get_error(message)?.pointee.name) : ""
        var reader = unsafe MessageReader(message)
        do throws(DBusError) {
            body = .success(try reader.readAll())
        } catch {
            body = .failure(error)
        }
        bytes = reader.bytes
    }

    /// What an answer says to the one that waits for it. libsystemd calls its own answer at the end of the time by the
    /// same name as the bus does where a peer went.
    func result(asked destination: String, isLate: Bool) -> Result<[DBusValue], DBusError> {
        guard kind == .error else { return body }
        let message = (try? body.get())?.first?.string ?? ""
        switch errorName {
        case DBusError.Name.serviceUnknown, DBusError.Name.nameHasNoOwner: return .failure(.noOwner(destination))
        case DBusError.Name.noReply where isLate && sender == Bus.name: return .failure(.timedOut)
        case _ where DBusError.Name.timeouts.contains(errorName): return .failure(.timedOut)
        default: return .failure(.refused(name: errorName, message: message))
        }
    }
}
