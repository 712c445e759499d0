import Foundation
import Model
import PolicyCore
import Recording
import Testing

@Suite("A long recording")
struct MillionTests {
    @Test("A million events take less than 64 MB of disk, and replay from the first")
    func million() throws {
        let folder = try Folder()
        let device = try RecordedDevice(folder.path)
        var person = Person(device, apps: 20, seed: 10)
        while device.events < 1_000_000 { person.act() }
        device.measure()
        #expect(device.largestSize < 64_000_000)
        var replay = try Replay(RecordingFiles(folder.path))
        while try replay.next() != nil {}
        #expect(replay.counts.events == device.events, "the oldest of a million events are gone")
        #expect(replay.counts.effects == device.effects)
        #expect(replay.counts.uncompared == 0)
        #expect(try RecordedDevice.bytes(of: replay.system) == RecordedDevice.bytes(of: device.system))
    }
}
