import Foundation
import LinuxSystem
import TestAudio
import Testing
import Wire

/// What the traffic of real apps is charged to while a service holds them: `docs/FETCH.md`, by what declarations say.
@Suite(
    "What the traffic of held apps is charged to", .serialized,
    .enabled(if: Cable.complaint == nil, Comment(rawValue: Cable.complaint ?? "")),
    .enabled(if: Machine.isRoot, "NOT TESTED: needs root"),
    .enabled(
        if: SystemTests.Traffic.counterComplaint == nil, Comment(rawValue: SystemTests.Traffic.counterComplaint ?? "")))
struct ChargingTests {
    private func received(_ system: TestSystem, _ app: String, _ service: String) throws -> Int64 {
        let energy = try EnergyInfo(json: JSONValue(parsing: system.expect("energy", "--json")))
        return energy.traffic.first { $0.app == app && $0.service == service }?.received ?? 0
    }

    @Test(
        "What Radio receives behind the home screen is streaming",
        .enabled(if: SoundSystem.isThere, Comment(rawValue: SoundSystem.missing)))
    func radio() throws {
        let cable = try Cable()
        let sound = try SoundSystem(within: cable.entry)
        let radio = try sound.install("Radio")
        try sound.system.play(["simulate network wifi"])
        try sound.open(radio, "play?url=http://10.97.0.2:7001/station.wav")
        try sound.hears(0.5)
        try sound.system.play(["home"])
        let before = try received(sound.system, radio, "use")
        try sound.system.until("some of it is streaming") {
            try received(sound.system, radio, "streaming") > 200_000
        }
        #expect(try received(sound.system, radio, "use") == before)
        #expect(try sound.state(radio) == "background")
        let energy = try EnergyInfo(json: JSONValue(parsing: sound.system.expect("energy", "--json")))
        let share = energy.shares.first { $0.app == radio && $0.service == "streaming" && $0.part == "wifi" }
        #expect(try #require(share).joules > 0)
    }

    @Test("What Navigator receives while it follows the device is location, without real-time threads or priority")
    func navigator() throws {
        let cable = try Cable()
        let system = try TestSystem(
            environment: ["GREENROOM_GPSD": "/nonexistent/gpsd"], within: cable.entry)
        defer { system.end() }
        let navigator = "org.greenroom.examples.navigator"
        let bundle = "\(system.folder)/\(navigator).app"
        try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
        for (from, to) in [
            ("\(Machine.programs)/Navigator", "Navigator"),
            ("\(Machine.repository)/Examples/Navigator/Info.plist", "Info.plist"),
        ] { try FileManager.default.copyItem(atPath: from, toPath: "\(bundle)/\(to)") }
        try system.expect("install", bundle)
        try system.expect("simulate", "location", "46.05", "14.50")
        try system.play(["simulate network wifi"])
        try system.expect("open", "navigator:go?46.06,14.50=Left")
        try system.play(["home"])
        try system.until("it follows the device") {
            try system.expect("why", navigator).contains("follows the device's location")
        }
        let app = try system.app(navigator)
        #expect(app.state == "background")
        try system.until("it gives way") { system.isSlowed(navigator, app.pids) }
        if SystemTests.Priority.canBeRealTime {
            let main = try #require(app.pid.map { CInt($0) })
            let thread = try #require(ProcFS().threads(main).first { $0 != main })
            // The daemon looks at its threads when its priority changes.
            try system.play(["open \(navigator)"])
            try Scheduling(policy: Scheduling.fifo, priority: 10).apply(to: thread)
            try system.play(["home"])
            try system.until("its thread is an ordinary one") { try !Scheduling(of: thread).isRealTime }
        }
        // Navigator has no map to fetch: a process of its group stands for what fetches one.
        let group = try #require(system.cgroup) + "/app-\(navigator)"
        let fetch = """
            import os, socket
            open("\(group)/cgroup.procs", "w").write(str(os.getpid()))
            peer = socket.create_connection(("10.97.0.2", 7000))
            peer.sendall(b"x" * 50000)
            peer.shutdown(socket.SHUT_WR)
            while peer.recv(65536): pass
            """
        let command = cable.entry + [try #require(Machine.find("python3")), "-c", fetch]
        let child = try Child(command[0], Array(command.dropFirst()), environment: [:])
        #expect(try child.outcome().code == 0)
        try system.until("its map is charged") { try received(system, navigator, "location") > 190_000 }
        #expect(try received(system, navigator, "use") == 0)
        #expect(try received(system, navigator, "streaming") == 0)
    }
}
