import Glibc
import LinuxSystem
import TestAudio
import Testing
import Wire

/// What an app may have in the background while it is heard, and what it may not have there whatever it does:
/// `docs/PRIORITY.md` and `docs/TERMINATION.md` where audio is concerned.
@Suite(
    "The priority of what is heard", .serialized,
    .enabled(if: SoundSystem.isThere, Comment(rawValue: SoundSystem.missing)),
    .enabled(if: Machine.isRoot, "NOT TESTED: needs root"))
struct AudioPriorityTests {
    private static let realTime = Scheduling(policy: Scheduling.fifo, priority: 10)

    private func threads(_ app: AppInfo) -> [CInt] { app.pids.flatMap { ProcFS().threads(CInt($0)) } }

    private func disks(_ app: AppInfo) -> Set<DiskPriority> {
        Set(threads(app).compactMap { try? DiskPriority(of: $0) })
    }

    private func playing(_ sound: SoundSystem) throws -> String {
        let radio = try sound.install("Radio")
        try sound.open(radio, "play?url=file://\(sound.sound(0.5))")
        try sound.hears(0.5)
        return radio
    }

    @Test(
        "An app that plays in the background keeps its real-time threads and its priority, until it pauses",
        .enabled(if: SystemTests.Priority.canBeRealTime, "NOT TESTED: nothing may be real-time here"))
    func keeps() throws {
        let sound = try SoundSystem()
        let radio = try playing(sound)
        let app = try sound.system.app(radio)
        let main = try #require(app.pid.map { CInt($0) })
        let thread = try #require(threads(app).first { $0 != main })
        let nice = try Scheduling(of: main).nice
        try Self.realTime.apply(to: thread)
        // It runs on when it pauses: so it is seen what it has then.
        try sound.system.play(["exempt \(radio)", "home"])
        #expect(try sound.state(radio) == "background")
        func keepsAll() throws -> Bool {
            try Scheduling(of: thread) == Self.realTime && Scheduling(of: main).nice == nice
                && disks(app) == [.none] && !sound.system.isSlowed(radio, app.pids)
        }
        #expect(Level.peak(try sound.recorder.record(milliseconds: 2000)) > 0.45)
        #expect(try keepsAll())
        try sound.system.killDaemon()
        #expect(Level.peak(try sound.recorder.record(milliseconds: 2000)) > 0.45)
        #expect(try keepsAll())
        try sound.system.expect("audio", "pause")
        try sound.system.until("it gives way") {
            try !Scheduling(of: thread).isRealTime && disks(app) == [.idle]
                && sound.system.isSlowed(radio, app.pids)
        }
        try sound.system.expect("audio", "play")
        try sound.hears(0.5)
        try sound.system.until("it has everything again", keepsAll)
        #expect(try sound.system.app(radio).pids == app.pids)
    }

    @Test("An app that plays in the background ends when it uses the GPU there, and is silent")
    func usesGPU() throws {
        let sound = try SoundSystem(gpu: true)
        let radio = try playing(sound)
        let pid = try #require(try sound.system.app(radio).pid)
        try FakeGPU.draw(pid, nanoseconds: 1000, in: sound.system.folder)
        try sound.system.play(["home"])
        // What it had on the screen is no offence: it is looked at every five seconds.
        #expect(Level.peak(try sound.recorder.record(milliseconds: 6000)) > 0.45)
        #expect(try sound.state(radio) == "background")
        try FakeGPU.draw(pid, nanoseconds: 2000, in: sound.system.folder)
        let end = try sound.system.follower().wait("terminated", of: radio)
        #expect(end.reason?.contains("GPU") == true, "\(end)")
        try sound.hearsNothing()
        let report = try #require(try sound.system.reports(radio).first)
        #expect(report.reason.contains("gave work to the GPU (fake)"), "\(report.reason)")
    }
}
