internal import LinuxSystem
package import Wire

/// Names the network that the machine is connected by, so that what works there is remembered.
package struct NetworkName {
    /// `nil`: none.
    package let text: String?

    package init(_ network: ServiceConditions.Network) {
        guard network != .none else {
            text = nil
            return
        }
        let routes = FileSystem.read("/proc/net/route", limit: 1 << 16) ?? []
        let router = Self.router(String(decoding: routes, as: UTF8.self))
        text = ([network.rawValue] + (router.map { [$0] } ?? [])).joined(separator: " ")
    }

    /// The interface of the default route, and the next hop as the kernel writes it: enough to tell two networks apart.
    package static func router(_ routes: String) -> String? {
        for line in routes.split(separator: "\n").dropFirst() {
            let fields = line.split(whereSeparator: \.isWhitespace)
            guard fields.count >= 3, fields[1] == "00000000" else { continue }
            return "\(fields[0].prefix(16)) \(fields[2].prefix(8))"
        }
        return nil
    }
}
