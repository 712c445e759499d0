import LinuxSystem
import Model
import NotificationsCore
import NotificationsService
import Testing
import Wire

@Suite("Where the gateway is, and where the device")
struct PlaceTests {
    @Test(
        "A gateway is a host, perhaps with a port",
        arguments: [
            ("greenroom-push://push.example.com:2195", "push.example.com", 2195),
            ("push.example.com", "push.example.com", 5223),
            ("Push.Example.com:80", "push.example.com", 80), ("GREENROOM-PUSH://10.0.0.1/", "10.0.0.1", 5223),
            ("[::1]:7000", "::1", 7000), ("[fe80::1]", "fe80::1", 5223),
        ])
    func targets(_ url: String, _ host: String, _ port: Int) throws {
        let target = try #require(LinkTarget(url))
        #expect(target.host == host && target.port == port)
    }

    @Test(
        "Anything else is none",
        arguments: [
            "", "https://push.example.com", "a b", "host:", "host:0", "host:65536", "host:1x", "[::1", "[::1]x",
            "ho/st",
            "user@host", "[ho st]", "host:-1", String(repeating: "a", count: 254), "::1", "host\n",
        ])
    func others(_ url: String) { #expect(LinkTarget(url) == nil) }

    @Test("A network is named by the router, so that two of a kind are told apart")
    func networks() {
        let routes = """
            Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask
            wlan0\t0001A8C0\t00000000\t0001\t0\t0\t600\t00FFFFFF
            wlan0\t00000000\t0101A8C0\t0003\t0\t0\t600\t00000000
            """
        #expect(NetworkName.router(routes) == "wlan0 0101A8C0")
        #expect(NetworkName.router("Iface\tDestination\n") == nil)
        #expect(NetworkName.router("") == nil)
        #expect(NetworkName(.none).text == nil)
        #expect(NetworkName(.wifi).text?.hasPrefix("wifi") ?? false)
    }

    @Test("The machine's zone is what its files say, with the rule that goes on for ever")
    func zone() throws {
        let folder = "/tmp/greenroom-zone-\(CurrentProcess.pid)-\(Clock.boot())"
        try FileSystem.makeDirectory(folder)
        defer { try? FileSystem.removeTree(folder) }
        #expect(ZoneSource(etc: folder).present == .utc)
        try FileSystem.link(to: "/usr/share/zoneinfo/Europe/Berlin", at: folder + "/localtime")
        let berlin = ZoneSource(etc: folder).present
        #expect(berlin.identifier == "Europe/Berlin")
        let rule = try #require(berlin.rule)
        #expect(rule.standard == 3600 && rule.daylight == 7200)
        #expect(rule.begins == ZoneRules.Change(.monthWeekday(month: 3, week: 5, weekday: 0), time: 7200))
        #expect(rule.ends == ZoneRules.Change(.monthWeekday(month: 10, week: 5, weekday: 0), time: 10_800))
        #expect(zip(berlin.transitions, berlin.transitions.dropFirst()).allSatisfy { $0.at < $1.at })
        // Winter time at the turn of the millennium.
        #expect(berlin.initialOffset == 3600)
        #expect(ZoneSource(etc: folder).named("Europe/Berlin") == berlin)
    }

    @Test("A zone without summer time has an offset and nothing else", arguments: [("Asia/Tokyo", 32_400), ("UTC", 0)])
    func withoutRule(_ name: String, _ offset: Int32) throws {
        let zone = try #require(ZoneSource().named(name))
        #expect(zone.rule == nil && zone.transitions.isEmpty && zone.initialOffset == offset)
    }

    @Test(
        "No name leads out of the zones' folder",
        arguments: ["../../../etc/passwd", "/etc/localtime", "", "No/Such", "a b"])
    func strangers(_ name: String) { #expect(ZoneSource().named(name) == nil) }
}
