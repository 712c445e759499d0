internal import Curl
internal import TransferCore
internal import TransferWire
package import Wire

/// What the service reads of what servers and clients say, as pure functions: for whoever tries them with everything
/// that can be said. What the Core reads (`ResponseHead`, `HTTPDate`, `Address`, the decisions) is reachable there.
package enum ServerWords {
    /// Where a place in an answer leads, which was asked for at an address.
    package static func place(_ text: String, from base: String) -> String? {
        Address(base).flatMap { Address(text, relativeTo: $0) }?.text
    }

    /// The next request, as `METHOD URL`.
    package static func redirect(status: Int, location: String?, method: String, from base: String) -> String? {
        guard let address = Address(base),
            case .follow(let next) = Redirect.read(status: status, location: location, method: method, from: address)
        else { return nil }
        return "\(next.method) \(next.address.text)"
    }

    /// The value of `Authorization` for the strongest of the challenges.
    package static func authorization(_ challenges: [String], isProxy: Bool, user: String, password: String) -> String?
    {
        Challenge.strongest(challenges, isProxy: isProxy)?.answer(
            TransferCredential(user: user, password: password), method: "GET", target: "/", count: 1, clientNonce: "0")
    }

    /// The value of `Cookie` for the same address after these were set, stored and read again.
    package static func cookies(_ headers: [String], at url: String, now: Double) -> String? {
        guard let address = Address(url) else { return nil }
        var jar = CookieJar()
        jar.store(headers, host: address.host, path: address.path, isSecure: address.isSecure, now: now)
        guard let kept = try? CookieJar(json: jar.json) else { return nil }
        return kept.header(host: address.host, path: address.path, isSecure: address.isSecure, now: now)
    }

    /// What a server says that the whole thing hashes to.
    package static func digest(status: Int, _ fields: [(String, String)]) -> [UInt8]? {
        let head = CurlHead(status: status, fields: fields.map { CurlField($0.0, $0.1) })
        return DigestCheck.expected(checksum: nil, head)?.value
    }

    /// What a tool says.
    package static func checksum(_ text: String) -> [UInt8]? { DigestCheck.expected(checksum: text, nil)?.value }

    /// Reads the parameters of every request and answer in which a client names numbers and times.
    package static func convert(_ json: JSONValue) {
        if let create = try? TransferCreate(json: json) { _ = try? TransferCreation(wire: create, body: nil) }
        if let open = try? TransferOpen(json: json) { _ = TransferConfiguration(wire: open.configuration) }
        if let change = try? TransferChangeParameters(json: json) { _ = TransferChange(wire: change) }
        if let conditions = try? ServiceConditions(json: json) { _ = TransferConditions(wire: conditions) }
        if let answer = try? TransferCredentialParameters(json: json) { _ = try? ChallengeAnswer(wire: answer) }
        if let add = try? TransferAdd(json: json) { _ = TransferCreation.priority(add.priority) }
        _ = DelayedDecision(wire: json)
    }
}
