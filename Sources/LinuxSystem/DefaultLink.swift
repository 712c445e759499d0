internal import CLinux
internal import Glibc

/// What leads out of the machine: the interface of its default route, as files tell at that moment.
package struct DefaultLink: Sendable {
    package enum Kind: Sendable { case wired, wireless, modem }

    private let sys: String
    private let proc: String

    /// - Parameters:
    ///   - sys: where sysfs is; tests have folders of their own.
    ///   - proc: where procfs is.
    package init(sys: String = "/sys", proc: String = "/proc") {
        self.sys = sys
        self.proc = proc
    }

    /// `nil` where nothing leads out.
    package var kind: Kind? {
        guard let interface else { return nil }
        let folder = "\(sys)/class/net/\(interface)"
        let type = text("\(folder)/uevent")?.split(whereSeparator: \.isNewline).first { $0.hasPrefix("DEVTYPE=") }
        if type == "DEVTYPE=wlan" || FileSystem.exists("\(folder)/wireless") { return .wireless }
        // Point-to-point and raw IP links are what modems make.
        let number = text("\(folder)/type")?.split(whereSeparator: \.isWhitespace).first
        return type == "DEVTYPE=wwan" || number == "512" || number == "519" ? .modem : .wired
    }

    /// Its name; of several default routes the one of the least metric.
    package var interface: String? {
        var best: (name: String, metric: UInt32)?
        func consider(_ name: Substring, _ metric: UInt32?) {
            guard let metric, name != "lo", metric < best?.metric ?? .max else { return }
            best = (String(name), metric)
        }
        for line in (text("\(proc)/net/route") ?? "").split(whereSeparator: \.isNewline).dropFirst() {
            let fields = line.split(whereSeparator: \.isWhitespace)
            guard fields.count >= 8, fields[1] == "00000000", fields[7] == "00000000" else { continue }
            consider(fields[0], UInt32(fields[6]))
        }
        for line in (text("\(proc)/net/ipv6_route") ?? "").split(whereSeparator: \.isNewline) {
            let fields = line.split(whereSeparator: \.isWhitespace)
            // Not those that lead nowhere (RTF_REJECT).
            guard fields.count >= 10, fields[0].allSatisfy({ $0 == "0" }), fields[1] == "00",
                let flags = UInt32(fields[8], radix: 16), flags & 0x200 == 0
            else { continue }
            consider(fields[9], UInt32(fields[5], radix: 16))
        }
        return best?.name
    }

    /// The kinds of the queueing disciplines in which packets wait for an interface, such as `fq_codel`. The
    /// corresponding command is `tc qdisc show`.
    package static func disciplines(of interface: String) throws(SystemError) -> [String] {
        let number = unsafe if_nametoindex(interface)
        guard number != 0 else { throw .last("if_nametoindex", path: interface) }
        var found = [gr_discipline](repeating: gr_discipline(), count: most)
        let size = CInt(found.count)
        let count = try check("netlink") { () -> CInt in
            unsafe found.withUnsafeMutableBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return 0 }
                return unsafe gr_disciplines(CInt(number), base, size)
            }
        }
        return found.prefix(Int(count)).map { one in
            unsafe withUnsafeBytes(of: one.kind) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
    }

    /// An interface with a queue for each processor has as many.
    private static let most = 256

    /// What an interface has carried since it is there, both ways together; `nil` for what is not there.
    package func carried(by interface: String) -> (bytes: Int64, packets: Int64)? {
        for line in (text("\(proc)/net/dev") ?? "").split(whereSeparator: \.isNewline) {
            guard let colon = line.lastIndex(of: ":"), line[..<colon].drop(while: { $0 == " " }) == interface else {
                continue
            }
            let counts = line[line.index(after: colon)...].split(whereSeparator: \.isWhitespace)
            let numbers = [0, 1, 8, 9].compactMap { $0 < counts.count ? Int64(counts[$0]) : nil }
            guard numbers.count == 4 else { return nil }
            return (numbers[0] &+ numbers[2], numbers[1] &+ numbers[3])
        }
        return nil
    }

    private func text(_ path: String) -> String? {
        FileSystem.read(path, limit: 1 << 20).map { String(decoding: $0, as: UTF8.self) }
    }
}
