import Host
import Model
import Testing

@Suite("Memory of what stands still")
struct RestingMemoryTests {
    @Test("The sum follows each app that comes, is looked at again, or goes")
    func sum() {
        var memory = RestingMemory()
        #expect(memory.bytes == 0)
        for number in 0..<100 { memory.set(AppIndex(UInt32(number)), Int64(number)) }
        #expect(memory.bytes == 4_950)
        memory.set(AppIndex(10), 1_010)
        #expect(memory.bytes == 5_950)
        memory.remove(AppIndex(10))
        memory.remove(AppIndex(10))
        memory.remove(AppIndex(500))
        #expect(memory.bytes == 4_940 && !memory.contains(AppIndex(10)) && memory.contains(AppIndex(11)))
        for number in 0..<100 { memory.remove(AppIndex(UInt32(number))) }
        #expect(memory.bytes == 0)
    }
}

@Suite("Apps that may run")
struct AwakeAppsTests {
    @Test("What is looked at in every turn are those that run, however many stand still")
    func looks() {
        var awake = AwakeApps()
        for number in 0..<1_000 { awake.insert(AppIndex(UInt32(number))) }
        var looks = 0
        // All but one come to rest.
        awake.settle { app in
            looks += 1
            return app == AppIndex(7)
        }
        #expect(looks == 1_000 && awake.inOrder == [AppIndex(7)])
        for _ in 0..<50 {
            looks = 0
            awake.settle { _ in
                looks += 1
                return true
            }
            #expect(looks == 1)
        }
        awake.insert(AppIndex(3))
        awake.insert(AppIndex(3))
        #expect(awake.inOrder == [AppIndex(3), AppIndex(7)])
    }
}
