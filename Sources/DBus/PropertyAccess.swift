/// An object's answers to `org.freedesktop.DBus.Properties`.
struct PropertyAccess {
    let interfaces: [DBusInterface]

    func perform(_ method: String, _ arguments: [DBusValue]) throws(DBusError) -> [DBusValue] {
        switch (method, arguments.map(\.type)) {
        case ("Get", [.string, .string]):
            return [.variant(try property(arguments[0], arguments[1]).get())]
        case ("Set", [.string, .string, .variant]):
            let property = try property(arguments[0], arguments[1])
            guard let set = property.set else {
                throw .refused(name: DBusError.Name.propertyReadOnly, message: "\(property.name) is read-only")
            }
            guard case .variant(let value) = arguments[2], value.type == property.type else {
                throw Self.invalidArguments("\(property.name) has the type “\(property.type.code)”")
            }
            try set(value)
            return []
        case ("GetAll", [.string]):
            let all = try interface(arguments[0]).flatMap(\.properties)
            return [.properties(all.map { ($0.name, $0.get()) })]
        case ("Get", _), ("Set", _), ("GetAll", _):
            throw Self.invalidArguments("\(method) does not take “\(arguments.map(\.type).code)”")
        default:
            throw .refused(name: DBusError.Name.unknownMethod, message: "there is no method \(method)")
        }
    }

    private static func invalidArguments(_ message: String) -> DBusError {
        .refused(name: DBusError.Name.invalidArgs, message: message)
    }

    /// An empty name means all of them.
    private func interface(_ name: DBusValue) throws(DBusError) -> [DBusInterface] {
        guard let name = name.string, !name.isEmpty else { return interfaces }
        let found = interfaces.filter { $0.name == name }
        guard !found.isEmpty else {
            throw .refused(name: DBusError.Name.unknownInterface, message: "there is no \(name)")
        }
        return found
    }

    private func property(_ interface: DBusValue, _ name: DBusValue) throws(DBusError) -> DBusInterface.Property {
        let all = try self.interface(interface).flatMap(\.properties)
        guard let name = name.string, let property = all.first(where: { $0.name == name }) else {
            throw .refused(name: DBusError.Name.unknownProperty, message: "there is no property \(name.string ?? "")")
        }
        return property
    }
}
