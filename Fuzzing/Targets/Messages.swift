internal import AppProtocol
internal import Model
internal import PolicyCore
internal import Wire

extension FuzzTarget {
    /// Lines of an app, each a request; the app is on the screen, or in the background.
    static let messages = FuzzTarget(
        "messages", "requests of apps, down to what the Core makes of them", memory: (64 << 20, 1 << 17)
    ) { (bytes) throws(BrokenPromise) in
        var framer = LineFramer()
        framer.append(bytes)
        framer.append([0x0A])
        var device = ScriptedDevice.busy
        var said: [String] = []
        var number: UInt64 = 1
        while let line = (try? framer.next()) ?? nil, number < 40 {
            number += 1
            guard case .request(_, let method, let params)? = try? RPCMessage.parse(line) else { continue }
            let app = AppIndex(UInt32(number % 2))
            let found: AppRequest?
            do throws(RPCError) {
                found = try AppMethod(rawValue: method).flatMap { (known) throws(RPCError) in
                    try AppRequest(known, params, at: device.system.wall(device.now))
                }
            } catch {
                said.append("\(error.message.prefix(20))")
                continue
            }
            guard let found else { continue }
            let event = Event.request(app, RequestID(number), found)
            try check(event)
            device.send(event)
            device.send(.command(CommandID(number), .home(wait: false)))
            // A day: what was asked for comes due.
            device.pass(.seconds(86_400), most: 30)
            let broken = device.system.brokenInvariants()
            try promise(broken.isEmpty, "after \(found): \(broken.joined(separator: "; "))")
            said.append(method)
        }
        return .taken(said.prefix(2).joined(separator: " "))
    }

    /// What is written into the journal comes out of it.
    private static func check(_ event: Event) throws(BrokenPromise) {
        var writer = RecordWriter()
        writer.write(event, after: .milliseconds(1))
        var reader = RecordReader(writer.bytes[...], version: SegmentHeader.version)
        let record = (try? reader.next()) ?? nil
        try promise(record == .event(event, after: .milliseconds(1)), "\(event) is journaled as something else")
    }
}
