/// Reading parameters and records by name. Whatever is missing or of the wrong type is answered with −32602 and the
/// parameter's name. A parameter that is null counts as absent; unknown ones are ignored.
extension JSONValue {
    private func parameter(_ name: String) throws(RPCError) -> JSONValue? {
        switch self {
        case .object(let object):
            guard let value = object[name], value != .null else { return nil }
            return value
        case .null: return nil
        case .bool, .int, .double, .string, .array:
            throw .invalidParameter(name, "parameters are given by name, in an object, not as \(kindName)")
        }
    }

    private func required<Value>(_ name: String, _ value: Value?) throws(RPCError) -> Value {
        guard let value else { throw .invalidParameter(name, "the parameter \(name) is missing") }
        return value
    }

    private func wrong(_ name: String, _ value: JSONValue, _ wanted: String) -> RPCError {
        .invalidParameter(name, "the parameter \(name) must be \(wanted), not \(value.kindName)")
    }

    package func string(_ name: String) throws(RPCError) -> String { try required(name, optionalString(name)) }

    package func optionalString(_ name: String) throws(RPCError) -> String? {
        guard let value = try parameter(name) else { return nil }
        guard case .string(let text) = value else { throw wrong(name, value, "a string") }
        return text
    }

    package func int(_ name: String) throws(RPCError) -> Int { try required(name, optionalInt(name)) }

    package func optionalInt(_ name: String) throws(RPCError) -> Int? {
        guard let value = try parameter(name) else { return nil }
        guard case .int(let number) = value else { throw wrong(name, value, "an integer") }
        return Int(number)
    }

    package func integer(_ name: String) throws(RPCError) -> Int64 { Int64(try int(name)) }

    package func number(_ name: String) throws(RPCError) -> Double { try required(name, optionalNumber(name)) }

    package func optionalNumber(_ name: String) throws(RPCError) -> Double? {
        guard let value = try parameter(name) else { return nil }
        guard let number = value.number else { throw wrong(name, value, "a number") }
        return number
    }

    package func bool(_ name: String) throws(RPCError) -> Bool { try required(name, optionalBool(name)) }

    package func bool(_ name: String, default fallback: Bool) throws(RPCError) -> Bool {
        try optionalBool(name) ?? fallback
    }

    package func optionalBool(_ name: String) throws(RPCError) -> Bool? {
        guard let value = try parameter(name) else { return nil }
        guard case .bool(let flag) = value else { throw wrong(name, value, "true or false") }
        return flag
    }

    package func array(_ name: String) throws(RPCError) -> [JSONValue] {
        guard let value = try parameter(name) else { throw .invalidParameter(name, "the parameter \(name) is missing") }
        guard case .array(let elements) = value else { throw wrong(name, value, "an array") }
        return elements
    }

    /// An object; `nil` if it is absent.
    package func optionalObject(_ name: String) throws(RPCError) -> JSONValue? {
        guard let value = try parameter(name) else { return nil }
        guard case .object = value else { throw wrong(name, value, "an object") }
        return value
    }

    package func object(_ name: String) throws(RPCError) -> JSONValue { try required(name, optionalObject(name)) }

    /// The raw value of one of a fixed set of words.
    package func word<Word>(_ name: String, of type: Word.Type = Word.self) throws(RPCError) -> Word
    where Word: RawRepresentable<String> & CaseIterable {
        let text = try string(name)
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidParameter(name, "the parameter \(name) must be one of \(words)")
        }
        return word
    }

    package func optionalInteger(_ name: String) throws(RPCError) -> Int64? { try optionalInt(name).map(Int64.init) }

    package func optionalWord<Word>(_ name: String) throws(RPCError) -> Word?
    where Word: RawRepresentable<String> & CaseIterable {
        try optionalString(name) == nil ? nil : try word(name, of: Word.self)
    }

    package func optionalRecord<Record: WireRecord>(_ name: String) throws(RPCError) -> Record? {
        guard let object = try optionalObject(name) else { return nil }
        return try Record(json: object)
    }

    /// A list that may be absent.
    package func elements(_ name: String) throws(RPCError) -> [JSONValue] { self[name] == nil ? [] : try array(name) }

    /// Strings; none if the list is absent.
    package func strings(_ name: String) throws(RPCError) -> [String] {
        var strings: [String] = []
        for element in try elements(name) {
            guard case .string(let text) = element else {
                throw .invalidParameter(name, "the parameter \(name) must be a list of strings")
            }
            strings.append(text)
        }
        return strings
    }

    /// Records; none if the list is absent.
    package func records<Record: WireRecord>(_ name: String, of type: Record.Type = Record.self) throws(RPCError)
        -> [Record]
    {
        try Record.list(json: .array(elements(name)))
    }

    /// Words of a fixed set, each once and in the set's order; none if the list is absent.
    package func words<Word>(_ name: String, of type: Word.Type = Word.self) throws(RPCError) -> [Word]
    where Word: RawRepresentable<String> & CaseIterable & Equatable {
        let texts = try strings(name)
        if let strange = texts.first(where: { Word(rawValue: $0) == nil }) {
            let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidParameter(name, "the parameter \(name) lists \(strange.prefix(100)); known are \(known)")
        }
        return Word.allCases.filter { texts.contains($0.rawValue) }
    }

    /// The member `protocol` of a first message, which has to be the version that is spoken.
    package func checkVersion(_ supported: Int) throws(RPCError) {
        let version = try int("protocol")
        guard version == supported else {
            throw RPCError(
                .invalidRequest, "version \(version) of the protocol is not spoken here",
                data: ["supported": [.int(Int64(supported))]])
        }
    }
}
