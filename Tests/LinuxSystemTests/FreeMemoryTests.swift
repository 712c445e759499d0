import LinuxSystem
import Testing

@Suite("Memory that was freed")
struct FreeMemoryTests {
    /// Small pieces, each freed but the last of every thousand, so that no heap can simply be cut off at its end.
    private func burst() -> [[UInt8]] {
        var kept: [[UInt8]] = []
        var freed: [[UInt8]] = []
        for number in 0..<60_000 {
            let piece = [UInt8](repeating: 1, count: 1000)
            if number % 1000 == 999 { kept.append(piece) } else { freed.append(piece) }
        }
        freed = []
        return kept
    }

    @Test("It goes back to the kernel, also out of the middle of the heap")
    func returned() throws {
        let before = try #require(CurrentProcess.anonymousBytes)
        let kept = burst()
        let after = try #require(CurrentProcess.anonymousBytes)
        CurrentProcess.returnFreeMemory()
        let end = try #require(CurrentProcess.anonymousBytes)
        withExtendedLifetime(kept) {}
        // Other tests allocate at the same time.
        if after - before > 40_000_000 { #expect(after - end > 30_000_000) }
    }
}
