import PipeWire
import TestAudio
import TestBus
import Testing

@Suite("Streams that are half linked")
struct RepairTests {
    private let one = NodeIdentifier(serial: 1)
    private let other = NodeIdentifier(serial: 2)
    private static let patience = Repair.patience

    @Test("One that is half linked for as long as that may take is linked again, once")
    func patience() {
        var repair = Repair()
        #expect(repair.deadline == nil)
        let atOnce = repair.look([one], at: 10)
        #expect(atOnce.isEmpty)
        #expect(repair.deadline == 10 + Self.patience)
        let early = repair.look([one, other], at: 10 + Self.patience - 1)
        let due = repair.look([one, other], at: 10 + Self.patience)
        #expect(early.isEmpty && due == [one])
        repair.begins(one)
        let isFirst = repair.isTakenDown(one)
        let isSecond = repair.isTakenDown(one)
        #expect(isFirst && !isSecond)
    }

    @Test("Links that become active one after the other are left alone")
    func slow() {
        var repair = Repair()
        for second in 0..<10 {
            let due = repair.look([one], at: Int64(second) * Self.patience)
            let later = repair.look([], at: Int64(second) * Self.patience + 1)
            #expect(due.isEmpty && later.isEmpty && repair.deadline == nil)
        }
    }

    @Test("It is tried three times, and then left as it is until its stream goes")
    func attempts() {
        var repair = Repair()
        var tries = 0
        for second in 0..<20 { tries += repair.look([one], at: Int64(second) * Self.patience).count }
        #expect(tries == 3)
        #expect(repair.deadline == nil)
        repair.forget(one)
        _ = repair.look([one], at: 100 * Self.patience)
        let due = repair.look([one], at: 101 * Self.patience)
        #expect(due == [one])
    }

    @Test("What its service decides meanwhile counts")
    func decided() {
        var repair = Repair()
        repair.begins(one)
        repair.isDecidedElsewhere(one)
        let isTakenDown = repair.isTakenDown(one)
        #expect(!isTakenDown)
    }

    @Test("Half linked is who has an active link beside one that is not")
    func halves() {
        #expect(Repair.isHalf([true, false]) && Repair.isHalf([false, nil, true]))
        for links in [[], [true], [false], [true, true], [false, false], [true, nil], [false, nil]] as [[Bool?]] {
            #expect(!Repair.isHalf(links))
        }
    }

    @Test(
        "A stream that is linked again sounds on, unless it may not any more",
        .enabled(if: TestAudio.isThere, Comment(rawValue: TestAudio.missing)))
    func linkedAgain() throws {
        let audio = try TestAudio()
        let peer = try AudioPeer(audio)
        let player = try audio.play(try audio.sound(0.4))
        let stream = try peer.playing(player)
        let recorder = try SinkRecorder(audio)
        for _ in 1...10 {
            peer.on { $0.linkAgain(stream.id) }
            _ = try peer.stream { $0.id == stream.id && !$0.isLinked }
            _ = try peer.stream { $0.id == stream.id && $0.isLinked && $0.state == .running }
            try recorder.awaitSound(100) { Level.amplitude(of: 440, in: $0) > 0.35 }
        }
        peer.on { $0.linkAgain(stream.id) }
        try peer.permit(stream.id, false)
        try recorder.awaitSound(100) { Level.peak($0) == 0 }
        #expect(Level.peak(try recorder.record(milliseconds: 1000)) == 0)
    }
}
