internal import Model
internal import TransferCore
internal import TransferService
internal import Wire

extension FuzzTarget {
    /// 2026-11-22T12:00:00Z.
    private static let now = WallTime(nanoseconds: 1_795_348_800_000_000_000)
    private static let here = TransferService.Address("https://example.org:8443/a/b?c=d")

    /// A response as a server sends it: a status, and one field a line.
    static let http = FuzzTarget("http", "what servers answer: ranges, dates, Retry-After, tags, redirects") {
        (bytes) throws(BrokenPromise) in
        let lines = parts(bytes, at: 0x0A, most: 64).map { String(decoding: $0, as: UTF8.self) }
        let status = Int32(lines.first ?? "") ?? 200
        let headers = lines.dropFirst().map { line in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            return HeaderField(String(line[..<colon]), String(line[colon...].dropFirst()))
        }
        let head = ResponseHead(status: status, headers: headers)
        let rules = TransferRules()
        if let span = head.retryAfter(now: now, rules: rules) {
            try promise((.zero...rules.longestRetryAfter).contains(span), "the server is left alone for \(span)")
        }
        if let range = head.contentRange {
            let isOne = range.start >= 0 && range.start <= range.end && range.total.map { range.end < $0 } ?? true
            try promise(isOne, "\(range) is no range")
        }
        for length in [head.contentLength, head.unsatisfiedLength, head.uploadOffset] {
            try promise(length ?? 0 >= 0, "a length is negative")
        }
        let validator = head.validator(now: now, rules: rules)
        try promise(validator.map(head.agrees) ?? true, "a response disagrees with itself")
        var said: [String] = []
        for asked in [
            DownloadDecision.Asked(), DownloadDecision.Asked(offset: 10, validator: validator, expected: 100),
            DownloadDecision.Asked(offset: .max - 1, validator: .etag("\"a\""), expected: .max),
        ] {
            let decision = DownloadDecision(asked, head, challenge: nil, now: now, rules: rules)
            said.append(String("\(decision)".prefix { $0 != "(" }))
        }
        for step in [UploadOrder.Step.whole, .append(resource: "/u", offset: 5), .ask(resource: "/u")] {
            let decision = UploadDecision(
                step, length: 100, head, challenge: nil, acceptsUnauthorized: false, now: now, rules: rules)
            if case .append(let offset) = decision { try promise((0...100).contains(offset), "goes on at \(offset)") }
            said.append(String("\(decision)".prefix { $0 != "(" }))
        }
        try challenge(headers)
        guard let here else { throw BrokenPromise(description: "an address is none") }
        switch Redirect.read(status: Int(status), location: head.field("Location"), method: "POST", from: here) {
        case .follow(let redirect): try check(redirect.address)
        case .none, .elsewhere: break
        }
        return .taken(said.joined(separator: " "))
    }

    private static func challenge(_ headers: [HeaderField]) throws(BrokenPromise) {
        let asked = headers.filter { $0.name.lowercased() == "www-authenticate" }.map(\.value)
        guard let challenge = Challenge.strongest(asked, isProxy: false) else { return }
        let credential = TransferCredential(user: "us\"er", password: "pass")
        let answer = challenge.answer(credential, method: "GET", target: "/", count: 1, clientNonce: "c")
        try promise(answer.hasPrefix("Basic ") || answer.hasPrefix("Digest "), "“\(answer)” answers no challenge")
    }

    /// What goes into a request line, or is connected to.
    private static func check(_ address: TransferService.Address) throws(BrokenPromise) {
        try promise((1...65_535).contains(address.port), "\(address.text) is at port \(address.port)")
        try promise(!address.host.isEmpty, "\(address.text) has no host")
        try promise(["http", "https"].contains(address.scheme), "\(address.text) is \(address.scheme)")
        try promise(address.target.hasPrefix("/"), "\(address.target) is no target")
        for text in [address.text, address.target, address.host] {
            try promise(text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }, "“\(text)” would break a request")
        }
        try promise(TransferService.Address(address.text) == address, "\(address.text) reads back as another address")
    }

    /// The first line is the URL of who sets them, the second of who is asked; the others are `Set-Cookie`.
    /// A jar of 300 is copied for each that comes.
    static let cookies = FuzzTarget("cookies", "Set-Cookie, and which cookies go where", memory: (64 << 20, 1 << 14)) {
        (bytes) throws(BrokenPromise) in
        let lines = parts(bytes, at: 0x0A, most: 400).map { String(decoding: $0, as: UTF8.self) }
        guard lines.count > 2, let from = TransferService.Address(lines[0]),
            let to = TransferService.Address(lines[1])
        else { return .refused("no URLs") }
        let now = Double(Self.now.nanoseconds) / 1e9
        var jar = CookieJar()
        for header in lines.dropFirst(2) {
            jar.store([header], host: from.host, path: from.path, isSecure: from.scheme == "https", now: now)
        }
        try promise(jar.cookies.count <= CookieJar.most, "\(jar.cookies.count) cookies are kept")
        let again = try? CookieJar(json: jar.json)
        try promise(again == jar, "the cookies read back as others")
        let isSecure = to.scheme == "https"
        guard let header = jar.header(host: to.host, path: to.path, isSecure: isSecure, now: now) else {
            return .taken("none of \(min(jar.cookies.count, 4))")
        }
        try promise(
            header.utf8.allSatisfy { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }, "“\(header)” would break a request")
        let isForeign =
            from.host != to.host && !to.host.hasSuffix(".\(from.host)") && !from.host.hasSuffix(".\(to.host)")
        try promise(!isForeign || shareDomain(from.host, to.host), "\(to.host) gets what \(from.host) set: \(header)")
        try promise(isSecure || !jar.cookies.allSatisfy(\.isSecure), "a secure cookie goes out in the clear")
        return .taken("sent")
    }

    /// Two hosts below one domain that is not a top-level one.
    private static func shareDomain(_ a: String, _ b: String) -> Bool {
        let (a, b) = (a.split(separator: ".").suffix(2), b.split(separator: ".").suffix(2))
        return a.count == 2 && a == b
    }

    /// The first line is an address, the second what is read relative to it.
    static let url = FuzzTarget("url", "URLs of transfers, and where redirects lead", longest: 1 << 15) {
        (bytes) throws(BrokenPromise) in
        let lines = parts(bytes, at: 0x0A, most: 2).map { String(decoding: $0, as: UTF8.self) }
        let address = TransferService.Address(lines[0])
        if let address { try check(address) }
        if let core = TransferCore.Address(lines[0]) {
            try promise((1...65_535).contains(core.port) && !core.host.isEmpty, "\(core) is no server")
        }
        if lines.count > 1, let next = TransferService.Address(lines[1], relativeTo: address ?? here) {
            try check(next)
            return .taken("next")
        }
        return address == nil ? .refused("") : .taken
    }
}
