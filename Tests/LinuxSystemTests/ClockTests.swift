import LinuxSystem
import Testing

@Suite("Clocks")
struct ClockTests {
    @Test("The boot clock goes on and is never behind the monotonic one")
    func bootClockGoesOn() {
        let monotonic = Clock.monotonic()
        let first = Clock.boot()
        let second = Clock.boot()
        #expect(second >= first)
        #expect(first >= monotonic)
    }

    @Test("The wall clock counts from 1970")
    func wallClock() {
        // 2020 and 2200.
        #expect((1_577_836_800...7_258_118_400).contains(Clock.wall() / 1_000_000_000))
    }
}
