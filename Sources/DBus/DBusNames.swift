internal import CSystemd

/// The path of an object, such as `/org/freedesktop/Notifications`.
package struct DBusObjectPath: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// `nil` if D-Bus does not allow it.
    package init?(text: String) {
        guard DBusNames.isObjectPath(text) else { return nil }
        self.text = text
    }

    package var description: String { text }

    package static let root = DBusObjectPath(known: "/")

    private init(known text: String) { self.text = text }

    /// The names of which it consists.
    var elements: [Substring] { text.split(separator: "/") }
}

extension DBusObjectPath: ExpressibleByStringLiteral {
    /// A text in the code that is no path is a mistake in the code.
    package init(stringLiteral text: String) {
        precondition(DBusNames.isObjectPath(text), "\(text) is no path of an object")
        self.text = text
    }
}

/// What D-Bus allows as names.
package enum DBusNames {
    package static func isObjectPath(_ text: String) -> Bool {
        unsafe holds(text) { unsafe sd_bus_object_path_is_valid($0) }
    }
    /// An interface, and the name of an error.
    package static func isInterface(_ text: String) -> Bool {
        unsafe holds(text) { unsafe sd_bus_interface_name_is_valid($0) }
    }
    /// A method, a property or a signal.
    package static func isMember(_ text: String) -> Bool {
        unsafe holds(text) { unsafe sd_bus_member_name_is_valid($0) }
    }
    /// A program on the bus, by a name that it owns or by the one that the bus gave it.
    package static func isBusName(_ text: String) -> Bool {
        unsafe holds(text) { unsafe sd_bus_service_name_is_valid($0) }
    }
    /// Whether the bus gave it, so that it means one connection only.
    package static func isUnique(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: ":") }

    /// C would not see what follows a zero.
    private static func holds(_ text: String, _ check: (UnsafePointer<CChar>) -> CInt) -> Bool {
        unsafe !text.utf8.contains(0) && text.withCString { unsafe check($0) } > 0
    }
}
