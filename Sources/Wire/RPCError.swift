/// The `error` of a JSON-RPC answer; the codes are those of `docs/PROTOCOL.md`, section 1.
package struct RPCError: Error, Hashable, Sendable, CustomStringConvertible {
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }

        package static let parseError = Code(rawValue: -32700)
        package static let invalidRequest = Code(rawValue: -32600)
        package static let methodNotFound = Code(rawValue: -32601)
        package static let invalidParams = Code(rawValue: -32602)
        package static let internalError = Code(rawValue: -32603)
        package static let refused = Code(rawValue: -32001)
        package static let outOfOrder = Code(rawValue: -32002)
        package static let notYours = Code(rawValue: -32003)
        package static let unknown = Code(rawValue: -32004)
        package static let tooMuch = Code(rawValue: -32005)
        package static let ended = Code(rawValue: -32006)
        /// Said by the supervisor.
        package static let noDaemon = Code(rawValue: -32007)
    }

    package var code: Code
    package var message: String
    /// `.null` if there is none.
    package var data: JSONValue

    package init(_ code: Code, _ message: String, data: JSONValue = .null) {
        self.code = code
        self.message = message
        self.data = data
    }

    package static func invalidParameter(_ name: String, _ message: String) -> RPCError {
        RPCError(.invalidParams, message, data: ["parameter": .string(name)])
    }

    package static func methodNotFound(_ method: String) -> RPCError {
        RPCError(.methodNotFound, "there is no method \(method.prefix(100)); docs/PROTOCOL.md lists them")
    }

    package var description: String { message }

    init(json: JSONValue) throws(RPCError) {
        guard let code = json["code"]?.int, let message = json["message"]?.string else {
            throw RPCError(.invalidRequest, "error needs an integer code and a string message")
        }
        self.init(Code(rawValue: code), message, data: json["data"] ?? .null)
    }

    var json: JSONValue {
        var object: JSONObject = ["code": .int(Int64(code.rawValue)), "message": .string(message)]
        if data != .null { object["data"] = data }
        return .object(object)
    }
}
