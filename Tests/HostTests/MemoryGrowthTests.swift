import Host
import LinuxSystem
import Model
import Testing

@Suite("What an app gained since it was looked at")
struct MemoryGrowthTests {
    private static let limits = MappingCount.Limits(count: 1000, largest: 1 << 30, purgeable: 100)
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

    @Test(
        "Once memory is short less growth is worth a closer look: who goes next hangs on it; with plenty, more is",
        arguments: [
            (20, 1, .none), (20, 2, .short), (20, 5, .ordinary), (20, 15, .ordinary), (20, 17, .plenty),
            (320, 20, .none), (320, 21, .short), (320, 41, .ordinary), (320, 79, .ordinary), (320, 81, .plenty),
        ] as [(Int64, Int64, MemorySample.Urgency?)])
    func outdated(megabytes: Int64, growth: Int64, least: MemorySample.Urgency?) {
        let sample = MemorySample(
            footprint: Footprint(dirty: megabytes << 20, purgeable: 0, clean: 0), sizes: sizes([1: megabytes]))
        let all: [MemorySample.Urgency] = [.plenty, .ordinary, .short]
        let first = least.flatMap { all.firstIndex(of: $0) } ?? all.endIndex
        for (place, urgency) in all.enumerated() {
            #expect(sample.isOutdated(growth: growth << 20, mapped: 0, urgency) == (place >= first))
            #expect(sample.isOutdated(growth: -growth << 20, mapped: 0, urgency) == (place >= first))
        }
    }

    @Test("What is too much is told once of each: a program with a large reservation is still seen to map too often")
    func newlyTooMany() {
        func isTold(_ found: MappingCount, before: MappingCount?) -> Bool {
            found.newlyExceeds(Self.limits, before: before)
        }
        let large = MappingCount(count: 10, largest: 1 << 40)
        #expect(isTold(large, before: nil))
        #expect(!isTold(large, before: large))
        #expect(isTold(MappingCount(count: 1001, largest: 1 << 40), before: large))
        #expect(!isTold(MappingCount(count: 1000, largest: 1 << 30), before: nil))
    }

    @Test("Too many purgeable objects are told by themselves, once")
    func purgeable() {
        let (some, many) = (MappingCount(count: 300, purgeable: 100), MappingCount(count: 300, purgeable: 101))
        #expect(!some.newlyExceedsPurgeable(Self.limits, before: nil) && !some.exceeds(Self.limits))
        #expect(many.newlyExceedsPurgeable(Self.limits, before: nil) && many.exceeds(Self.limits))
        #expect(many.newlyExceedsPurgeable(Self.limits, before: some))
        #expect(!many.newlyExceedsPurgeable(Self.limits, before: many))
        #expect(!many.newlyExceeds(Self.limits, before: nil))
    }

    @Test("Mappings are counted anew before there can be too many of them")
    func mappings() {
        let known = MappingCount(count: 900, largest: 1 << 20)
        let page = ProcessMemory.pageSize
        let few = known.bound(mapped: 100 * page)
        #expect(!few.exceeds(Self.limits))
        // What was only assumed counts as well the next time.
        #expect(few.bound(mapped: page).exceeds(Self.limits))
        #expect(known.bound(mapped: 1 << 30).exceeds(Self.limits))
        #expect(known.bound(mapped: -page) == known)
    }
}
