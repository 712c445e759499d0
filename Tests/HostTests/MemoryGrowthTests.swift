import Host
import LinuxSystem
import Model
import Testing

@Suite("What an app gained since it was looked at")
struct MemoryGrowthTests {
    private static let megabyte: Int64 = 1 << 20

    private func sizes(_ megabytes: [CInt: Int64]) -> [CInt: ProcessMemory.Size] {
        megabytes.mapValues { size in
            ProcessMemory.Size(mapped: size * Self.megabyte, anonymous: size * Self.megabyte, files: 0)
        }
    }

    /// In megabytes, of an app whose processes shared nothing.
    private func growth(from before: [CInt: Int64], to now: [CInt: Int64]) -> (bytes: Int64, isUncertain: Bool) {
        let sample = MemorySample(
            footprint: Footprint(dirty: before.values.reduce(0, +) * Self.megabyte, purgeable: 0, clean: 0),
            sizes: sizes(before))
        let growth = sample.growth(sizes(now))
        return (growth.bytes / Self.megabyte, growth.isUncertain)
    }

    @Test(
        "Forks count with what they have more than the process they come from, which may have grown before",
        arguments: [
            ([1: 8], [1: 68], 60, false),
            ([1: 68], [1: 68, 2: 68, 3: 68], 0, true),
            ([1: 8], [1: 68, 2: 68, 3: 68, 4: 68], 60, true),
            ([1: 8], [2: 68, 3: 68], 52, true),
            ([1: 68], [1: 68, 2: 98], 30, true),
            ([1: 68], [1: 68, 2: 3], 0, false),
            ([1: 50, 2: 50], [1: 50], -50, true),
        ] as [([CInt: Int64], [CInt: Int64], Int64, Bool)])
    func forks(before: [CInt: Int64], now: [CInt: Int64], bytes: Int64, isUncertain: Bool) {
        let growth = growth(from: before, to: now)
        #expect(growth.bytes == bytes)
        #expect(growth.isUncertain == isUncertain)
    }
}
