/// The answer of `default`.
package struct SchemesInfo: WireRecord {
    package struct Scheme: WireRecord {
        package var scheme: String
        /// The one that opens its URLs; `nil`: none does.
        package var app: String?
        /// The user chose it.
        package var isChosen: Bool
        package var claimants: [String]

        package init(scheme: String, app: String?, isChosen: Bool, claimants: [String]) {
            self.scheme = scheme
            self.app = app
            self.isChosen = isChosen
            self.claimants = claimants
        }

        package init(json: JSONValue) throws(RPCError) {
            scheme = try json.string("scheme")
            app = try json.optionalString("app")
            isChosen = try json.bool("chosen")
            claimants = try json.strings("claimants")
        }

        package var json: JSONValue {
            [
                "scheme": .string(scheme), "app": JSONValue(app), "chosen": .bool(isChosen),
                "claimants": .array(claimants.map(JSONValue.string)),
            ]
        }
    }

    package var schemes: [Scheme]

    package init(schemes: [Scheme]) { self.schemes = schemes }
    package init(json: JSONValue) throws(RPCError) { schemes = try json.records("schemes") }
    package var json: JSONValue { ["schemes": .array(schemes.map(\.json))] }
}
