import LinuxSystem
import Testing

@Suite("Code in memory")
struct CodeTests {
    /// Kilobytes of this process's code that are in its memory.
    private func resident() -> Int {
        var sum = 0
        var isCode = false
        let smaps = String(decoding: FileSystem.read("/proc/self/smaps", limit: 1 << 24) ?? [], as: UTF8.self)
        for line in smaps.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count > 1, words[1] == "r-xp" {
                isCode = words.count > 5 && words[5].hasPrefix("/")
            } else if words.count > 1, words[1].count == 4, words[1].hasSuffix("p") || words[1].hasSuffix("s") {
                isCode = false
            } else if isCode, words.first == "Rss:" {
                sum += Int(words[1]) ?? 0
            }
        }
        return sum
    }

    @Test("What has run and does not run is given back, and all runs as before")
    func forgotten() {
        let before = resident()
        #expect(before > 1000)
        CurrentProcess.forgetCode()
        // Other tests run at the same time, and bring some of it back.
        #expect(resident() < before / 10 * 9)
        #expect((0..<1000).map { "\($0)" }.joined().count == 2890)
    }

    @Test("Threads that give back code and what was freed at the same time do not disturb each other")
    func together() async {
        // In a process of its own: one that took the wrong memory away would not live on.
        await #expect(processExitsWith: .success) {
            await withTaskGroup { group in
                for number in 0..<4 {
                    group.addTask {
                        for _ in 0..<100 {
                            if number == 0 { CurrentProcess.returnFreeMemory() } else { CurrentProcess.forgetCode() }
                        }
                    }
                }
            }
        }
    }
}
