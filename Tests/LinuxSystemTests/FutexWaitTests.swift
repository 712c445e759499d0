import LinuxSystem
import Testing

@Suite("What a thread waits for")
struct FutexWaitTests {
    #if arch(x86_64)
        private static let futex = 202
    #else
        private static let futex = 98
    #endif

    @Test("It is read as the kernel tells it")
    func futex() throws {
        let text = "\(Self.futex) 0x7f34adc4a010 0x80 0x2 0x0 0xffffffff80000003 0x0 0x7ffe50a74c58 0x7f34addc62ad\n"
        let wait = try #require(FutexWait(text))
        #expect(wait == FutexWait(address: 0x7f34_adc4_a010, operation: 0x80, value: 2))
        #expect(!wait.isShared)
        #expect(try #require(FutexWait("\(Self.futex) 0x10 0x0 0x2 0x0 0x0 0x0 0x1 0x2")).isShared)
    }

    @Test(
        "What is no such wait is none",
        arguments: [
            "running\n", "", "0 0x3 0x7f 0x2 0x0 0x0 0x0 0x1 0x2", "-1 0x7ffe 0x7f34", "x", "202", "202 1 2 3 4 5 6",
        ])
    func others(text: String) {
        #expect(FutexWait(text) == nil)
    }

    @Test("A process that is gone, or has no such memory, tells nothing")
    func gone() {
        #expect(FutexWait(of: 0x3fff_fff0, in: 0x3fff_fff0) == nil)
        let nowhere = FutexWait(address: 8, operation: 0x80, value: 2)
        #expect(nowhere.holder(in: CurrentProcess.pid, waiter: CurrentProcess.pid) == nil)
    }
}
