internal import DBus

/// Calls that all services of the system bus answer alike.
enum SystemService {
    static let properties = "org.freedesktop.DBus.Properties"
    static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
    /// As long as a call can wait.
    static let longestWait = Duration.seconds(86_400)

    /// The dictionary that properties and their changes are read as.
    static let propertiesType = DBusType.dictionary(key: .string, value: .variant)

    static func getAll(_ interface: String, at path: DBusObjectPath, of name: String) -> DBusCall {
        DBusCall(
            "GetAll", of: properties, at: path, to: name, [.string(interface)], returns: [propertiesType],
            startsDestination: false)
    }

    static func set(
        _ property: String, _ value: DBusValue, of interface: String, at path: DBusObjectPath, of name: String
    ) -> DBusCall {
        DBusCall(
            "Set", of: properties, at: path, to: name, [.string(interface), .string(property), .variant(value)],
            startsDestination: false)
    }

    static func askBus(_ method: String, _ arguments: [DBusValue] = [], returns: [DBusType]) -> DBusCall {
        let name = "org.freedesktop.DBus"
        return DBusCall(method, of: name, at: "/org/freedesktop/DBus", to: name, arguments, returns: returns)
    }

    /// What `PropertiesChanged` says of one interface.
    static func changes(_ signal: DBusSignal, of interface: String) -> DBusValue? {
        guard signal.arguments.count == 3, signal.arguments[0] == .string(interface),
            signal.arguments[1].type == propertiesType
        else { return nil }
        return signal.arguments[1]
    }

    static let noBus = "There is no system message bus: install and start it (Debian: dbus)"
}

extension DBusConnection {
    var isConnected: Bool {
        if case .connected = state { return true }
        return false
    }
}

extension DBusError {
    var isDenial: Bool {
        if case .refused(SystemService.accessDenied, _) = self { return true }
        return false
    }

    /// What it says, without the name of the error: for sentences.
    var plainText: String {
        if case .refused(_, let message) = self, !message.isEmpty { return String(message.prefix(200)) }
        return description
    }
}
