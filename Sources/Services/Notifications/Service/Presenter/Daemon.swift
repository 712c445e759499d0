internal import DBus

/// The notification daemon, as a program on the bus.
enum Daemon {
    static let name = "org.freedesktop.Notifications"
    static let interface = "org.freedesktop.Notifications"
    static let path: DBusObjectPath = "/org/freedesktop/Notifications"
    /// Why a notification is gone: the user did it.
    static let dismissedByUser: UInt32 = 2
    /// Name, vendor, version, version of the specification.
    static let information: [DBusType] = [.string, .string, .string, .string]
    private static let patience = Duration.seconds(10)
    /// Bytes that are kept of what it says of itself.
    private static let longestText = 128

    /// The bus starts one, if one is installed.
    static let start = DBusCall(
        "StartServiceByName", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", to: "org.freedesktop.DBus",
        [.string(name), .uint32(0)], timeout: .seconds(30))

    /// A call of one certain daemon: its number for a notification means nothing to another.
    static func call(
        _ method: String, of owner: String, _ arguments: [DBusValue] = [], returns: [DBusType]? = nil
    ) -> DBusCall {
        DBusCall(
            method, of: interface, at: path, to: owner, arguments, returns: returns, timeout: patience,
            startsDestination: false)
    }

    /// One that does not say what it is may still show notifications.
    static func describe(
        _ information: Result<[DBusValue], DBusError>, capabilities: [String]
    ) -> NotificationDaemon {
        let texts = ((try? information.get()) ?? []).map { $0.string ?? "" }
        func text(_ index: Int) -> String {
            texts.indices.contains(index) ? NotifyMessage.clean(texts[index], longestText) : ""
        }
        return NotificationDaemon(
            name: text(0).isEmpty ? "a daemon without a name" : text(0), vendor: text(1), version: text(2),
            specification: text(3), capabilities: NotificationDaemon.known.intersection(capabilities))
    }
}
