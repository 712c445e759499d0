/// Which signals a subscription is about. What is `nil` does not matter.
package struct DBusMatch: Hashable, Sendable {
    /// A name: only what its owner of that moment sends counts.
    package var sender: String?
    package var path: DBusObjectPath?
    package var interface: String?
    package var member: String?
    /// The first argument, a text.
    package var argument: String?
    /// The first argument, a name that is this one or begins with it and a dot.
    package var namespace: String?

    package init(
        sender: String? = nil, path: DBusObjectPath? = nil, interface: String? = nil, member: String? = nil,
        argument: String? = nil, namespace: String? = nil
    ) {
        self.sender = sender
        self.path = path
        self.interface = interface
        self.member = member
        self.argument = argument
        self.namespace = namespace
    }

    /// As the bus reads it.
    var rule: String {
        let parts = [
            ("sender", sender), ("path", path?.text), ("interface", interface), ("member", member),
            ("arg0", argument), ("arg0namespace", namespace),
        ]
        let given = parts.compactMap { name, value in value.map { "\(name)=\(Self.quoted($0))" } }
        return (["type='signal'"] + given).joined(separator: ",")
    }

    /// Quotes end for an apostrophe, which stands outside of them.
    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// Whether a signal is one of these; `owner` is the owner of the sender's name.
    func matches(_ signal: Incoming, owner: String?) -> Bool {
        if let sender, signal.sender != sender, owner == nil || signal.sender != owner { return false }
        if let path, signal.path != path.text { return false }
        if let interface, signal.interface != interface { return false }
        if let member, signal.member != member { return false }
        guard argument != nil || namespace != nil else { return true }
        guard case .string(let first)? = try? signal.body.get().first else { return false }
        if let argument, first != argument { return false }
        if let namespace, first != namespace, !first.hasPrefix(namespace + ".") { return false }
        return true
    }
}

/// A signal that came.
package struct DBusSignal: Hashable, Sendable {
    /// The sender's unique name.
    package let sender: String
    package let path: String
    package let interface: String
    package let member: String
    package let arguments: [DBusValue]
}
