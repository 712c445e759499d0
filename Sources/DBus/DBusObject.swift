internal import Dispatch

/// An object of this connection, as long as this is kept. Peers see its interfaces by introspection.
///
/// Unchecked: used on its connection's queue only.
package final class DBusObject: @unchecked Sendable {
    package let path: DBusObjectPath
    private let interfaces: [DBusInterface]
    private weak var connection: DBusConnection?
    private let number: UInt64

    fileprivate init(
        _ path: DBusObjectPath, _ interfaces: [DBusInterface], _ connection: DBusConnection, _ number: UInt64
    ) {
        (self.path, self.interfaces, self.connection, self.number) = (path, interfaces, connection, number)
    }

    deinit {
        guard let connection else { return }
        let (path, number) = (path, number)
        connection.queue.async { connection.withdraw(path, number) }
    }

    /// Emits a signal of one of its interfaces: to all that listen, or to one peer. Without a bus nobody hears it.
    package func emit(
        _ signal: String, of interface: String, _ values: [DBusValue] = [], to peer: String? = nil
    ) throws(DBusError) {
        guard let known = interfaces.first(where: { $0.name == interface })?.signals.first(where: { $0.name == signal })
        else { throw .invalid("the signal \(interface).\(signal), which was not declared,") }
        guard values.map(\.type) == known.carries.map(\.value) else {
            throw .invalid("\(interface).\(signal) with “\(values.map(\.type).code)”")
        }
        try connection?.readyLink?.send(signal: signal, of: interface, at: path, values, to: peer)
    }

    /// Says that properties have changed, each as it was declared.
    package func changed(_ names: [String], of interface: String) throws(DBusError) {
        let all = interfaces.first { $0.name == interface }?.properties ?? []
        let changed = all.filter { names.contains($0.name) }
        let values = changed.filter { $0.change == .value }.map { ($0.name, $0.get()) }
        let invalid = changed.filter { $0.change == .invalidation }.map(\.name)
        guard !values.isEmpty || !invalid.isEmpty else { return }
        try connection?.readyLink?.send(
            signal: "PropertiesChanged", of: StandardInterface.properties, at: path,
            [.string(interface), .properties(values), .strings(invalid)], to: nil)
    }
}

/// An object as the connection knows it.
struct Export {
    let number: UInt64
    let interfaces: [DBusInterface]
}

/// Interfaces that every object has.
enum StandardInterface {
    static let properties = "org.freedesktop.DBus.Properties"
    static let introspection = "org.freedesktop.DBus.Introspectable"
}

extension DBusConnection {
    /// Puts an object on the bus. Another one at the same path is replaced.
    package func export(_ path: DBusObjectPath, _ interfaces: [DBusInterface]) -> DBusObject {
        dispatchPrecondition(condition: .onQueue(queue))
        let number = nextNumber()
        exports[path] = Export(number: number, interfaces: interfaces)
        return DBusObject(path, interfaces, self, number)
    }

    fileprivate func withdraw(_ path: DBusObjectPath, _ number: UInt64) {
        if exports[path]?.number == number { exports[path] = nil }
    }

    // MARK: Calls that come

    func link(_ link: Link, asked call: Incoming, token: UInt64?) {
        guard link === self.link else { return }
        let answer: (Result<[DBusValue], DBusError>) -> Void = { [weak link] result in
            if let token { link?.answer(token, result) }
        }
        do throws(DBusError) {
            let arguments = try call.body.get()
            guard let path = DBusObjectPath(text: call.path) else { throw .invalid("the path “\(call.path)”") }
            let interfaces = exports[path]?.interfaces
            if call.interface == StandardInterface.introspection, call.member == "Introspect" {
                let children = children(of: path)
                guard interfaces != nil || !children.isEmpty else { throw Self.unknownObject(path) }
                answer(.success([.string(Introspection.document(interfaces ?? [], children))]))
                return
            }
            guard let interfaces else { throw Self.unknownObject(path) }
            if call.interface == StandardInterface.properties {
                answer(.success(try PropertyAccess(interfaces: interfaces).perform(call.member, arguments)))
            } else {
                try invoke(call, arguments, in: interfaces, answer)
            }
        } catch {
            answer(.failure(error))
        }
    }

    private static func unknownObject(_ path: DBusObjectPath) -> DBusError {
        .refused(name: DBusError.Name.unknownObject, message: "there is no object at \(path)")
    }

    private func invoke(
        _ call: Incoming, _ arguments: [DBusValue], in interfaces: [DBusInterface],
        _ answer: @escaping (Result<[DBusValue], DBusError>) -> Void
    ) throws(DBusError) {
        // A caller may leave the interface out.
        let asked = interfaces.filter { call.interface.isEmpty || $0.name == call.interface }
        guard !asked.isEmpty else {
            throw .refused(name: DBusError.Name.unknownInterface, message: "there is no \(call.interface)")
        }
        guard let method = asked.lazy.flatMap(\.methods).first(where: { $0.name == call.member }) else {
            throw .refused(name: DBusError.Name.unknownMethod, message: "there is no method \(call.member)")
        }
        guard arguments.map(\.type) == method.takes.map(\.value) else {
            throw .refused(
                name: DBusError.Name.invalidArgs,
                message: "\(method.name) takes “\(method.takes.map(\.value).code)”, not “\(arguments.map(\.type).code)”"
            )
        }
        method.handler(
            DBusInvocation(call, arguments, on: queue) { result in
                if case .success(let values) = result, values.map(\.type) != method.returns.map(\.value) {
                    answer(.failure(.unexpected(types: values.map(\.type).code)))
                } else {
                    answer(result)
                }
            })
    }

    /// Names of the nodes directly below a path.
    private func children(of path: DBusObjectPath) -> [String] {
        let depth = path.elements.count
        let below = exports.keys.map(\.elements).filter { $0.count > depth && Array($0.prefix(depth)) == path.elements }
        return Set(below.map { String($0[depth]) }).sorted()
    }
}
