/// What ties an answer to its request.
package enum RPCID: Hashable, Sendable, CustomStringConvertible {
    case int(Int64)
    case string(String)

    package var description: String {
        switch self {
        case .int(let value): String(value)
        case .string(let value): value
        }
    }

    package var json: JSONValue {
        switch self {
        case .int(let value): .int(value)
        case .string(let value): .string(value)
        }
    }

    /// `nil` if the protocol does not take it as an identifier.
    package init?(json: JSONValue) {
        switch json {
        case .int(let value) where value.magnitude <= Limits.identifierMagnitude.magnitude: self = .int(value)
        case .string(let value) where value.utf8.count <= Limits.identifierLength: self = .string(value)
        case .null, .bool, .int, .double, .string, .array, .object: return nil
        }
    }
}

/// A line that is no message, and what its sender is told.
package struct RPCParseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The identifier of the request, if it could be read.
    package let id: RPCID?
    package let error: RPCError

    package var description: String { error.message }
    package var answer: RPCMessage { .failure(id: id, error) }
}

/// One line of the protocol.
package enum RPCMessage: Hashable, Sendable {
    /// `params` is an object, an array, or `.null` when absent.
    case request(id: RPCID, method: String, params: JSONValue)
    case notification(method: String, params: JSONValue)
    case response(id: RPCID, result: JSONValue)
    /// Without an identifier if the request was not readable.
    case failure(id: RPCID?, RPCError)

    package static func parse(
        _ line: [UInt8], limits: JSONLimits = .message
    ) throws(RPCParseError) -> RPCMessage {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: line, limits: limits)
        } catch {
            throw RPCParseError(id: nil, error: RPCError(.parseError, "the line is not JSON: \(error)"))
        }
        guard case .object(let object) = json else {
            throw invalid(nil, "a message is an object, not \(json.kindName); batches are not supported")
        }
        return try message(Fields(object))
    }

    /// The members that count, found in one pass.
    private struct Fields {
        var version: JSONValue?
        var id: JSONValue?
        var method: JSONValue?
        var params: JSONValue?
        var result: JSONValue?
        var error: JSONValue?

        init(_ object: JSONObject) {
            for member in object.members {
                switch member.key {
                case "jsonrpc": version = member.value
                case "id": id = member.value
                case "method": method = member.value
                case "params": params = member.value
                case "result": result = member.value
                case "error": error = member.value
                default: continue
                }
            }
        }
    }

    private static func message(_ fields: Fields) throws(RPCParseError) -> RPCMessage {
        let id = fields.id.flatMap(RPCID.init(json:))
        guard case .string("2.0") = fields.version else { throw invalid(id, "jsonrpc must be \"2.0\"") }
        if let method = fields.method { return try call(method, id, fields) }
        if let error = fields.error, error != .null {
            guard fields.result == nil else { throw invalid(id, "an answer has a result or an error, not both") }
            guard id != nil || fields.id == nil || fields.id == .null else { throw unusable(fields.id) }
            do {
                return .failure(id: id, try RPCError(json: error))
            } catch {
                throw RPCParseError(id: id, error: error)
            }
        }
        guard let result = fields.result else { throw invalid(id, "method is missing") }
        guard let id else { throw unusable(fields.id) }
        return .response(id: id, result: result)
    }

    private static func call(
        _ method: JSONValue, _ id: RPCID?, _ fields: Fields
    ) throws(RPCParseError) -> RPCMessage {
        guard case .string(let name) = method else { throw invalid(id, "method is \(method.kindName), not a string") }
        guard fields.result == nil, fields.error == nil else {
            throw invalid(id, "a request has neither a result nor an error")
        }
        let params = fields.params ?? .null
        switch params {
        case .object, .array, .null: break
        case .bool, .int, .double, .string: throw invalid(id, "params is \(params.kindName), not an object")
        }
        guard let id else {
            guard fields.id == nil else { throw unusable(fields.id) }
            return .notification(method: name, params: params)
        }
        return .request(id: id, method: name, params: params)
    }

    private static func invalid(_ id: RPCID?, _ message: String) -> RPCParseError {
        RPCParseError(id: id, error: RPCError(.invalidRequest, message))
    }

    private static func unusable(_ id: JSONValue?) -> RPCParseError {
        invalid(
            nil,
            id == nil
                ? "id is missing"
                : "id must be an integer of at most 53 bits or a string of at most \(Limits.identifierLength) bytes")
    }

    /// The line of a response whose result is JSON already.
    package static func answer(id: RPCID, written result: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(result.count + 64)
        output.appendLiteral("{\"jsonrpc\":\"2.0\"")
        output.appendMember("id", id)
        output.appendLiteral(",\"result\":")
        output += result
        output.appendLiteral("}\n")
        return output
    }

    /// The whole line, with its newline.
    package func encoded() -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(128)
        output.appendLiteral("{\"jsonrpc\":\"2.0\"")
        switch self {
        case .request(let id, let method, let params):
            output.appendMember("id", id)
            output.appendCall(method, params)
        case .notification(let method, let params):
            output.appendCall(method, params)
        case .response(let id, let result):
            output.appendMember("id", id)
            output.appendLiteral(",\"result\":")
            result.write(into: &output)
        case .failure(let id, let error):
            output.appendMember("id", id)
            output.appendLiteral(",\"error\":")
            error.json.write(into: &output)
        }
        output.appendLiteral("}\n")
        return output
    }
}

extension [UInt8] {
    fileprivate mutating func appendMember(_ name: StaticString, _ id: RPCID?) {
        appendLiteral(",\"")
        appendLiteral(name)
        appendLiteral("\":")
        switch id {
        case .int(let value): appendDecimal(value)
        case .string(let value): appendQuoted(value)
        case nil: appendLiteral("null")
        }
    }

    fileprivate mutating func appendCall(_ method: String, _ params: JSONValue) {
        appendLiteral(",\"method\":")
        appendQuoted(method)
        if params != .null {
            appendLiteral(",\"params\":")
            params.write(into: &self)
        }
    }
}
