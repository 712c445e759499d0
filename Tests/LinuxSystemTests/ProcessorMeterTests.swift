import LinuxSystem
import Testing

@Suite("A processor meter")
struct ProcessorMeterTests {
    @Test("A group's figures are found by their name")
    func group() {
        let text = "usage_usec 1234567\nuser_usec 1000000\nsystem_usec 234567\n"
        #expect(ProcessorMeter.parseGroup(Array(text.utf8)[...]) == 1_234_567_000)
        #expect(ProcessorMeter.parseGroup(Array("user_usec 5\nusage_usec 7\n".utf8)[...]) == 7_000)
        #expect(ProcessorMeter.parseGroup(Array("usage_usec x\n".utf8)[...]) == nil)
        #expect(ProcessorMeter.parseGroup([]) == nil)
    }

    @Test("A process's time grows while it computes, read from one open file")
    func process() throws {
        let meter = try ProcessorMeter(process: CurrentProcess.pid)
        let before = try #require(meter.read())
        var sum: UInt64 = 0
        let begin = Clock.processor()
        // Until the kernel's ticks of 10 ms have seen it.
        while Clock.processor() - begin < 60_000_000 { for i in 0..<10_000 { sum = sum &* 31 &+ UInt64(i) } }
        #expect(try #require(meter.read()) >= before + 20_000_000, "\(sum)")
    }

    @Test("A process that is gone has no time")
    func gone() throws {
        let process = try Spawn(path: "/bin/true", arguments: ["true"], environment: []).start()
        let meter = try ProcessorMeter(process: process.pid)
        #expect(process.waitUntilDead(milliseconds: 10_000))
        _ = process.reap()
        #expect(meter.read() == nil)
    }
}
