import Foundation
import GreenroomTesting
import Testing
import UIKit

@testable import IconReel

/// What the talk says of each stage of its sample, in the same order.
// In turn with tests of devices, since what enters the background empties every NSCache of the process.
@Suite("The stages of IconReel", .simulatedDevice)
struct StageTests {
    @Test("Every icon in memory: scrolling draws nothing and never hangs, and all of it is in the working set")
    func everything() throws {
        try Pencil.withReel(.everything) { reel, pencil in
            #expect(pencil.drawn.count == Icons.columns)
            for page in Measurement.route { #expect(reel.visit(page)) }
            #expect(pencil.drawn.count == Icons.columns && reel.hangs == 0)
            #expect(reel.workingSet.count == Icons.columns)
        }
    }

    @Test("One page: little is in memory, and every flick hangs until the main thread has drawn the next")
    func onePage() throws {
        try Pencil.withReel(.onePage) { reel, pencil in
            for page in 0..<10 { reel.visit(page) }
            #expect(reel.hangs == 10 && pencil.drawn == Array(0..<40))
            #expect(reel.workingSet.keys.sorted() == Array(36..<40))
        }
    }

    @Test("Drawn on a queue: nothing hangs, and the page is empty until it is drawn")
    func queue() throws {
        try Pencil.withReel(.queue, Pencil(isHeld: true)) { reel, pencil in
            reel.flick(to: 3)
            #expect(reel.page(3) == Array(repeating: Icons.placeholder, count: 4))
            #expect(reel.gaps == 1 && reel.hangs == 0 && pencil.waited == 0, "the main thread waits for nothing")
            reel.settle(on: 3)
            reel.finishDrawing()
            #expect(reel.shows(reel.page(3), 3) && reel.gaps == 1)
            #expect(pencil.drawn == Array(12..<16))
        }
    }

    @Test("Awaited: a slow swipe leaves the queue time, a fast one waits for it, and no page is ever empty")
    func awaited() throws {
        try Pencil.withReel(.awaited) { reel, _ in
            reel.flick(to: 1)
            // The finger takes its time.
            reel.finishDrawing()
            #expect(reel.shows(reel.page(1), 1) && reel.hangs == 0)
        }
        try Pencil.withReel(.awaited, Pencil(isHeld: true)) { reel, pencil in
            reel.flick(to: 1)
            #expect(reel.shows(reel.page(1), 1))
            #expect(reel.hangs == 1 && reel.gaps == 0 && pencil.waited == 1)
        }
    }

    @Test("Three pages: however fast the flick, the next page is there; twice as much and more is in memory")
    func threePages() throws {
        try Pencil.withReel(.threePages) { reel, pencil in
            reel.visit(20)
            let hangs = reel.hangs
            for page in [21, 22, 23, 22, 21] { #expect(reel.visit(page)) }
            #expect(reel.hangs == hangs && reel.gaps == 0)
            #expect(reel.workingSet.keys.sorted() == Array(80..<92))
            // It has no magic eight ball: what it drew ahead on the other side is dropped, and drawn again.
            #expect(pencil.drawn.count > Set(pencil.drawn).count)
            // Without a finger that moves there: the queue could have drawn it by then.
            #expect(reel.shows(reel.page(50), 50))
            #expect(reel.hangs == hangs + 1, "a jump")
        }
    }

    @Test("Beside another app three columns need less, and what they do not need is there when the app is alone again")
    func columns() throws {
        try Pencil.withReel(.cache) { reel, pencil in
            reel.visit(9)
            #expect(reel.workingSet.keys.sorted() == Array(32..<44))
            let drawn = pencil.drawn.count
            let narrow = reel.layOut(columns: 3, showing: 9)
            #expect(narrow == 12 && reel.visit(narrow))
            #expect(reel.workingSet.keys.sorted() == Array(33..<42), "three pages of three columns")
            let wide = reel.layOut(columns: 4, showing: narrow)
            #expect(wide == 9 && reel.visit(wide))
            #expect(reel.workingSet.count == 12 && pencil.drawn.count == drawn, "nothing is drawn twice")
        }
    }

    @Test("With a cache no icon is drawn twice, wherever the user goes")
    func cache() throws {
        try Pencil.withReel(.cache) { reel, pencil in
            for page in Measurement.route { reel.visit(page) }
            #expect(pencil.drawn.sorted() == Array(0..<Icons.columns))
            #expect(reel.workingSet.count <= 12)
        }
    }

    @Test("What is purgeable is drawn again when the system has taken it; the working set is not its to take")
    func purgeable() throws {
        try Pencil.withReel(.purgeable) { reel, pencil in
            for page in 0..<20 { reel.visit(page) }
            let store = try #require(reel.store as? PurgeableStore)
            #expect(store.columns.keys.sorted() == Array(0..<72), "all but the last three pages")
            let before = pencil.drawn.count
            reel.visit(15)
            // The columns of page 15 and its neighbours came back; none was drawn.
            #expect(pencil.drawn.count == before)
            for data in store.columns.values { data.discardContentIfPossible() }
            #expect(reel.shows(reel.page(15), 15) && pencil.drawn.count == before)
            #expect(reel.visit(3), "it is drawn again")
            #expect(pencil.drawn.count == before + 12)
        }
    }

    @Test("Two levels: far icons go without asking, near ones at a memory warning, and the working set stays")
    func twoLevels() throws {
        try Pencil.withReel(.twoLevels) { reel, pencil in
            for page in 0..<20 { reel.visit(page) }
            let store = try #require(reel.store as? TwoLevelStore)
            #expect(reel.workingSet.keys.sorted() == Array(72..<84))
            #expect(store.next.keys.sorted() == Array(60..<72), "three flicks back")
            #expect(store.far.columns.keys.sorted() == Array(0..<60))
            let before = pencil.drawn.count
            for data in store.far.columns.values { data.discardContentIfPossible() }
            for page in [18, 17, 16] { reel.visit(page) }
            #expect(pencil.drawn.count == before, "the user notices nothing")
            reel.relieve()
            #expect(store.next.isEmpty)
            #expect(reel.shows(reel.page(16), 16) && reel.visit(17) && pencil.drawn.count > before)
        }
    }

    @Test("Mapped: all is drawn at the first launch, nothing later, and nothing at the next launch")
    func mapped() throws {
        try Pencil.withReel(.mapped) { reel, pencil in
            for page in Measurement.route { #expect(reel.visit(page)) }
            #expect(pencil.drawn == Array(0..<Icons.columns) && reel.hangs == 0)
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "iconreel-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (first, second) = (Pencil(), Pencil())
        _ = try Reel(.mapped, folder: folder, draw: first.draw)
        #expect(try Reel(.mapped, folder: folder, draw: second.draw).visit(30))
        #expect(first.drawn.count == Icons.columns && second.drawn.isEmpty)
    }

}

/// Each in a process of its own.
@Suite("The memory of IconReel's stages")
struct StageMemoryTests {
    /// What was added to a process, in MB, as the kernel counts it.
    private struct Added {
        var dirty, purgeable, clean: Int
    }

    private func measure(_ strategy: Strategy) throws -> Added {
        let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let program = Process()
        program.executableURL = products.appending(path: "IconReel")
        program.arguments = ["measure", strategy.rawValue, "quick"]
        // On a disk: a mapped file in memory is never clean.
        program.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": "/var/tmp"]) { $1 }
        let output = Pipe()
        program.standardOutput = output
        try program.run()
        let line = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        program.waitUntilExit()
        let figures = line.split(whereSeparator: \.isWhitespace).suffix(3).compactMap { Int($0) }
        try #require(figures.count == 3, "it says: \(line)")
        return Added(dirty: figures[0] >> 20, purgeable: figures[1] >> 20, clean: figures[2] >> 20)
    }

    /// All icons are 94 MB, a page is 1.5.
    @Test(
        "The kernel counts what the talk says: all of it dirty, a page or three, purgeable, or clean",
        arguments: [
            (Strategy.everything, 85...130, 0...0, 0...12), (.onePage, 0...16, 0...0, 0...12),
            (.queue, 0...20, 0...0, 0...12), (.awaited, 0...20, 0...0, 0...12), (.threePages, 3...24, 0...0, 0...12),
            (.cache, 85...130, 0...0, 0...12), (.purgeable, 3...32, 75...94, 0...12),
            (.twoLevels, 8...45, 55...94, 0...12), (.mapped, 0...16, 0...0, 80...110),
        ] as [(Strategy, ClosedRange<Int>, ClosedRange<Int>, ClosedRange<Int>)])
    func memory(
        _ strategy: Strategy, _ dirty: ClosedRange<Int>, _ purgeable: ClosedRange<Int>, _ clean: ClosedRange<Int>
    ) throws {
        let added = try measure(strategy)
        #expect(dirty.contains(added.dirty) && clean.contains(added.clean), "\(added)")
        #expect(purgeable.contains(added.purgeable), "\(added)")
    }
}
